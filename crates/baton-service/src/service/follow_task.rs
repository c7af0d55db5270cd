//! Following one task: what happened to it since a place in its course, in one state of the database. A place is the last
//! event, the last progress after it and how much of the output was sent; a client that comes back with it misses nothing that
//! is kept.

use baton_core::{Caller, NetworkId, Status, TaskId};
use baton_store::Snapshot;
use baton_store::rows::{OutputRow, ProgressRow};
use serde::Serialize;
use std::fmt;

use super::task_view::ProgressView;
use super::wire_time::WireTime;
use super::{Error, audit, get_task};
use crate::hub::Hub;

/// How far a follower has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskPosition {
    event: i64,
    /// Of which event the progress is, and its number.
    progress: (i64, i64),
    /// How many bytes of the output.
    written: i64,
}

/// Something that happens to a task, as a stream sends it.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TaskUpdate {
    Status {
        task_id: TaskId,
        status: Status,
        /// Its number within the task.
        event: i64,
        detail: String,
        at: WireTime,
    },
    Progress {
        task_id: TaskId,
        #[serde(flatten)]
        progress: ProgressView,
    },
    Output {
        task_id: TaskId,
        /// Where the text begins, in bytes of all that was printed: a gap says that more was printed than is kept.
        offset: i64,
        text: String,
    },
}

/// What is new, each with the place that it leads to.
#[derive(Debug)]
pub struct TaskUpdates {
    pub told: Vec<(TaskPosition, TaskUpdate)>,
    pub has_ended: bool,
}

impl TaskPosition {
    /// Reads a place as it is printed.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<i64> = text.trim().split('.').map(|n| n.parse().ok()).collect::<Option<_>>()?;
        let [event, of, n, written] = *numbers else { return None };
        let is_place = [event, of, n, written].iter().all(|n| *n >= 0);
        is_place.then_some(Self { event, progress: (of, n), written })
    }
}

impl fmt::Display for TaskPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { event, progress: (of, n), written } = self;
        write!(f, "{event}.{of}.{n}.{written}")
    }
}

/// Whether the caller may follow a task, and the network it is in.
pub async fn open(hub: &Hub, caller: &Caller, task: &TaskId) -> Result<NetworkId, Error> {
    let (asker, id) = (caller.clone(), task.clone());
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        let (row, is_audited) = get_task::visible(rows, &asker, &id)?;
        Ok((row.snapshot.network_id, is_audited))
    });
    let (network, is_audited) = read.await?;
    if is_audited {
        audit::network_read(hub, caller, network.clone(), "task").await?;
    }
    Ok(network)
}

/// Whether somebody who follows a task still may.
pub async fn check_visible(hub: &Hub, caller: &Caller, task: &TaskId) -> Result<(), Error> {
    let (asker, id) = (caller.clone(), task.clone());
    hub.store_for(caller).read(move |rows| get_task::visible(rows, &asker, &id).map(drop)).await
}

/// What is new since a place; without one, how the task stands and the output that is kept.
pub async fn read(
    hub: &Hub,
    caller: &Caller,
    task: &TaskId,
    since: Option<TaskPosition>,
) -> Result<TaskUpdates, Error> {
    let id = task.clone();
    hub.store_for(caller).read(move |rows| news(rows, &id, since)).await
}

fn news(rows: &dyn Snapshot, id: &TaskId, since: Option<TaskPosition>) -> Result<TaskUpdates, Error> {
    let course = rows.task_course(id)?.ok_or(baton_core::Refusal::TaskNotFound)?;
    let fresh: Vec<_> = match since {
        Some(place) => rows.task_history_after(id, place.event)?,
        None => rows.last_event(id)?.into_iter().collect(),
    };
    let mut place = since.unwrap_or_default();
    let has_ended = course.status.is_terminal();
    let mut told = Vec::new();
    let statuses = fresh.into_iter().map(|event| {
        let at = WireTime(event.created_at);
        let (status, n, detail) = (event.to_status, event.n, event.detail);
        (n, TaskUpdate::Status { task_id: id.clone(), status, event: n, detail, at })
    });
    let mut statuses: Vec<_> = statuses.collect();
    // Nothing follows the end.
    let end = if has_ended { statuses.pop() } else { None };
    for (n, status) in statuses {
        place.event = n;
        told.push((place, status));
    }
    if let Some(progress) = course.progress.filter(|progress| of_progress(progress) > place.progress) {
        place.progress = of_progress(&progress);
        told.push((place, TaskUpdate::Progress { task_id: id.clone(), progress: progress.into() }));
    }
    let output = rows.task_output_after(id, place.written)?;
    if let Some((offset, text)) = output.and_then(|output| rest(output, place.written)) {
        place.written = offset + text.len() as i64;
        told.push((place, TaskUpdate::Output { task_id: id.clone(), offset, text }));
    }
    if let Some((n, status)) = end {
        place.event = n;
        told.push((place, status));
    }
    Ok(TaskUpdates { told, has_ended })
}

const fn of_progress(progress: &ProgressRow) -> (i64, i64) {
    (progress.event, progress.n)
}

/// What was printed after so many bytes, as far as it is kept, and where it begins.
fn rest(output: OutputRow, told: i64) -> Option<(i64, String)> {
    let OutputRow { written, mut tail } = output;
    let begin = written - tail.len() as i64;
    let skipped = usize::try_from(told - begin).unwrap_or(0).min(tail.len());
    // A place that somebody made up may stand within a character.
    let skipped = tail.ceil_char_boundary(skipped);
    tail.drain(..skipped);
    (!tail.is_empty()).then_some((begin + skipped as i64, tail))
}
