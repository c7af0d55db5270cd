//! Removes a receiver of the caller's own. One that is not there, or not the caller's, is gone already.

use baton_core::{Caller, Refusal, TaskAction, TaskId};

use crate::hub::Hub;
use crate::service::Error;

pub async fn run(hub: &Hub, caller: &Caller, task: &str, config_id: &str) -> Result<(), Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let (caller, config_id) = (caller.clone(), config_id.to_owned());
    hub.store_for(&caller)
        .write(move |tx| -> Result<_, Error> {
            super::task(tx.as_snapshot(), &caller, &task, &[TaskAction::Notify])?;
            if super::own(tx.as_snapshot(), &caller, &task, &config_id)?.is_some() {
                tx.delete_push_config(&task, &config_id)?;
            }
            Ok(())
        })
        .await
}
