//! Give an open task to another agent.

use baton_core::{Alias, Caller, Command, TaskId, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::stamp::Stamp;
use super::task_command::{About, BodyRule, OnTask, TaskCommand, ToolAbout};
use super::{Error, names, operation};
use crate::hub::Hub;

/// The body of `POST /api/tasks/:id/reassign`.
#[derive(Debug, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = Reassign)]
pub struct Args {
    /// The agent that gets it
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    pub new_alias: String,
}

/// Who had it and who has it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reassigned {
    ok: bool,
    task_id: TaskId,
    reassigned_from: Alias,
    reassigned_to: Alias,
}

/// Give a task to another agent.
#[derive(Debug)]
pub struct ReassignTask;

impl TaskCommand for ReassignTask {
    const ABOUT: About = About {
        verb: "reassign",
        operation_id: "reassign_task",
        summary: "Reassign a task to another agent",
        details: "Members of the task's network, and the nodes that are party to it.",
        done: "given",
        conflict: None,
        body: BodyRule::Open,
        is_repeatable: false,
        tool: Some(ToolAbout {
            name: "reassign_task",
            title: "Reassign a task",
            description: "Reassign a task that has not ended to another agent.",
            is_destructive: true,
        }),
    };
    type Args = Args;
    type Response = Reassigned;

    async fn run(hub: &Hub, caller: &Caller, on: OnTask, args: Args) -> Result<Reassigned, Error> {
        let new_alias = names::alias(&args.new_alias)?;
        let task_id = on.task_id()?;
        let stamp = Stamp::new(hub);
        let caller = caller.clone();
        hub.store_for(&caller)
            .write(move |tx| {
                let command = Command::Reassign { new_alias: new_alias.clone() };
                let done = operation::act(tx, &stamp, &caller, &on.place, Some(&task_id), &command)?;
                // The previous assignee, if it follows the task, may no longer see it.
                tx.touch_access();
                Ok(Reassigned {
                    ok: true,
                    task_id: task_id.clone(),
                    reassigned_from: done.before.to,
                    reassigned_to: new_alias.clone(),
                })
            })
            .await
    }
}
