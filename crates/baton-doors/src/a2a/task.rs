//! A task as the protocol shows it, now or as it was at one of its events, and what each event adds to a stream. The one
//! place where the hub's words for a task become A2A's.

use a2a_types::{Message, Part, Role, StreamResponse, Task, TaskState, TaskStatus, TaskStatusUpdateEvent};
use baton_core::{ArtifactSource, Status, UnixMillis};
use baton_store::rows::{ArtifactRefRow, EventRow, ProgressRow, TaskMessageRow};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::artifact;
use super::message::Envelope;
use crate::service::agent_tasks::Standing;
use crate::service::question;
use crate::service::task_record::TaskRecord;

/// How much of a task is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    /// The newest so many messages.
    pub(super) history: usize,
    pub(super) artifacts: bool,
}

/// Where the task stood at one of its events, in the protocol's words. [`standing`] is the same table the other way round.
fn state_at(record: &TaskRecord, event: &EventRow) -> TaskState {
    match event.to_status {
        Status::Delivered | Status::Acked if has_begun(record, event) => TaskState::Working,
        Status::Delivered | Status::Acked => TaskState::Submitted,
        Status::Running => TaskState::Working,
        Status::WaitingInput if question_at(record, event).is_some_and(|asked| asked.auth_required) => {
            TaskState::AuthRequired
        }
        Status::WaitingInput => TaskState::InputRequired,
        Status::Replied => TaskState::Completed,
        Status::Failed if record.row.is_rejected => TaskState::Rejected,
        Status::Failed | Status::Expired => TaskState::Failed,
        Status::Cancelled => TaskState::Canceled,
    }
}

/// Whether work on the task had begun by this event: a task that was answered, or whose worker went silent, is delivered
/// to its agent again, which is nothing new to its sender.
fn has_begun(record: &TaskRecord, event: &EventRow) -> bool {
    // A list has read only the last event, as of which the row knows.
    let is_last = record.history.last().is_some_and(|last| last.n == event.n);
    match is_last {
        true => record.row.started_at.is_some(),
        false => record.history.iter().any(|past| past.n < event.n && past.to_status == Status::Running),
    }
}

/// Which of the hub's tasks are shown as a state; no status for a state the hub does not know.
pub(super) fn standing(wanted: &TaskState) -> Standing {
    let of = |statuses: &[Status]| Standing { statuses: statuses.to_vec(), ..Standing::default() };
    match wanted {
        TaskState::Submitted => {
            Standing { has_begun: Some(false), ..of(&[Status::Delivered, Status::Acked]) }
        }
        TaskState::Working => {
            Standing { has_begun: Some(true), ..of(&[Status::Running, Status::Delivered, Status::Acked]) }
        }
        TaskState::InputRequired => Standing { auth_required: Some(false), ..of(&[Status::WaitingInput]) },
        TaskState::AuthRequired => Standing { auth_required: Some(true), ..of(&[Status::WaitingInput]) },
        TaskState::Completed => of(&[Status::Replied]),
        TaskState::Failed => Standing { is_rejected: Some(false), ..of(&[Status::Failed, Status::Expired]) },
        TaskState::Rejected => Standing { is_rejected: Some(true), ..of(&[Status::Failed]) },
        TaskState::Canceled => of(&[Status::Cancelled]),
        TaskState::Unspecified => Standing::default(),
    }
}

/// The task as it is.
pub(super) fn task(record: &TaskRecord, shown: Shown) -> Task {
    task_at(record, record.history.last(), shown)
}

/// The task as it stood at one of its events.
pub(super) fn task_at(record: &TaskRecord, event: Option<&EventRow>, shown: Shown) -> Task {
    let row = &record.row;
    let status = event.map_or(row.snapshot.status, |event| event.to_status);
    let last = event.map_or(i64::MAX, |event| event.n);
    let artifacts = shown.artifacts.then(|| artifact::at(record, last, status));
    let artifacts = artifacts.filter(|artifacts| !artifacts.is_empty());
    Task {
        id: row.snapshot.id.as_str().to_owned(),
        context_id: row.snapshot.context().as_str().to_owned(),
        status: event.map_or_else(
            || TaskStatus { state: TaskState::Submitted, message: None, timestamp: time(row.created_at) },
            |event| match progress_at(record, event) {
                Some(progress) => progress_status(record, progress),
                None => status_at(record, event),
            },
        ),
        artifacts,
        history: history(record, shown.history),
        metadata: None,
    }
}

/// What an event adds to a stream: artifacts first, so that nothing follows the end.
pub(crate) fn updates(record: &TaskRecord, event: &EventRow) -> Vec<StreamResponse> {
    let (task_id, context_id) = ids(record);
    let mut told = artifact::updates(record, event);
    // Sharing an artifact changes no status.
    if !told.is_empty() && event.from_status == Some(event.to_status) {
        return told;
    }
    told.push(StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
        task_id,
        context_id,
        status: status_at(record, event),
        metadata: None,
    }));
    told
}

/// The latest progress of a task as it stood at an event: none, once something else has happened or it does not run.
pub(super) fn progress_at<'a>(record: &'a TaskRecord, event: &EventRow) -> Option<&'a ProgressRow> {
    let is_last = record.history.last().is_some_and(|last| last.n == event.n);
    let progress = record.row.progress.as_ref().filter(|progress| progress.event == event.n);
    progress.filter(|_| is_last && event.to_status == Status::Running)
}

/// The frame of a stream for progress.
pub(super) fn progress_update(record: &TaskRecord, progress: &ProgressRow) -> StreamResponse {
    let (task_id, context_id) = ids(record);
    let status = progress_status(record, progress);
    StreamResponse::StatusUpdate(TaskStatusUpdateEvent { task_id, context_id, status, metadata: None })
}

/// A task that is worked on, and how far it is: in words, and the percentage for programs.
fn progress_status(record: &TaskRecord, progress: &ProgressRow) -> TaskStatus {
    let (task_id, context_id) = ids(record);
    let words = match (progress.percent, progress.message.as_deref()) {
        (Some(percent), Some(message)) => format!("{percent} %: {message}"),
        (Some(percent), None) => format!("{percent} %"),
        (None, message) => message.unwrap_or_default().to_owned(),
    };
    let percent = progress.percent.map(|percent| [("percent".to_owned(), Value::from(percent))].into());
    let message = Message {
        message_id: format!("{task_id}:{}.{}", progress.event, progress.n),
        context_id: Some(context_id),
        task_id: Some(task_id),
        role: Role::Agent,
        parts: vec![Part::text(words)],
        metadata: percent,
        extensions: None,
        reference_task_ids: None,
    };
    TaskStatus { state: TaskState::Working, message: Some(message), timestamp: time(progress.at) }
}

/// The answer that is a message of its own, if the task was answered so.
pub(super) fn bare_answer(record: &TaskRecord) -> Option<Message> {
    let row = &record.row;
    let event = record.history.last()?;
    (row.answered_bare && row.snapshot.status == Status::Replied).then(|| {
        // It is complete: the next message begins a new task in the same context.
        let mut answer = agents_message(record, event, row.result.clone().unwrap_or_default());
        answer.parts.extend(artifact::of_reply(record).map(|row| artifact::of_ref(record, row)));
        Message { task_id: None, ..answer }
    })
}

fn status_at(record: &TaskRecord, event: &EventRow) -> TaskStatus {
    TaskStatus {
        state: state_at(record, event),
        message: words_at(record, event),
        timestamp: time(event.created_at),
    }
}

/// What goes with a status: the question, or why it ended without a result.
fn words_at(record: &TaskRecord, event: &EventRow) -> Option<Message> {
    let row = &record.row;
    match event.to_status {
        Status::WaitingInput => question_at(record, event).map(|question| of_message(record, question)),
        Status::Failed | Status::Cancelled => {
            Some(agents_message(record, event, row.result.clone().unwrap_or_else(|| event.detail.clone())))
        }
        Status::Expired => {
            let words = "expired: the task expired before it was answered";
            Some(agents_message(record, event, words.to_owned()))
        }
        Status::Replied if row.answered_bare => {
            Some(agents_message(record, event, row.result.clone().unwrap_or_default()))
        }
        Status::Replied | Status::Delivered | Status::Acked | Status::Running => None,
    }
}

/// What was asked when the task began to wait.
fn question_at<'a>(record: &'a TaskRecord, event: &EventRow) -> Option<&'a TaskMessageRow> {
    record.questions.iter().find(|(parked, _)| *parked == event.n).map(|(_, question)| question)
}

/// Texts of the agent that are not messages of their own in the hub.
fn agents_message(record: &TaskRecord, event: &EventRow, text: String) -> Message {
    let (task_id, context_id) = ids(record);
    Message {
        message_id: format!("{task_id}:{}", event.n),
        context_id: Some(context_id),
        task_id: Some(task_id),
        role: Role::Agent,
        parts: vec![Part::text(text)],
        metadata: None,
        extensions: None,
        reference_task_ids: None,
    }
}

/// The newest messages, oldest first; none if none are wanted.
fn history(record: &TaskRecord, most: usize) -> Option<Vec<Message>> {
    if most == 0 {
        return None;
    }
    // The record has as many as are wanted. With the first there may be one too many.
    let mut messages = vec![first_message(record)];
    messages.extend(record.messages.iter().map(|message| of_message(record, message)));
    let skipped = messages.len().saturating_sub(most);
    Some(messages.split_off(skipped))
}

/// What the task was made of.
fn first_message(record: &TaskRecord) -> Message {
    let row = &record.row;
    let hubs_id = row.snapshot.id.as_str();
    let files = record.refs.iter().filter(|row| row.reference.source == ArtifactSource::Task);
    let text = (&*row.content, row.parts.as_deref());
    said(record, Role::User, hubs_id, text, files, row.meta.as_deref())
}

fn of_message(record: &TaskRecord, message: &TaskMessageRow) -> Message {
    let role = if message.author == record.row.snapshot.from { Role::User } else { Role::Agent };
    let (text, meta) = ((&*message.content, message.parts.as_deref()), message.meta.as_deref());
    let files = record.refs.iter().filter(|row| row.reference.message == Some(message.n));
    let said = said(record, role, message.message_id.as_str(), text, files, meta);
    match message.options.as_deref().and_then(|options| question::list(options).ok()) {
        Some(options) => offering(said, options),
        None => said,
    }
}

/// A question with the answers it takes: as a list for programs, and in words for clients that show nothing but parts.
fn offering(mut asked: Message, options: Vec<String>) -> Message {
    asked.parts.push(Part::text(question::in_words(&options)));
    asked.metadata.get_or_insert_default().insert("options".into(), options.into());
    asked
}

/// A message: its parts as they came, or its text and the files that came with it.
fn said<'a>(
    record: &TaskRecord,
    role: Role,
    hubs_id: &str,
    (text, parts): (&str, Option<&str>),
    files: impl Iterator<Item = &'a ArtifactRefRow>,
    meta: Option<&str>,
) -> Message {
    let (task_id, context_id) = ids(record);
    // What did not come by A2A has the hub's own id.
    let envelope = Envelope::of_meta(meta)
        .unwrap_or_else(|| Envelope { message_id: hubs_id.to_owned(), ..Envelope::default() });
    // Parts that this door did not write are not its to show.
    let parts = parts.and_then(|parts| serde_json::from_str::<Vec<Map<String, Value>>>(parts).ok());
    let parts =
        parts.map(|parts| parts.into_iter().filter_map(|part| artifact::of_stored(record, part)).collect());
    let plain = || {
        let files = files.map(|row| artifact::of_ref(record, row));
        std::iter::once(Part::text(text)).chain(files).collect()
    };
    Message {
        message_id: envelope.message_id,
        context_id: Some(context_id),
        task_id: Some(task_id),
        role,
        parts: parts.unwrap_or_else(plain),
        metadata: envelope.metadata.map(|metadata| metadata.into_iter().collect()),
        extensions: envelope.extensions,
        reference_task_ids: envelope.reference_task_ids,
    }
}

pub(super) fn ids(record: &TaskRecord) -> (String, String) {
    let task = &record.row.snapshot;
    (task.id.as_str().to_owned(), task.context().as_str().to_owned())
}

fn time(at: UnixMillis) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(at.get())
}
