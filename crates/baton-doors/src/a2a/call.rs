//! The eleven operations: what each is called, what it takes, and the use case that carries it out. Every binding comes
//! through here, so the same call gives the same answer on each.

use a2a_types::{
    AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig, methods,
};
use baton_core::{Refusal, limits};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

use super::agent_caller::AgentCaller;
use super::error::{A2aError, Kind};
use super::push::PushCall;
use super::send::SendRequest;
use super::stream::TaskStream;
use super::task::{self, Shown};
use super::{card, input, list, push, send};
use crate::hub::Hub;
use crate::hub::in_flight::Cost;
use crate::service::cancel_task::{self, CancelTask};
use crate::service::task_command::{OnTask, TaskCommand};
use crate::service::task_record::{self, Extent};

/// One operation with what it was given.
#[derive(Debug)]
pub(super) enum Call {
    SendMessage(Box<SendRequest>),
    SendStreamingMessage(Box<SendRequest>),
    GetTask(GetTaskRequest),
    ListTasks(Box<ListTasksRequest>),
    CancelTask(CancelTaskRequest),
    SubscribeToTask(SubscribeToTaskRequest),
    GetExtendedAgentCard,
    Push(PushCall),
}

/// What came of it.
pub(super) enum A2aResponse {
    Value(Box<Reply>),
    Stream(Box<TaskStream>),
}

/// A response that is sent at once.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Reply {
    Sent(SendMessageResponse),
    Task(Task),
    Tasks(ListTasksResponse),
    Card(AgentCard),
    PushConfig(TaskPushNotificationConfig),
    PushConfigs(ListTaskPushNotificationConfigsResponse),
    /// `{}`.
    Nothing {},
}

impl Call {
    /// Reads a call by its name, from the tidy object it was given.
    pub(super) fn read(method: &str, params: Value) -> Result<Self, A2aError> {
        if params.get("tenant").is_some() {
            return Err(A2aError::params("tenant must be unset: the agent's URL already names the network"));
        }
        Ok(match method {
            methods::SEND_MESSAGE => Self::SendMessage(input::read(params)?),
            methods::SEND_STREAMING_MESSAGE => Self::SendStreamingMessage(input::read(params)?),
            methods::GET_TASK => Self::GetTask(input::read(params)?),
            methods::LIST_TASKS => Self::ListTasks(input::read(params)?),
            methods::CANCEL_TASK => Self::CancelTask(input::read(params)?),
            methods::SUBSCRIBE_TO_TASK => Self::SubscribeToTask(input::read(params)?),
            methods::GET_EXTENDED_AGENT_CARD => {
                input::read::<GetExtendedAgentCardRequest>(params)?;
                Self::GetExtendedAgentCard
            }
            methods::CREATE_PUSH_CONFIG => Self::Push(PushCall::Create(input::read(params)?)),
            methods::GET_PUSH_CONFIG => Self::Push(PushCall::Get(input::read(params)?)),
            methods::LIST_PUSH_CONFIGS => Self::Push(PushCall::List(input::read(params)?)),
            methods::DELETE_PUSH_CONFIG => Self::Push(PushCall::Delete(input::read(params)?)),
            other => {
                return Err(A2aError::new(Kind::MethodNotFound, format!("there is no operation {other:?}")));
            }
        })
    }

    /// How much memory the answer may need, if that is much. A blocking send waits first and reserves it after that.
    const fn cost(&self) -> Option<Cost> {
        match self {
            Self::ListTasks(_) => Some(Cost::List),
            Self::GetTask(_) | Self::CancelTask(_) => Some(Cost::Item),
            _ => None,
        }
    }

    /// Carries it out.
    pub(super) async fn run(self, hub: &Arc<Hub>, visitor: AgentCaller) -> Result<A2aResponse, A2aError> {
        if let Some(cost) = self.cost() {
            visitor.take_share(hub, cost).await?;
        }
        let reply = match self {
            Self::SendMessage(request) => Reply::Sent(send::run(hub, &visitor, *request).await?),
            Self::SendStreamingMessage(request) => {
                return send::stream(hub, visitor, *request).await.map(Box::new).map(A2aResponse::Stream);
            }
            Self::SubscribeToTask(request) => {
                return TaskStream::subscribe(hub, visitor, &request.id)
                    .await
                    .map(Box::new)
                    .map(A2aResponse::Stream);
            }
            Self::GetTask(request) => Reply::Task(get(hub, &visitor, &request).await?),
            Self::ListTasks(request) => Reply::Tasks(list::run(hub, &visitor, *request).await?),
            Self::CancelTask(request) => Reply::Task(cancel(hub, &visitor, &request).await?),
            Self::GetExtendedAgentCard => Reply::Card(card::extended(hub, &visitor).await?),
            Self::Push(call) => push::run(hub, &visitor, call).await?,
        };
        Ok(A2aResponse::Value(Box::new(reply)))
    }
}

async fn get(hub: &Hub, visitor: &AgentCaller, request: &GetTaskRequest) -> Result<Task, A2aError> {
    let history = history_length(request.history_length)?;
    let extent = Extent::now(history);
    let record = task_record::read(hub, visitor.caller(), &visitor.agent, &request.id, extent).await?;
    Ok(task::task(&record, Shown { history, artifacts: true }))
}

/// A caller that may not see the task learns nothing about it; one that may see but not cancel it gets that error.
async fn cancel(hub: &Hub, visitor: &AgentCaller, request: &CancelTaskRequest) -> Result<Task, A2aError> {
    let seen = task_record::read(hub, visitor.caller(), &visitor.agent, &request.id, Extent::now(0)).await?;
    let id = seen.row.snapshot.id;
    let args = cancel_task::Args::default();
    let done = CancelTask::run(hub, visitor.caller(), OnTask::of_path(id.as_str()), args).await?;
    match done.refusal {
        None => {}
        Some(Refusal::TaskIsTerminal { status }) => {
            return Err(A2aError::new(Kind::TaskNotCancelable, format!("the task is already {status}")));
        }
        Some(refusal) => return Err(refusal.into()),
    }
    let history = limits::A2A_HISTORY_DEFAULT_COUNT;
    let read = task_record::read_again(hub, hub.store_for(visitor.caller()), &id, Extent::now(history));
    let record = read.await.map_err(|error| A2aError::from(error).after_commit())?;
    Ok(task::task(&record, Shown { history, artifacts: true }))
}

/// How many messages a client wants at most.
pub(super) fn history_length(wanted: Option<i32>) -> Result<usize, A2aError> {
    match wanted.map(usize::try_from) {
        None => Ok(limits::A2A_HISTORY_DEFAULT_COUNT),
        Some(Ok(length)) => Ok(length),
        Some(Err(_)) => Err(A2aError::params("historyLength must be 0 or more")),
    }
}
