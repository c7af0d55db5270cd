//! Say that a task was seen, by the task.

use baton_core::{Caller, Command, Refusal, TaskId};
use serde::Serialize;
use utoipa::ToSchema;

use super::stamp::Stamp;
use super::task_command::{About, BodyRule, NoArgs, OnTask, TaskCommand, ToolAbout};
use super::{Error, operation};
use crate::hub::Hub;

/// Whether it changed anything.
#[derive(Debug, Serialize, ToSchema)]
pub struct Acked {
    ok: bool,
    task_id: TaskId,
    updated: u8,
}

/// Say that a task was seen.
#[derive(Debug)]
pub struct AckTask;

impl TaskCommand for AckTask {
    const ABOUT: About = About {
        verb: "ack",
        operation_id: "ack_task",
        summary: "Acknowledge a task",
        details: "The agent it was given to, members of its network.",
        done: "whether that was news",
        conflict: None,
        body: BodyRule::Unread,
        is_repeatable: true,
        tool: Some(ToolAbout {
            name: "send_ack",
            title: "Acknowledge a task",
            description: "Acknowledge a task assigned to you.",
            is_destructive: false,
        }),
    };
    type Args = NoArgs;
    type Response = Acked;

    async fn run(hub: &Hub, caller: &Caller, on: OnTask, _: NoArgs) -> Result<Acked, Error> {
        let task_id = on.task_id()?;
        let stamp = Stamp::new(hub);
        let caller = caller.clone();
        hub.store_for(&caller)
            .write(move |tx| {
                let done = operation::act(tx, &stamp, &caller, &on.place, Some(&task_id), &Command::Ack);
                let updated = match done {
                    Ok(done) => done.transition.is_move(),
                    // Acked before, or ended: nothing to do is not an error.
                    Err(Error::Refused(Refusal::MessageNotOpen)) => false,
                    Err(error) => return Err(error),
                };
                Ok(Acked { ok: true, task_id: task_id.clone(), updated: updated.into() })
            })
            .await
    }
}
