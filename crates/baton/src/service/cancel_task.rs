//! Call a task off.

use baton_core::{Caller, Command, Reason, Refusal, TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::Place;
use super::stamp::Stamp;
use super::{Error, operation};
use crate::hub::Hub;

/// Which task, and why.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Args {
    task_id: String,
    #[schemars(length(max = 1000))]
    reason: Option<String>,
    network_id: Option<String>,
}

/// The body of `POST /api/tasks/:id/cancel`.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Cancel)]
pub(crate) struct PathArgs {
    #[schema(max_length = 1000)]
    pub(crate) reason: Option<String>,
}

/// Whether it was called off. A task that has ended, or is not there, is answered and not an error.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Cancelled)]
pub(crate) struct Answer {
    ok: bool,
    task_id: String,
    cancelled: bool,
    /// Why not, for doors that tell the cases apart.
    #[serde(skip)]
    pub(crate) refusal: Option<Refusal>,
}

/// Cancels, by the tool's arguments.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let place = Place::of_task_call(args.network_id.as_deref());
    cancel(hub, caller, place, args.task_id, args.reason).await
}

/// Cancels the task in the path.
pub(crate) async fn run_on_path(
    hub: &Hub,
    caller: &Caller,
    task: String,
    args: PathArgs,
) -> Result<Answer, Error> {
    cancel(hub, caller, Place::TheTasks, task, args.reason).await
}

async fn cancel(
    hub: &Hub,
    caller: &Caller,
    place: Place,
    task: String,
    reason: Option<String>,
) -> Result<Answer, Error> {
    let reason =
        reason.map(|reason| Reason::parse("reason", &reason)).transpose().map_err(Error::of_argument)?;
    let task_id = TaskId::parse(&task);
    let command = Command::Cancel { reason };
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    let done = hub
        .store_for(&caller)
        .write(move |tx| operation::act(tx, &stamp, &caller, &place, task_id.as_ref(), &command).map(|_| ()))
        .await;
    match done {
        Ok(()) => Ok(Answer { ok: true, task_id: task, cancelled: true, refusal: None }),
        Err(Error::Refused(refusal @ (Refusal::TaskIsTerminal { .. } | Refusal::TaskNotFound))) => {
            Ok(Answer { ok: false, task_id: task, cancelled: false, refusal: Some(refusal) })
        }
        Err(error) => Err(error),
    }
}
