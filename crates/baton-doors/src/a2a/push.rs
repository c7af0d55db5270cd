//! The four operations on push notifications, and the config that may come with a send. Telling receivers is the
//! worker's (`worker/push`), in the same words as a stream. What a receiver is shown is never answered.

use a2a_types::{
    AuthenticationInfo, DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    TaskPushNotificationConfig,
};

use super::agent_caller::AgentCaller;
use super::call::Reply;
use super::error::A2aError;
use crate::hub::Hub;
use crate::service::push_configs::receiver::NewPush;
use crate::service::push_configs::{self, PushView};
use crate::service::task_record::{self, Extent};

/// Whether cards say that this hub pushes.
pub(super) const IS_SUPPORTED: bool = true;

/// One of the four, with what it was given.
#[derive(Debug)]
pub(super) enum PushCall {
    Create(Box<TaskPushNotificationConfig>),
    Get(GetTaskPushNotificationConfigRequest),
    List(ListTaskPushNotificationConfigsRequest),
    Delete(DeleteTaskPushNotificationConfigRequest),
}

impl PushCall {
    fn task_id(&self) -> &str {
        match self {
            Self::Create(config) => &config.task_id,
            Self::Get(request) => &request.task_id,
            Self::List(request) => &request.task_id,
            Self::Delete(request) => &request.task_id,
        }
    }
}

/// Carries one out, on a task of this agent that the caller may see.
pub(super) async fn run(hub: &Hub, visitor: &AgentCaller, call: PushCall) -> Result<Reply, A2aError> {
    let caller = visitor.caller();
    let record = task_record::read(hub, caller, &visitor.agent, call.task_id(), Extent::now(0)).await?;
    let task = record.row.snapshot.id.as_str();
    Ok(match call {
        PushCall::Create(config) => {
            let made = push_configs::create(hub, caller, task, new_push(*config)).await?;
            Reply::PushConfig(shown(made))
        }
        PushCall::Get(request) => {
            Reply::PushConfig(shown(push_configs::get(hub, caller, task, &request.id).await?))
        }
        PushCall::List(request) => {
            check_page(&request)?;
            let configs = push_configs::list(hub, caller, task).await?.into_iter().map(shown).collect();
            Reply::PushConfigs(ListTaskPushNotificationConfigsResponse { configs, next_page_token: None })
        }
        PushCall::Delete(request) => {
            push_configs::delete(hub, caller, task, &request.id).await?;
            Reply::Nothing {}
        }
    })
}

/// A task has few receivers, so every page is the first and the last.
fn check_page(request: &ListTaskPushNotificationConfigsRequest) -> Result<(), A2aError> {
    if request.page_size.is_some_and(|size| !(1..=100).contains(&size)) {
        return Err(A2aError::params("pageSize must be 1 to 100"));
    }
    match request.page_token {
        Some(_) => Err(A2aError::params("pageToken names no page: a list of these has one")),
        None => Ok(()),
    }
}

/// A receiver as a client gives it; nothing of it is checked yet.
pub(super) fn new_push(config: TaskPushNotificationConfig) -> NewPush {
    let (scheme, credentials) =
        config.authentication.map_or((None, None), |info| (Some(info.scheme), info.credentials));
    NewPush { config_id: config.id, url: config.url, token: config.token, scheme, credentials }
}

fn shown(view: PushView) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        url: view.url,
        id: Some(view.config_id),
        task_id: view.task_id.as_str().to_owned(),
        token: None,
        authentication: view.scheme.map(|scheme| AuthenticationInfo { scheme, credentials: None }),
        tenant: None,
    }
}
