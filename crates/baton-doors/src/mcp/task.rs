//! The tasks extension (SEP-2663): the hub's tasks under MCP's methods `tasks/get`, `tasks/update` and `tasks/cancel`. A handle is
//! the id of the task that `send_task` sent, so any task that the caller may see has one, and it lasts as long as the task. The
//! result in it is what `send_task` answers a call that waits for the end. A question of the agent is an elicitation; the
//! answer to it is the answer to the task.

use baton_core::{Refusal, Status, TaskId, UnixMillis, limits};
use chrono::{DateTime, SecondsFormat, Utc};
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, CreateTaskResult, DetailedTask, ElicitRequest, ElicitRequestParams,
    ElicitationSchema, EnumSchema, ErrorCode, InputRequest, InputRequests, InputResponses, JsonObject,
    PrimitiveSchemaDefinition, StringSchema, Task, TaskPayload,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::answer;
use super::tool::ToolCaller;
use crate::hub::Hub;
use crate::rest::ErrorBody;
use crate::service::Error;
use crate::service::cancel_task::{self, CancelTask};
use crate::service::task_command::{OnTask, TaskCommand};
use crate::service::task_handle::{self, OpenQuestion, Stage, TaskEnd, TaskState};

/// The field of the form that an agent's question is asked with.
const ANSWER: &str = "answer";
/// The code of a task that ended without its agent: JSON-RPC's range for servers.
const NOT_DONE: ErrorCode = ErrorCode(-32_000);

/// How a client asks its user something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AsksBy {
    /// With a form.
    Form,
    /// Not at all.
    Nothing,
}

impl AsksBy {
    /// By what a client declares. `elicitation` without a mode means forms.
    pub(super) fn of(client: Option<&ClientCapabilities>) -> Self {
        let elicitation = client.and_then(|client| client.elicitation.as_ref());
        match elicitation {
            Some(elicitation) if elicitation.form.is_some() || elicitation.url.is_none() => Self::Form,
            _ => Self::Nothing,
        }
    }
}

/// The handle to a task that was sent.
pub(super) async fn created(hub: &Hub, who: &ToolCaller, id: &TaskId) -> Result<CreateTaskResult, ErrorData> {
    let now = get(hub, who, id.as_str(), AsksBy::Nothing).await?;
    Ok(CreateTaskResult::new(now.task))
}

/// How a task stands.
pub(super) async fn get(
    hub: &Hub,
    who: &ToolCaller,
    id: &str,
    asks: AsksBy,
) -> Result<DetailedTask, ErrorData> {
    let read = task_handle::read(hub, &who.caller, id, &who.share).await;
    let state = read.map_err(|error| failed(id, &error))?;
    let to = state.to.to_string();
    let (task, stage) = handle(state);
    let payload = match stage {
        Stage::Open { .. } => TaskPayload::Working,
        Stage::Asking(question) => {
            TaskPayload::InputRequired { input_requests: question_for(&to, question, asks) }
        }
        Stage::Ended(end) => ended(*end)?,
    };
    Ok(DetailedTask::new(task, payload))
}

/// Takes a user's answers. Only one to the question that the task waits on counts; one that comes too late, or to something
/// that was never asked, changes nothing. A user who declines leaves the question open.
pub(super) async fn update(
    hub: &Hub,
    who: &ToolCaller,
    id: &str,
    mut answers: InputResponses,
) -> Result<(), ErrorData> {
    let read = task_handle::read(hub, &who.caller, id, &who.share).await;
    let state = read.map_err(|error| failed(id, &error))?;
    let Stage::Asking(question) = state.stage else { return Ok(()) };
    let Some(given) = answers.remove(question.id.as_str()) else { return Ok(()) };
    let given = serde_path_to_error::deserialize(given).map_err(Error::of_schema);
    match given.map_err(|error| failed(id, &error))? {
        Elicited::Accept { content } => {
            let question = question.id.as_str();
            let answered = task_handle::answer(hub, &who.caller, id, question, &content.answer).await;
            answered.map(drop).map_err(|error| failed(id, &error))
        }
        Elicited::Decline | Elicited::Cancel => Ok(()),
    }
}

/// Cancels a task. One that has ended stays as it is, and that is no error.
pub(super) async fn cancel(hub: &Hub, who: &ToolCaller, id: String) -> Result<(), ErrorData> {
    let cancelled = CancelTask::run(hub, &who.caller, OnTask::of_path(&*id), cancel_task::Args::default());
    match cancelled.await.map(|cancelled| cancelled.refusal) {
        Ok(Some(refusal @ Refusal::TaskNotFound)) => Err(failed(&id, &refusal.into())),
        Ok(_) => Ok(()),
        Err(error) => Err(failed(&id, &error)),
    }
}

/// What a user did with a form.
#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "lowercase")]
enum Elicited {
    Accept { content: Form },
    Decline,
    Cancel,
}

/// What the form has.
#[derive(Deserialize)]
struct Form {
    answer: String,
}

/// The part of a handle that does not depend on its status, and the rest.
fn handle(state: TaskState) -> (Task, Stage) {
    let TaskState { id, to, created_at, updated_at, kept_until, stage } = state;
    let words = match &stage {
        Stage::Open { status, progress } => {
            let reported = progress
                .as_ref()
                .and_then(|progress| in_words(progress.percent, progress.message.as_deref()));
            reported.unwrap_or_else(|| match status {
                Status::Running => format!("{to} is working on it"),
                _ => format!("{to} has not started it yet"),
            })
        }
        Stage::Asking(question) => {
            let text: String = question.text.chars().take(limits::MCP_TASK_QUESTION_MAX_CHARS).collect();
            format!("{to} asks: {text}")
        }
        Stage::Ended(end) => end_in_words(to.as_str(), end),
    };
    let mut task = Task::new(id.as_str(), Default::default(), time(created_at), time(updated_at));
    task.status_message = Some(words);
    // No time to live is one without end.
    task.ttl_ms = kept_until.and_then(|until| u64::try_from(until.get() - created_at.get()).ok());
    if !matches!(stage, Stage::Ended(_)) {
        task.poll_interval_ms = Some(limits::MCP_TASK_POLL_MILLIS);
    }
    (task, stage)
}

fn in_words(percent: Option<u8>, message: Option<&str>) -> Option<String> {
    match (percent, message) {
        (Some(percent), Some(message)) => Some(format!("{percent}%: {message}")),
        (Some(percent), None) => Some(format!("{percent}%")),
        (None, message) => message.map(str::to_owned),
    }
}

fn end_in_words(to: &str, end: &TaskEnd) -> String {
    match end.status {
        Status::Replied => format!("{to} replied"),
        Status::Cancelled => "cancelled".to_owned(),
        Status::Expired => format!("{to} did not start it in time"),
        _ if end.by_hub => "the hub gave up on it".to_owned(),
        _ => format!("{to} ended it without a result"),
    }
}

fn time(at: UnixMillis) -> String {
    let at = DateTime::from_timestamp_millis(at.get()).unwrap_or(DateTime::<Utc>::MAX_UTC);
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A question as a form with one field: a choice, if only some answers are taken. To a client that shows no forms nothing is
/// asked, nor is a login: forms must not be used for that. The status says what is asked, and `answer_task` answers.
fn question_for(to: &str, question: OpenQuestion, asks: AsksBy) -> InputRequests {
    if asks == AsksBy::Nothing || question.auth_required {
        return BTreeMap::new();
    }
    let field = match question.options.is_empty() {
        true => PrimitiveSchemaDefinition::String(StringSchema::new().title("Answer").min_length(1)),
        false => {
            PrimitiveSchemaDefinition::Enum(EnumSchema::builder(question.options).title("Answer").build())
        }
    };
    let form = ElicitationSchema::new(BTreeMap::from([(ANSWER.to_owned(), field)]));
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("{to} asks: {}", question.text),
        requested_schema: form.with_required(vec![ANSWER.to_owned()]),
    };
    let request = InputRequest::Elicitation(ElicitRequest::new(params));
    BTreeMap::from([(question.id.as_str().to_owned(), request)])
}

/// How it ended: with what its agent said, good or bad, or without its agent.
fn ended(end: TaskEnd) -> Result<TaskPayload, ErrorData> {
    let TaskEnd { status, by_hub, result, answer: sent } = end;
    if status == Status::Cancelled {
        return Ok(TaskPayload::Cancelled);
    }
    if by_hub {
        let message = match status {
            Status::Expired => "the task expired: its agent did not start it in time".to_owned(),
            _ => format!("the hub gave up on the task: {}", result.as_deref().unwrap_or("no run ended")),
        };
        let error = ErrorData::new(NOT_DONE, message, Some(json!({ "status": status })));
        return Ok(TaskPayload::Failed { error: object(&error)? });
    }
    let mut result = answer::of(Ok(sent))?;
    result.is_error = Some(status != Status::Replied);
    Ok(TaskPayload::Completed { result: object(&result)? })
}

fn object(of: &impl serde::Serialize) -> Result<JsonObject, ErrorData> {
    match serde_json::to_value(of) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(ErrorData::internal_error("no object", None)),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

/// A refusal has no place in the results of these methods: it is a JSON-RPC error with the same body as its data. A task out
/// of sight is one that does not exist.
fn failed(id: &str, error: &Error) -> ErrorData {
    answer::note(error);
    let data = serde_json::to_value(ErrorBody::of(error)).ok();
    match error {
        Error::Refused(Refusal::TaskNotFound | Refusal::NetworkNotFound) => {
            ErrorData::invalid_params(format!("task not found: {id}"), data)
        }
        Error::Argument { .. } | Error::Refused(_) => ErrorData::invalid_params(error.to_string(), data),
        // The body's own words: a call of unknown outcome, for one, may have done what it was asked.
        Error::Store(_) => {
            let words = data.as_ref().and_then(|data| data["message"].as_str()).unwrap_or("the hub failed");
            ErrorData::internal_error(words.to_owned(), data)
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_store::Error as StoreError;

    use super::*;

    #[test]
    fn a_call_of_unknown_outcome_says_so_and_one_that_was_not_carried_out_says_that() {
        let words = |error| failed("tsk_1", &Error::Store(error)).message.into_owned();
        let error = StoreError::Unknown("x".into());
        let unknown = words(error.clone());
        let body = serde_json::to_value(ErrorBody::of(&Error::Store(error))).unwrap();
        assert_eq!((&body["error"], &body["message"]), (&json!("outcome_unknown"), &json!(unknown)));
        assert_ne!(unknown, words(StoreError::Unavailable("x".into())));
        assert!(!unknown.contains("cannot"), "{unknown}");
    }
}
