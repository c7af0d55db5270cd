//! Lists the caller's own receivers of a task; a task has few.

use baton_core::{Caller, Refusal, TaskAction, TaskId};

use super::PushView;
use crate::hub::Hub;
use crate::service::Error;

pub async fn run(hub: &Hub, caller: &Caller, task: &str) -> Result<Vec<PushView>, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let caller = caller.clone();
    let found = hub.store_for(&caller).read(move |rows| -> Result<_, Error> {
        super::task(rows, &caller, &task, &[TaskAction::Read])?;
        let owner = caller.principal()?;
        let mut configs = rows.push_configs(&task)?;
        configs.retain(|config| config.owner == owner);
        Ok(configs)
    });
    Ok(found.await?.into_iter().map(PushView::from).collect())
}
