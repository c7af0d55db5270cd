//! Make a new task of one that ended without an answer. The old one stays as it is.

use baton_core::{Caller, Command, Refusal, TaskId};
use serde::Serialize;
use utoipa::ToSchema;

use super::stamp::Stamp;
use super::task_command::{About, BodyRule, NoArgs, OnTask, TaskCommand, ToolAbout};
use super::{Error, operation};
use crate::hub::Hub;

/// The new task.
#[derive(Debug, Serialize, ToSchema)]
pub struct Retried {
    ok: bool,
    task_id: TaskId,
    retry_of: TaskId,
    retried_to: TaskId,
}

/// Send a failed, cancelled or expired task again as a new task.
#[derive(Debug)]
pub struct RetryTask;

impl TaskCommand for RetryTask {
    const ABOUT: About = About {
        verb: "retry",
        operation_id: "retry_task",
        summary: "Send a failed, cancelled or expired task again as a new task",
        details: "Members of the task's network, and the nodes that are party to it.",
        done: "the new task",
        conflict: None,
        body: BodyRule::Unread,
        // A second retry gets the first one's task.
        is_repeatable: true,
        tool: Some(ToolAbout {
            name: "retry_task",
            title: "Retry a task",
            description: "Send a failed, cancelled or expired task again, as a new task.",
            is_destructive: false,
        }),
    };
    type Args = NoArgs;
    type Response = Retried;

    async fn run(hub: &Hub, caller: &Caller, on: OnTask, _: NoArgs) -> Result<Retried, Error> {
        let old = on.task_id()?;
        let stamp = Stamp::new(hub);
        let caller = caller.clone();
        hub.store_for(&caller)
            .write(move |tx| {
                let command = Command::Retry { new_task_id: stamp.new_task_id.clone() };
                let new = match operation::act(tx, &stamp, &caller, &on.place, Some(&old), &command) {
                    Ok(done) => done.transition.task_id,
                    Err(Error::Refused(Refusal::AlreadyRetried { retried_to })) => retried_to,
                    Err(error) => return Err(error),
                };
                Ok(Retried { ok: true, task_id: new.clone(), retry_of: old.clone(), retried_to: new })
            })
            .await
    }
}
