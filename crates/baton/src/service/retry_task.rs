//! Make a new task of one that ended without an answer. The old one stays as it is.

use baton_core::{Caller, Command, Refusal, TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::Place;
use super::stamp::Stamp;
use super::{Error, operation};
use crate::hub::Hub;

/// Which task.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Args {
    task_id: String,
    network_id: Option<String>,
}

/// The new task.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Retried)]
pub(crate) struct Answer {
    ok: bool,
    task_id: TaskId,
    retry_of: TaskId,
    retried_to: TaskId,
}

/// Retries, by the tool's arguments.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    retry(hub, caller, Place::of_task_call(args.network_id.as_deref()), &args.task_id).await
}

/// Retries the task in the path.
pub(crate) async fn run_on_path(hub: &Hub, caller: &Caller, task: &str) -> Result<Answer, Error> {
    retry(hub, caller, Place::TheTasks, task).await
}

async fn retry(hub: &Hub, caller: &Caller, place: Place, task: &str) -> Result<Answer, Error> {
    let old = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let command = Command::Retry { new_task_id: stamp.new_task_id.clone() };
            let new = match operation::act(tx, &stamp, &caller, &place, Some(&old), &command) {
                Ok(done) => done.transition.task_id,
                // The second retry gets the first one's task.
                Err(Error::Refused(Refusal::AlreadyRetried { retried_to })) => retried_to,
                Err(error) => return Err(error),
            };
            Ok(Answer { ok: true, task_id: new.clone(), retry_of: old.clone(), retried_to: new })
        })
        .await
}
