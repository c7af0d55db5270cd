//! Removes a worker that has stopped.

use baton_core::Caller;
use baton_store::Transaction;
use serde::Serialize;
use utoipa::ToSchema;

use super::Worker;
use crate::hub::Hub;
use crate::service::Error;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkerRemoved)]
pub(crate) struct Answer {
    ok: bool,
    /// False if the agent had no such worker
    removed: bool,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller, worker_id: String) -> Result<Answer, Error> {
    let worker = Worker::read(caller, worker_id)?;
    let remove = move |tx: &mut dyn Transaction| -> Result<bool, Error> {
        worker.authorize(tx.as_snapshot())?;
        Ok(tx.remove_worker(&worker.node.network_id, &worker.alias, &worker.id)?)
    };
    let removed = hub.store_for(caller).write(remove).await?;
    Ok(Answer { ok: true, removed })
}
