//! A task with what belongs to it, in one state of the database: what was said on it, its history, its artifacts.
//! What doors that tell a task's whole story, A2A, are given.

use baton_core::{Caller, Refusal, Status, TaskId};
use baton_store::Snapshot;
use baton_store::rows::{EventRow, TaskMessageRow, TaskRow};
use serde_json::Value;

use super::agent::AgentAddress;
use super::{Error, audit, get_task};
use crate::hub::Hub;

/// A task and what belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct TaskRecord {
    pub(crate) row: TaskRow,
    /// What was said on it, oldest first.
    pub(crate) messages: Vec<TaskMessageRow>,
    /// Its history, oldest first; never empty.
    pub(crate) history: Vec<EventRow>,
    /// What was reported with its completion.
    pub(crate) artifacts: Vec<Value>,
}

/// A task of an agent that the caller may see. Every other is one that does not exist.
pub(crate) async fn read(
    hub: &Hub,
    caller: &Caller,
    agent: &AgentAddress,
    id: &str,
) -> Result<TaskRecord, Error> {
    agent.check_reach(caller)?;
    let id = TaskId::parse(id).ok_or(Refusal::TaskNotFound)?;
    let (asker, agent) = (caller.clone(), agent.clone());
    let (record, is_audited) = hub.store.read(move |rows| find(rows, &asker, &agent, &id)).await?;
    if is_audited {
        audit::network_read(hub, caller, record.row.snapshot.network_id.clone(), "task").await?;
    }
    Ok(record)
}

/// The same again, for somebody who waits and has been allowed to look.
pub(crate) async fn read_again(hub: &Hub, id: &TaskId) -> Result<TaskRecord, Error> {
    let id = id.clone();
    hub.store.read(move |rows| whole(rows, rows.task(&id)?.ok_or(Refusal::TaskNotFound)?)).await
}

/// Where a task stands, for somebody who waits and has been allowed to look.
pub(crate) async fn status(hub: &Hub, id: &TaskId) -> Result<Status, Error> {
    let id = id.clone();
    hub.store.read(move |rows| Ok(rows.task_snapshot(&id)?.ok_or(Refusal::TaskNotFound)?.status)).await
}

fn find(
    rows: &dyn Snapshot,
    caller: &Caller,
    agent: &AgentAddress,
    id: &TaskId,
) -> Result<(TaskRecord, bool), Error> {
    let (row, is_audited) = get_task::visible(rows, caller, id).map_err(|error| match error {
        // An agent that is no party to it has never heard of it.
        Error::Refused(Refusal::PermissionDenied) => Refusal::TaskNotFound.into(),
        error => error,
    })?;
    let task = &row.snapshot;
    // Whoever sent it still finds it where it was sent when another agent was given it.
    let is_here = task.to == agent.alias || caller.principal().is_ok_and(|caller| caller == task.from);
    if task.network_id != agent.network_id || !is_here {
        return Err(Refusal::TaskNotFound.into());
    }
    Ok((whole(rows, row)?, is_audited))
}

/// All of a task.
fn whole(rows: &dyn Snapshot, row: TaskRow) -> Result<TaskRecord, Error> {
    let messages = rows.task_messages(&row.snapshot.network_id, &row.snapshot.id)?;
    let history = rows.task_history(&row.snapshot.id)?;
    record(rows, row, messages, history, true)
}

/// What a list shows of a task.
pub(super) fn listed(
    rows: &dyn Snapshot,
    row: TaskRow,
    with_messages: bool,
    with_artifacts: bool,
) -> Result<TaskRecord, Error> {
    let task = &row.snapshot;
    // A question is shown with the task that waits for its answer.
    let messages = match with_messages || task.status == Status::WaitingInput {
        true => rows.task_messages(&task.network_id, &task.id)?,
        false => Vec::new(),
    };
    let history = rows.last_event(&task.id)?.into_iter().collect();
    record(rows, row, messages, history, with_artifacts)
}

fn record(
    rows: &dyn Snapshot,
    row: TaskRow,
    messages: Vec<TaskMessageRow>,
    history: Vec<EventRow>,
    with_artifacts: bool,
) -> Result<TaskRecord, Error> {
    let task = &row.snapshot;
    if history.is_empty() {
        return Err(baton_store::Error::Corrupt(format!("task {} has no history", task.id)).into());
    }
    let artifacts = match row.completed_at.filter(|_| with_artifacts && task.status == Status::Replied) {
        Some(at) => rows.artifacts_of(&task.network_id, &task.id, at)?,
        None => None,
    };
    let artifacts = artifacts.map_or(Ok(Vec::new()), |artifacts| {
        serde_json::from_str(&artifacts)
            .map_err(|error| baton_store::Error::Corrupt(format!("artifacts: {error}")))
    })?;
    Ok(TaskRecord { row, messages, history, artifacts })
}
