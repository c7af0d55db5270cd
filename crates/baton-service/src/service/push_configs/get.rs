//! Shows one receiver of the caller's own.

use baton_core::{Caller, Refusal, TaskAction, TaskId};

use super::PushView;
use crate::hub::Hub;
use crate::service::Error;

pub async fn run(hub: &Hub, caller: &Caller, task: &str, config_id: &str) -> Result<PushView, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let (caller, config_id) = (caller.clone(), config_id.to_owned());
    let found = hub.store_for(&caller).read(move |rows| -> Result<_, Error> {
        super::task(rows, &caller, &task, &[TaskAction::Read])?;
        super::own(rows, &caller, &task, &config_id)
    });
    Ok(found.await?.ok_or(Refusal::TaskNotFound)?.into())
}
