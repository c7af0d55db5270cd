//! What a client's messages ask for: each becomes the object that the other bindings read, with the protocol's names, and
//! from there on is the same call. A field that protobuf cannot leave out is absent when it is empty.

use a2a_types::methods;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value};

use super::generated as pb;
use super::value::{object, time, value};
use super::{A2aError, Kind};
use crate::a2a::call::Call;

/// A message that asks for an operation.
pub(super) trait Asked: Send + 'static {
    const METHOD: &'static str;

    /// Whom it is for.
    fn tenant(&self) -> &str;

    /// What it says for its operation.
    fn params(self) -> Result<Params, A2aError>;

    fn into_call(self) -> Result<Call, A2aError>
    where
        Self: Sized,
    {
        Call::read(Self::METHOD, Value::Object(self.params()?.0))
    }
}

/// A request's object as it is put together.
#[derive(Default)]
pub(super) struct Params(Map<String, Value>);

impl Params {
    fn text(mut self, name: &str, text: String) -> Self {
        if !text.is_empty() {
            self.0.insert(name.to_owned(), text.into());
        }
        self
    }

    fn texts(mut self, name: &str, texts: Vec<String>) -> Self {
        if !texts.is_empty() {
            self.0.insert(name.to_owned(), texts.into());
        }
        self
    }

    fn some(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
        self
    }

    fn metadata(self, given: Option<prost_types::Struct>) -> Result<Self, A2aError> {
        Ok(self.some("metadata", given.map(object).transpose()?))
    }
}

impl From<Params> for Value {
    fn from(params: Params) -> Self {
        Self::Object(params.0)
    }
}

macro_rules! asked {
    ($($message:ident = $method:ident, |$given:ident| $params:expr;)+) => {$(
        impl Asked for pb::$message {
            const METHOD: &'static str = methods::$method;

            fn tenant(&self) -> &str {
                &self.tenant
            }

            fn params(self) -> Result<Params, A2aError> {
                let $given = self;
                $params
            }
        }
    )+};
}

asked! {
    SendMessageRequest = SEND_MESSAGE, |given| send(given);
    GetTaskRequest = GET_TASK, |given| {
        Ok(Params::default().text("id", given.id).some("historyLength", given.history_length))
    };
    ListTasksRequest = LIST_TASKS, |given| list(given);
    CancelTaskRequest = CANCEL_TASK, |given| Params::default().text("id", given.id).metadata(given.metadata);
    SubscribeToTaskRequest = SUBSCRIBE_TO_TASK, |given| Ok(Params::default().text("id", given.id));
    GetExtendedAgentCardRequest = GET_EXTENDED_AGENT_CARD, |_given| Ok(Params::default());
    TaskPushNotificationConfig = CREATE_PUSH_CONFIG, |given| Ok(push_config(given));
    GetTaskPushNotificationConfigRequest = GET_PUSH_CONFIG, |given| {
        Ok(Params::default().text("taskId", given.task_id).text("id", given.id))
    };
    ListTaskPushNotificationConfigsRequest = LIST_PUSH_CONFIGS, |given| {
        let size = Some(given.page_size).filter(|size| *size != 0);
        Ok(Params::default()
            .text("taskId", given.task_id)
            .some("pageSize", size)
            .text("pageToken", given.page_token))
    };
    DeleteTaskPushNotificationConfigRequest = DELETE_PUSH_CONFIG, |given| {
        Ok(Params::default().text("taskId", given.task_id).text("id", given.id))
    };
}

/// The same message, answered by a stream.
pub(super) struct Streamed(pub(super) pb::SendMessageRequest);

impl Asked for Streamed {
    const METHOD: &'static str = methods::SEND_STREAMING_MESSAGE;

    fn tenant(&self) -> &str {
        self.0.tenant()
    }

    fn params(self) -> Result<Params, A2aError> {
        self.0.params()
    }
}

fn send(given: pb::SendMessageRequest) -> Result<Params, A2aError> {
    let message = given.message.map(message).transpose()?;
    let configuration = given.configuration.map(|given| {
        Params::default()
            .texts("acceptedOutputModes", given.accepted_output_modes)
            .some("taskPushNotificationConfig", given.task_push_notification_config.map(push_config))
            .some("historyLength", given.history_length)
            .some("returnImmediately", Some(given.return_immediately))
    });
    Params::default().some("message", message).some("configuration", configuration).metadata(given.metadata)
}

fn message(given: pb::Message) -> Result<Params, A2aError> {
    let parts = given.parts.into_iter().map(|given| part(given).map(Value::from));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    Params::default()
        .text("messageId", given.message_id)
        .text("contextId", given.context_id)
        .text("taskId", given.task_id)
        .text(
            "role",
            pb::Role::try_from(given.role)
                .map_or_else(|_| given.role.to_string(), |role| role.as_str_name().into()),
        )
        .some("parts", Some(parts))
        .texts("extensions", given.extensions)
        .texts("referenceTaskIds", given.reference_task_ids)
        .metadata(given.metadata)
}

fn part(given: pb::Part) -> Result<Params, A2aError> {
    use pb::part::Content;
    let params = Params::default();
    let params = match given.content {
        None => params,
        Some(Content::Text(text)) => params.some("text", Some(text)),
        Some(Content::Raw(bytes)) => params.some("raw", Some(BASE64.encode(bytes))),
        Some(Content::Url(url)) => params.some("url", Some(url)),
        Some(Content::Data(data)) => params.some("data", Some(value(data)?)),
    };
    params.text("filename", given.filename).text("mediaType", given.media_type).metadata(given.metadata)
}

fn list(given: pb::ListTasksRequest) -> Result<Params, A2aError> {
    let status = Some(given.status).filter(|status| *status != 0);
    let status = status.map(|status| {
        pb::TaskState::try_from(status)
            .map_or_else(|_| status.to_string(), |state| state.as_str_name().into())
    });
    Ok(Params::default()
        .text("contextId", given.context_id)
        .some("status", status)
        .some("pageSize", given.page_size)
        .text("pageToken", given.page_token)
        .some("historyLength", given.history_length)
        .some("statusTimestampAfter", given.status_timestamp_after.map(time).transpose()?)
        .some("includeArtifacts", given.include_artifacts))
}

fn push_config(given: pb::TaskPushNotificationConfig) -> Params {
    let authentication = given
        .authentication
        .map(|given| Params::default().text("scheme", given.scheme).text("credentials", given.credentials));
    Params::default()
        .text("id", given.id)
        .text("taskId", given.task_id)
        .text("url", given.url)
        .text("token", given.token)
        .some("authentication", authentication)
}

/// The agent that a message is for.
pub(super) fn agent(tenant: &str) -> Option<(&str, &str)> {
    tenant.split_once('/')
}

/// A message that names no agent.
pub(super) fn without_agent() -> A2aError {
    let rule = "tenant must be NETWORK/ALIAS, as the GRPC interface of the agent's card has it";
    A2aError::new(Kind::InvalidParams, rule)
}
