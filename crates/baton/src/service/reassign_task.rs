//! Give an open task to another agent.

use baton_core::{Alias, Caller, Command, Refusal, TaskId, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::Place;
use super::stamp::Stamp;
use super::{Error, names, operation};
use crate::hub::Hub;

/// Which task, and to whom.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Args {
    task_id: String,
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    new_alias: String,
    network_id: Option<String>,
}

/// The body of `POST /api/tasks/:id/reassign`.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Reassign)]
pub(crate) struct PathArgs {
    pub(crate) new_alias: String,
}

/// Who had it and who has it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Reassigned)]
pub(crate) struct Answer {
    ok: bool,
    task_id: TaskId,
    reassigned_from: Alias,
    reassigned_to: Alias,
}

/// Reassigns, by the tool's arguments.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let place = Place::of_task_call(args.network_id.as_deref());
    reassign(hub, caller, place, &args.task_id, &args.new_alias).await
}

/// Reassigns the task in the path.
pub(crate) async fn run_on_path(
    hub: &Hub,
    caller: &Caller,
    task: &str,
    args: PathArgs,
) -> Result<Answer, Error> {
    reassign(hub, caller, Place::TheTasks, task, &args.new_alias).await
}

async fn reassign(hub: &Hub, caller: &Caller, place: Place, task: &str, to: &str) -> Result<Answer, Error> {
    let new_alias = names::alias(to)?;
    let task_id = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let command = Command::Reassign { new_alias: new_alias.clone() };
            let done = operation::act(tx, &stamp, &caller, &place, Some(&task_id), &command)?;
            // Whoever had it and follows it may no longer see it.
            tx.touch_access();
            Ok(Answer {
                ok: true,
                task_id: task_id.clone(),
                reassigned_from: done.before.to,
                reassigned_to: new_alias.clone(),
            })
        })
        .await
}
