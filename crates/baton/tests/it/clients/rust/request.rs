//! The client's requests, with absent members left out.

use a2a_types::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageConfiguration,
    SendMessageRequest, SubscribeToTaskRequest,
};

pub(super) fn says(text: &str) -> Message {
    Message::new(Role::User, vec![Part::text(text)])
}

pub(super) fn request(message: Message, immediately: bool) -> SendMessageRequest {
    let configuration = SendMessageConfiguration {
        accepted_output_modes: None,
        task_push_notification_config: None,
        history_length: None,
        return_immediately: Some(immediately),
    };
    SendMessageRequest { message, configuration: Some(configuration), metadata: None, tenant: None }
}

pub(super) fn get(id: &str, history_length: Option<i32>) -> GetTaskRequest {
    GetTaskRequest { id: id.into(), history_length, tenant: None }
}

pub(super) fn cancel(id: &str) -> CancelTaskRequest {
    CancelTaskRequest { id: id.into(), metadata: None, tenant: None }
}

pub(super) fn list(context_id: Option<&str>, page_size: i32) -> ListTasksRequest {
    ListTasksRequest {
        context_id: context_id.map(Into::into),
        status: None,
        page_size: Some(page_size),
        page_token: None,
        history_length: None,
        status_timestamp_after: None,
        include_artifacts: None,
        tenant: None,
    }
}

pub(super) fn subscribe(id: &str) -> SubscribeToTaskRequest {
    SubscribeToTaskRequest { id: id.into(), tenant: None }
}
