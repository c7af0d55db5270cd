//! What came of a call, as messages.

use a2a_types as a2a;
use std::collections::HashMap;

use super::generated as pb;
use super::value::{of_object, of_time, of_value};

type Metadata = Option<HashMap<String, serde_json::Value>>;

fn metadata(given: Metadata) -> Option<prost_types::Struct> {
    given.map(of_object)
}

pub(super) fn sent(given: a2a::SendMessageResponse) -> pb::SendMessageResponse {
    use pb::send_message_response::Payload;
    let payload = match given {
        a2a::SendMessageResponse::Task(given) => Payload::Task(task(given)),
        a2a::SendMessageResponse::Message(given) => Payload::Message(message(given)),
    };
    pb::SendMessageResponse { payload: Some(payload) }
}

pub(super) fn update(given: a2a::StreamResponse) -> pb::StreamResponse {
    use pb::stream_response::Payload;
    let payload = match given {
        a2a::StreamResponse::Task(given) => Payload::Task(task(given)),
        a2a::StreamResponse::Message(given) => Payload::Message(message(given)),
        a2a::StreamResponse::StatusUpdate(given) => Payload::StatusUpdate(pb::TaskStatusUpdateEvent {
            task_id: given.task_id,
            context_id: given.context_id,
            status: Some(status(given.status)),
            metadata: metadata(given.metadata),
        }),
        a2a::StreamResponse::ArtifactUpdate(given) => Payload::ArtifactUpdate(pb::TaskArtifactUpdateEvent {
            task_id: given.task_id,
            context_id: given.context_id,
            artifact: Some(artifact(given.artifact)),
            append: given.append.unwrap_or_default(),
            last_chunk: given.last_chunk.unwrap_or_default(),
            metadata: metadata(given.metadata),
        }),
    };
    pb::StreamResponse { payload: Some(payload) }
}

pub(super) fn task(given: a2a::Task) -> pb::Task {
    pb::Task {
        id: given.id,
        context_id: given.context_id,
        status: Some(status(given.status)),
        artifacts: given.artifacts.into_iter().flatten().map(artifact).collect(),
        history: given.history.into_iter().flatten().map(message).collect(),
        metadata: metadata(given.metadata),
    }
}

fn status(given: a2a::TaskStatus) -> pb::TaskStatus {
    pb::TaskStatus {
        state: state(&given.state).into(),
        message: given.message.map(message),
        timestamp: given.timestamp.map(of_time),
    }
}

const fn state(given: &a2a::TaskState) -> pb::TaskState {
    match given {
        a2a::TaskState::Unspecified => pb::TaskState::Unspecified,
        a2a::TaskState::Submitted => pb::TaskState::Submitted,
        a2a::TaskState::Working => pb::TaskState::Working,
        a2a::TaskState::Completed => pb::TaskState::Completed,
        a2a::TaskState::Failed => pb::TaskState::Failed,
        a2a::TaskState::Canceled => pb::TaskState::Canceled,
        a2a::TaskState::InputRequired => pb::TaskState::InputRequired,
        a2a::TaskState::Rejected => pb::TaskState::Rejected,
        a2a::TaskState::AuthRequired => pb::TaskState::AuthRequired,
    }
}

fn message(given: a2a::Message) -> pb::Message {
    let role = match given.role {
        a2a::Role::Unspecified => pb::Role::Unspecified,
        a2a::Role::User => pb::Role::User,
        a2a::Role::Agent => pb::Role::Agent,
    };
    pb::Message {
        message_id: given.message_id,
        context_id: given.context_id.unwrap_or_default(),
        task_id: given.task_id.unwrap_or_default(),
        role: role.into(),
        parts: given.parts.into_iter().map(part).collect(),
        metadata: metadata(given.metadata),
        extensions: given.extensions.unwrap_or_default(),
        reference_task_ids: given.reference_task_ids.unwrap_or_default(),
    }
}

fn artifact(given: a2a::Artifact) -> pb::Artifact {
    pb::Artifact {
        artifact_id: given.artifact_id,
        name: given.name.unwrap_or_default(),
        description: given.description.unwrap_or_default(),
        parts: given.parts.into_iter().map(part).collect(),
        metadata: metadata(given.metadata),
        extensions: given.extensions.unwrap_or_default(),
    }
}

fn part(given: a2a::Part) -> pb::Part {
    use pb::part::Content;
    let content = match given.content {
        a2a::PartContent::Text(text) => Content::Text(text),
        a2a::PartContent::Raw(bytes) => Content::Raw(bytes),
        a2a::PartContent::Url(url) => Content::Url(url),
        a2a::PartContent::Data(data) => Content::Data(of_value(data)),
    };
    pb::Part {
        content: Some(content),
        filename: given.filename.unwrap_or_default(),
        media_type: given.media_type.unwrap_or_default(),
        metadata: metadata(given.metadata),
    }
}

pub(super) fn tasks(given: a2a::ListTasksResponse) -> pb::ListTasksResponse {
    pb::ListTasksResponse {
        tasks: given.tasks.into_iter().map(task).collect(),
        next_page_token: given.next_page_token,
        page_size: given.page_size,
        total_size: given.total_size,
    }
}

pub(super) fn push_config(given: a2a::TaskPushNotificationConfig) -> pb::TaskPushNotificationConfig {
    let authentication = given.authentication.map(|given| pb::AuthenticationInfo {
        scheme: given.scheme,
        credentials: given.credentials.unwrap_or_default(),
    });
    pb::TaskPushNotificationConfig {
        tenant: given.tenant.unwrap_or_default(),
        id: given.id.unwrap_or_default(),
        task_id: given.task_id,
        url: given.url,
        token: given.token.unwrap_or_default(),
        authentication,
    }
}

pub(super) fn push_configs(
    given: a2a::ListTaskPushNotificationConfigsResponse,
) -> pb::ListTaskPushNotificationConfigsResponse {
    pb::ListTaskPushNotificationConfigsResponse {
        configs: given.configs.into_iter().map(push_config).collect(),
        next_page_token: given.next_page_token.unwrap_or_default(),
    }
}
