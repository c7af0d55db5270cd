//! Say that a task was seen, by the task.

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

/// Whether it changed anything.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Acked)]
pub(crate) struct Answer {
    ok: bool,
    task_id: TaskId,
    updated: u8,
}

/// Acks, by the tool's arguments.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    ack(hub, caller, Place::of_task_call(args.network_id.as_deref()), &args.task_id).await
}

/// Acks the task in the path.
pub(crate) async fn run_on_path(hub: &Hub, caller: &Caller, task: &str) -> Result<Answer, Error> {
    ack(hub, caller, Place::TheTasks, task).await
}

async fn ack(hub: &Hub, caller: &Caller, place: Place, task: &str) -> Result<Answer, Error> {
    let task_id = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let done = operation::act(tx, &stamp, &caller, &place, Some(&task_id), &Command::Ack);
            let updated = match done {
                Ok(done) => done.transition.is_move(),
                // Seen before, or ended: nothing to do is no fault.
                Err(Error::Refused(Refusal::MessageNotOpen)) => false,
                Err(error) => return Err(error),
            };
            Ok(Answer { ok: true, task_id: task_id.clone(), updated: updated.into() })
        })
        .await
}
