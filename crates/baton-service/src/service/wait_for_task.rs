//! Wait for several tasks at once: until one of them, or all, have ended or ask for input.

use baton_core::{Caller, Refusal, Status, TaskId, limits};
use baton_store::rows::TaskRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use utoipa::ToSchema;

use super::listed_text::ListedText;
use super::task_wait::{self, ProgressSink, TaskWait, WaitMode};
use super::{Error, WireTime, audit, get_task, permit};
use crate::hub::Hub;
use crate::hub::in_flight::ResponseReservation;

/// Which tasks, and how many of them.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The tasks' ids
    #[schemars(length(min = 1, max = limits::CALL_WAIT_TASKS_MAX_COUNT))]
    task_ids: Vec<String>,
    /// Whether one of them is enough; all by default
    until: Option<UntilName>,
    /// How long to wait; 50 by default
    #[schemars(range(min = 0, max = limits::CALL_WAIT_MAX_SECONDS))]
    wait_seconds: Option<i64>,
}

/// How many tasks are waited for.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum UntilName {
    Any,
    All,
}

/// The tasks as they are when the wait is over.
#[derive(Debug, Serialize, ToSchema)]
pub struct TasksWaitedFor {
    ok: bool,
    /// Whether one, or all, have ended or ask for input.
    done: bool,
    /// In the order they were named.
    tasks: Vec<WaitedTask>,
}

/// How one task stands, in a few words; `get_task` has all of it, also the question of one that asks for input.
#[derive(Debug, Serialize, ToSchema)]
struct WaitedTask {
    task_id: TaskId,
    to_name: String,
    status: Status,
    /// Whether it has ended.
    ended: bool,
    result: Option<String>,
    /// If `result` is only the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    result_truncated: bool,
    completed_at: Option<WireTime>,
}

impl From<TaskRow> for WaitedTask {
    fn from(row: TaskRow) -> Self {
        let result = row.result.map(|result| ListedText::new(result, limits::LISTED_RESULT_MAX_CHARS));
        let task = row.snapshot;
        Self {
            task_id: task.id,
            to_name: task.to.to_string(),
            status: task.status,
            ended: task.status.is_terminal(),
            result_truncated: result.as_ref().is_some_and(|result| result.is_cut),
            result: result.map(|result| result.text),
            completed_at: row.completed_at.map(WireTime),
        }
    }
}

/// Waits, and answers how the tasks stand. One out of sight is one that does not exist, and then nothing is waited for.
pub async fn run(
    hub: &Hub,
    caller: &Caller,
    args: Args,
    share: &ResponseReservation,
    progress: &ProgressSink,
) -> Result<TasksWaitedFor, Error> {
    let seconds = args.wait_seconds.unwrap_or_else(|| limits::WAIT_MAX_SECONDS.into());
    let wait = task_wait::seconds(Some(seconds))?;
    let ids = ids(&args.task_ids)?;
    let how_many = match args.until {
        Some(UntilName::Any) => WaitMode::Any,
        Some(UntilName::All) | None => WaitMode::All,
    };
    if let Some(wait) = TaskWait::begin(hub, caller, wait)? {
        wait.until_several(hub, caller, &ids, how_many, progress).await?;
    }
    share.reserve(hub).await?;
    let tasks = read_tasks(hub, caller, ids).await?;
    let settled = tasks.iter().filter(|task| task_wait::is_settled(task.status)).count();
    Ok(TasksWaitedFor { ok: true, done: how_many.is_reached(settled, tasks.len()), tasks })
}

/// The ids, each once.
fn ids(names: &[String]) -> Result<Vec<TaskId>, Error> {
    if names.is_empty() || names.len() > limits::CALL_WAIT_TASKS_MAX_COUNT {
        let rule = format!("must be 1 to {} ids", limits::CALL_WAIT_TASKS_MAX_COUNT);
        return Err(Error::argument("task_ids", rule));
    }
    let mut seen = BTreeSet::new();
    let mut ids = Vec::with_capacity(names.len());
    for name in names {
        let id = TaskId::parse(name).ok_or(Refusal::TaskNotFound)?;
        if seen.insert(id.clone()) {
            ids.push(id);
        }
    }
    Ok(ids)
}

async fn read_tasks(hub: &Hub, caller: &Caller, ids: Vec<TaskId>) -> Result<Vec<WaitedTask>, Error> {
    let asker = caller.clone();
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        permit::token_stands(rows, &asker)?;
        let (mut tasks, mut audited) = (Vec::new(), BTreeSet::new());
        for id in &ids {
            let (task, is_audited) = get_task::visible(rows, &asker, id)?;
            if is_audited {
                audited.insert(task.snapshot.network_id.clone());
            }
            // Cut one by one: their whole texts are never in memory together.
            tasks.push(WaitedTask::from(task));
        }
        Ok((tasks, audited))
    });
    let (tasks, audited) = read.await?;
    for network in audited {
        audit::network_read(hub, caller, network, "task").await?;
    }
    Ok(tasks)
}
