//! A task with what belongs to it, in one state of the database: its messages, its history, its artifacts.
//! For doors that show a whole task, such as A2A. Only as many messages are read as are shown.

use baton_core::{Caller, Refusal, Status, TaskId, TaskSnapshot};
use baton_store::Snapshot;
use baton_store::Tenant;
use baton_store::rows::{ArtifactRefRow, EventRow, PageBounds, TaskMessageRow, TaskRow, text_bytes};
use serde_json::Value;

use super::agent::AgentAddress;
use super::artifacts::inline::Files;
use super::task_view::answer_bytes;
use super::{Error, audit, get_task};
use crate::hub::Hub;

/// A task and what belongs to it.
#[derive(Debug, Clone)]
pub struct TaskRecord {
    pub row: TaskRow,
    /// The newest messages on it, oldest first; as many as were requested.
    pub messages: Vec<TaskMessageRow>,
    /// Its history, oldest first; never empty.
    pub history: Vec<EventRow>,
    /// What its agent asked, each with the number of the event that parked the task.
    pub questions: Vec<(i64, TaskMessageRow)>,
    /// What was reported with its completion.
    pub artifacts: Vec<Value>,
    /// What it, its messages and its reply refer to, and what its agent shared, in order.
    pub refs: Vec<ArtifactRefRow>,
    /// The bytes of those that are shown in place.
    pub files: Files,
}

/// How much of a task's story is read.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// The newest so many messages.
    messages: usize,
    /// As it stood at this event, with the questions from there on; none is as it stands.
    at: Option<i64>,
}

impl Extent {
    /// The task as it is, with so many messages at most.
    pub const fn now(messages: usize) -> Self {
        Self { messages, at: None }
    }

    /// The task as it stood at an event, with so many messages at most.
    pub const fn at(event: i64, messages: usize) -> Self {
        Self { messages, at: Some(event) }
    }

    /// What is notified of this event and those after it: no messages but the questions.
    pub const fn told_from(event: i64) -> Self {
        Self::at(event, 0)
    }
}

/// A task of an agent that the caller may see. Every other is one that does not exist.
pub async fn read(
    hub: &Hub,
    caller: &Caller,
    agent: &AgentAddress,
    id: &str,
    extent: Extent,
) -> Result<TaskRecord, Error> {
    agent.check_reach(caller)?;
    let id = TaskId::parse(id).ok_or(Refusal::TaskNotFound)?;
    let (asker, agent) = (caller.clone(), agent.clone());
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        let (row, is_audited) = visible(rows, &asker, &agent, &id)?;
        Ok((whole(rows, row, extent)?, is_audited))
    });
    let (mut record, is_audited) = read.await?;
    record.load_files(hub).await;
    if is_audited {
        audit::network_read(hub, caller, record.row.snapshot.network_id.clone(), "task").await?;
    }
    Ok(record)
}

/// The same again, for somebody who waits and has been allowed to look.
pub async fn read_again(
    hub: &Hub,
    store: Tenant<'_>,
    id: &TaskId,
    extent: Extent,
) -> Result<TaskRecord, Error> {
    let id = id.clone();
    let read = store.read(move |rows| whole(rows, rows.task(&id)?.ok_or(Refusal::TaskNotFound)?, extent));
    let mut record: TaskRecord = read.await?;
    record.load_files(hub).await;
    Ok(record)
}

/// Whether somebody who waits and was allowed to look still is. What was recorded of the look stands.
pub async fn check_visible(
    hub: &Hub,
    caller: &Caller,
    agent: &AgentAddress,
    id: &TaskId,
) -> Result<(), Error> {
    agent.check_reach(caller)?;
    let (asker, agent, id) = (caller.clone(), agent.clone(), id.clone());
    hub.store_for(caller).read(move |rows| visible(rows, &asker, &agent, &id).map(drop)).await
}

/// Where a task stands, for somebody who waits and has been allowed to look.
pub async fn status(store: Tenant<'_>, id: &TaskId) -> Result<Status, Error> {
    let id = id.clone();
    store.read(move |rows| Ok(rows.task_snapshot(&id)?.ok_or(Refusal::TaskNotFound)?.status)).await
}

/// A task of this agent that the caller may see, and whether that is to be recorded.
fn visible(
    rows: &dyn Snapshot,
    caller: &Caller,
    agent: &AgentAddress,
    id: &TaskId,
) -> Result<(TaskRow, bool), Error> {
    let (row, is_audited) = get_task::visible(rows, caller, id).map_err(|error| match error {
        // For an agent that is not a party to it, it does not exist.
        Error::Refused(Refusal::PermissionDenied) => Refusal::TaskNotFound.into(),
        error => error,
    })?;
    let task = &row.snapshot;
    // Its sender still finds it where it was sent when it was reassigned to another agent.
    let is_here = task.to == agent.alias || caller.principal().is_ok_and(|caller| caller == task.from);
    if task.network_id != agent.network_id || !is_here {
        return Err(Refusal::TaskNotFound.into());
    }
    Ok((row, is_audited))
}

/// A task with its whole history, and its messages as requested.
fn whole(rows: &dyn Snapshot, row: TaskRow, extent: Extent) -> Result<TaskRecord, Error> {
    let task = &row.snapshot;
    let history = rows.task_history(&task.id)?;
    let last = history.last().map(|event| event.n);
    // A reader of the current task also needs the messages after its last event.
    let until = extent.at.filter(|at| Some(*at) != last);
    let until = until.and_then(|at| history.iter().find(|event| event.n == at)).map(|event| event.created_at);
    let messages = match extent.messages {
        0 => Vec::new(),
        most => rows.newest_task_messages(&task.network_id, &task.id, until, PageBounds::rows(most))?,
    };
    let told = extent.at.or(last).unwrap_or_default();
    let questions = questions(rows, task, history.iter().filter(|event| event.n >= told))?;
    // A reader that continues from an event needs no files of those before it.
    let files_from = extent.at.filter(|_| extent.messages == 0);
    record(rows, row, (messages, questions), history, Some(files_from.unwrap_or_default()))
}

/// What a list shows of a task: its newest messages within these bounds, none if none are wanted.
pub(super) fn listed(
    rows: &dyn Snapshot,
    row: TaskRow,
    messages: PageBounds,
    with_artifacts: bool,
) -> Result<TaskRecord, Error> {
    let task = &row.snapshot;
    let messages = match messages.rows {
        0 => Vec::new(),
        _ => rows.newest_task_messages(&task.network_id, &task.id, None, messages)?,
    };
    let history: Vec<_> = rows.last_event(&task.id)?.into_iter().collect();
    let questions = questions(rows, task, history.iter())?;
    let shows_files = with_artifacts || !messages.is_empty();
    let mut record = record(rows, row, (messages, questions), history, shows_files.then_some(0))?;
    if !with_artifacts {
        record.artifacts.clear();
    }
    Ok(record)
}

/// What was asked when a task was parked.
fn questions<'a>(
    rows: &dyn Snapshot,
    task: &TaskSnapshot,
    events: impl Iterator<Item = &'a EventRow>,
) -> Result<Vec<(i64, TaskMessageRow)>, Error> {
    let mut found = Vec::new();
    for event in events.filter(|event| event.to_status == Status::WaitingInput) {
        let question = rows.newest_question(&task.network_id, &task.id, Some(event.created_at))?;
        found.extend(question.map(|question| (event.n, question)));
    }
    Ok(found)
}

/// Puts it together, with the artifacts if they are wanted, and the files of those that came with this event or later.
fn record(
    rows: &dyn Snapshot,
    row: TaskRow,
    (messages, questions): (Vec<TaskMessageRow>, Vec<(i64, TaskMessageRow)>),
    history: Vec<EventRow>,
    files_from: Option<i64>,
) -> Result<TaskRecord, Error> {
    let task = &row.snapshot;
    if history.is_empty() {
        return Err(baton_store::Error::Corrupt(format!("task {} has no history", task.id)).into());
    }
    let Some(first) = files_from else {
        let (artifacts, refs, files) = Default::default();
        return Ok(TaskRecord { row, messages, history, questions, artifacts, refs, files });
    };
    let (artifacts, refs) = (artifacts(rows, &row)?, super::artifacts::of_task(rows, &row)?);
    let late =
        refs.iter().filter(|row| first == 0 || row.reference.event.is_some_and(|event| event >= first));
    let files = Files::find(rows, &task.network_id, late)?;
    Ok(TaskRecord { row, messages, history, questions, artifacts, refs, files })
}

/// What was reported with a task's completion.
pub(super) fn artifacts(rows: &dyn Snapshot, row: &TaskRow) -> Result<Vec<Value>, Error> {
    let task = &row.snapshot;
    let artifacts = match row.completed_at.filter(|_| task.status == Status::Replied) {
        Some(at) => rows.artifacts_of(&task.network_id, &task.id, at)?,
        None => None,
    };
    let read = |artifacts: String| {
        serde_json::from_str(&artifacts)
            .map_err(|error| baton_store::Error::Corrupt(format!("artifacts: {error}")))
    };
    Ok(artifacts.map(read).transpose()?.unwrap_or_default())
}

impl TaskRecord {
    /// Reads the files that are shown in place.
    pub(super) async fn load_files(&mut self, hub: &Hub) {
        if !self.refs.is_empty() {
            self.files.load(hub, &self.row.snapshot.network_id).await;
        }
    }

    /// How large it is in an answer, about: its texts as JSON.
    pub(super) fn bytes(&self) -> usize {
        let json = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let said = |said: &TaskMessageRow| {
            text_bytes(&said.content) + json(&said.options) + json(&said.parts) + json(&said.meta)
        };
        let questions = self.questions.iter().map(|(_, question)| said(question)).sum::<usize>();
        let artifacts = self.artifacts.iter().map(|artifact| artifact.to_string().len()).sum::<usize>();
        answer_bytes(&self.row, &self.messages, &self.refs) + questions + artifacts + self.files.bytes_shown()
    }
}
