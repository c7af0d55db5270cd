//! A task as every door shows it: the contract's row, in its order.

use baton_core::{
    ContextId, Kind, MessageId, MessageKind, NetworkId, Priority, RunTimeoutSeconds, Status, TaskId, hex,
    limits,
};
use baton_store::rows::{ArtifactRefRow, ProgressRow, TaskMessageRow, TaskRow, text_bytes};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::artifacts::ArtifactView;
use super::listed_text::ListedText;
use super::question;
use super::wire_time::WireTime;

/// A task row.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Task)]
pub(super) struct TaskView {
    task_id: TaskId,
    from_name: String,
    to_name: String,
    kind: Kind,
    priority: Priority,
    status: Status,
    content: String,
    /// In a list, if `content` is only the beginning; `GET /api/tasks/:id` has all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    content_truncated: bool,
    context: Option<String>,
    result: Option<String>,
    /// In a list, if `result` is only the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    result_truncated: bool,
    /// True if its agent declined it; its status is `failed`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rejected: bool,
    in_reply_to: Option<TaskId>,
    requires_response: bool,
    scope: &'static str,
    created_at: WireTime,
    delivered_at: WireTime,
    started_at: Option<WireTime>,
    completed_at: Option<WireTime>,
    expires_at: WireTime,
    network_id: NetworkId,
    parent_task_id: Option<TaskId>,
    retry_of: Option<TaskId>,
    attempt: u32,
    /// How many deliveries there may be, if not 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_attempts: Option<u32>,
    /// Seconds to wait after an expired lease before redelivery, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_backoff_seconds: Option<u32>,
    /// How long one run may take, if that is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_timeout_seconds: Option<u32>,
    context_id: ContextId,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Value>>)]
    parts: Option<Box<RawValue>>,
    #[schema(value_type = Value)]
    meta: Option<Box<RawValue>>,
    /// Hex; what the evidence's digests of the texts are keyed with.
    evidence_salt: String,
    /// The latest progress that was reported of its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressView>,
}

/// How far the work on a task is.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaskProgress)]
pub struct ProgressView {
    percent: Option<u8>,
    message: Option<String>,
    /// When it was reported.
    at: WireTime,
}

impl ProgressView {
    pub fn percent(&self) -> Option<u8> {
        self.percent
    }
}

impl From<ProgressRow> for ProgressView {
    fn from(row: ProgressRow) -> Self {
        Self { percent: row.percent, message: row.message, at: WireTime(row.at) }
    }
}

impl From<TaskRow> for TaskView {
    fn from(row: TaskRow) -> Self {
        let context_id = row.snapshot.context();
        let task = row.snapshot;
        Self {
            task_id: task.id,
            from_name: task.from.name().to_owned(),
            to_name: task.to.as_str().to_owned(),
            kind: task.kind,
            priority: row.priority,
            status: task.status,
            content: row.content,
            content_truncated: false,
            context: row.context,
            result: row.result,
            result_truncated: false,
            rejected: row.is_rejected,
            in_reply_to: None,
            requires_response: true,
            scope: "network",
            created_at: WireTime(row.created_at),
            delivered_at: WireTime(row.delivered_at),
            started_at: row.started_at.map(WireTime),
            completed_at: row.completed_at.map(WireTime),
            expires_at: WireTime(task.expires_at),
            network_id: task.network_id,
            parent_task_id: task.parent.map(|parent| parent.id),
            retry_of: row.retry_of,
            attempt: task.attempt,
            max_attempts: Some(task.max_attempts).filter(|most| *most != limits::MAX_ATTEMPTS),
            retry_backoff_seconds: Some(task.runs.retry_backoff.get()).filter(|seconds| *seconds > 0),
            run_timeout_seconds: task.runs.run_timeout.map(RunTimeoutSeconds::get),
            context_id,
            parts: row.parts.and_then(|parts| RawValue::from_string(parts).ok()),
            evidence_salt: hex::encode(&row.salt),
            progress: row.progress.map(ProgressView::from),
            meta: row.meta.and_then(|meta| RawValue::from_string(meta).ok()),
        }
    }
}

impl TaskView {
    /// As a list shows it.
    pub(super) fn listed(mut row: TaskRow) -> Self {
        let content = ListedText::new(std::mem::take(&mut row.content), limits::LISTED_TEXT_MAX_CHARS);
        let result = row.result.take().map(|result| ListedText::new(result, limits::LISTED_RESULT_MAX_CHARS));
        Self {
            content_truncated: content.is_cut,
            content: content.text,
            result_truncated: result.as_ref().is_some_and(|result| result.is_cut),
            result: result.map(|result| result.text),
            ..Self::from(row)
        }
    }
}

/// A message on a task between its text and its result.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaskMessage)]
pub struct TaskMessageView {
    message_id: MessageId,
    from_name: String,
    kind: MessageKind,
    content: String,
    /// The answers that a question takes; any, if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    options: Option<Box<RawValue>>,
    /// True if the question asks its sender to authenticate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    auth_required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Value>>)]
    parts: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    meta: Option<Box<RawValue>>,
    /// What came with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactView>,
    created_at: WireTime,
}

impl From<TaskMessageRow> for TaskMessageView {
    fn from(row: TaskMessageRow) -> Self {
        Self {
            message_id: row.message_id,
            from_name: row.author.name().to_owned(),
            kind: row.kind,
            content: row.content,
            options: question::shown(row.options),
            auth_required: row.auth_required,
            parts: row.parts.and_then(|parts| RawValue::from_string(parts).ok()),
            meta: row.meta.and_then(|meta| RawValue::from_string(meta).ok()),
            artifacts: Vec::new(),
            created_at: WireTime(row.created_at),
        }
    }
}

/// A task's row with what it refers to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaskWithArtifacts)]
pub(super) struct TaskWithArtifacts {
    #[serde(flatten)]
    pub row: TaskView,
    /// What came with its text, its work and its reply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactView>,
}

/// A task's row with what belongs to it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WholeTask)]
pub(super) struct WholeTaskView {
    #[serde(flatten)]
    pub row: TaskView,
    /// What was reported with its completion, and what came with its text, its work and its reply.
    pub artifacts: Vec<Value>,
    /// The messages on it, oldest first; only the newest if there are many.
    pub messages: Vec<TaskMessageView>,
}

/// The approximate size of a task, its messages and its references in a response: their texts as JSON.
pub(super) fn answer_bytes(task: &TaskRow, messages: &[TaskMessageRow], refs: &[ArtifactRefRow]) -> usize {
    let json = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let text = |text: &Option<String>| text.as_ref().map_or(0, |text| text_bytes(text));
    let said = |said: &TaskMessageRow| {
        text_bytes(&said.content) + json(&said.options) + json(&said.parts) + json(&said.meta)
    };
    let TaskRow { content, context, parts, meta, result, progress, .. } = task;
    text_bytes(content)
        + text(context)
        + text(result)
        + json(parts)
        + json(meta)
        + progress.as_ref().map_or(0, ProgressRow::bytes)
        + messages.iter().map(said).sum::<usize>()
        + refs.iter().map(ArtifactRefRow::bytes).sum::<usize>()
}

/// How many tasks have a status.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatusCount {
    pub status: Status,
    pub count: i64,
}
