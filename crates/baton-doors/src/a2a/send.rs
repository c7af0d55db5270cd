//! `SendMessage` and `SendStreamingMessage`: a message makes a task, or goes to the one it names. Then the client receives
//! what became of it: at once, when it has settled, or as it happens.

use a2a_types::{SendMessageConfiguration, SendMessageResponse};
use baton_core::{ContextId, TaskId};
use serde::Deserialize;
use std::sync::Arc;

use super::agent_caller::AgentCaller;
use super::call::history_length;
use super::error::A2aError;
use super::message::{Checked, Message};
use super::push;
use super::stream::{Begin, StreamEnd, TaskStream, take_seat};
use super::task::{self, Shown};
use super::watch::{self, until_settled};
use crate::hub::Hub;
use crate::hub::in_flight::Cost;
use crate::service::follow_up;
use crate::service::network_ref::NetworkRef;
use crate::service::push_configs::receiver::NewPush;
use crate::service::send_task::{self, NewMessage};
use crate::service::task_record::{self, Extent};

/// What a send is given.
#[derive(Debug, Deserialize)]
pub(super) struct SendRequest {
    message: Message,
    configuration: Option<SendMessageConfiguration>,
}

impl SendRequest {
    fn configured<T>(&self, read: impl Fn(&SendMessageConfiguration) -> Option<T>) -> Option<T> {
        self.configuration.as_ref().and_then(read)
    }
}

/// What a message became part of.
struct Sent {
    task: TaskId,
    is_new: bool,
}

/// Sends, and answers the task once it has settled, or its bare answer.
pub(super) async fn run(
    hub: &Arc<Hub>,
    visitor: &AgentCaller,
    request: SendRequest,
) -> Result<SendMessageResponse, A2aError> {
    let history = history_length(request.configured(|given| given.history_length))?;
    let returns_immediately = request.configured(|given| given.return_immediately).unwrap_or(false);
    // A token that may not wait for one more sends nothing.
    let wait = match returns_immediately {
        true => None,
        false => Some(hub.streams.take_wait(&visitor.identity.token_id)?),
    };
    let sent = send(hub, visitor, request).await?;
    let read = async {
        if wait.is_some() {
            return until_settled(hub, visitor, &sent.task, watch::LONGEST, history).await;
        }
        visitor.take_share(hub, Cost::Item).await?;
        let store = hub.store_for(visitor.caller());
        Ok(task_record::read_again(hub, store, &sent.task, Extent::now(history)).await?)
    };
    let record = read.await.map_err(A2aError::after_commit)?;
    Ok(match task::bare_answer(&record) {
        Some(message) => SendMessageResponse::Message(message),
        None => SendMessageResponse::Task(task::task(&record, Shown { history, artifacts: true })),
    })
}

/// Sends the message and streams what happens from then on.
pub(super) async fn stream(
    hub: &Arc<Hub>,
    visitor: AgentCaller,
    request: SendRequest,
) -> Result<TaskStream, A2aError> {
    let history = history_length(request.configured(|given| given.history_length))?;
    // A token without a seat left sends nothing.
    let seat = take_seat(hub, &visitor).await?;
    let sent = send(hub, &visitor, request).await?;
    // The sender of a task receives all of its events.
    let begin = if sent.is_new { Begin::After(1) } else { Begin::Now };
    let opened = async {
        if sent.is_new {
            watch::hold(hub, &visitor, &sent.task).await?;
        }
        TaskStream::open(hub, visitor, sent.task, seat, (begin, StreamEnd::WithQuestion), history).await
    };
    opened.await.map_err(A2aError::after_commit)
}

/// Sends, or says something on a task. Everything is checked first, and first of all that the caller may: only then
/// is the name of a receiver looked up. What is sent and its receiver are written together.
async fn send(hub: &Hub, visitor: &AgentCaller, request: SendRequest) -> Result<Sent, A2aError> {
    visitor.agent.check_reach(visitor.caller())?;
    let push = request.configured(|given| given.task_push_notification_config.clone()).map(push::new_push);
    let mut message = request.message;
    let (task_id, context_id) = (message.task_id.take(), message.context_id.take());
    let said = message.check(visitor.idempotency_key.clone())?;
    match task_id {
        Some(task_id) => follow_up(hub, visitor, &task_id, context_id.as_deref(), said, push).await,
        None => new_task(hub, visitor, context_id.as_deref(), said, push).await,
    }
}

async fn new_task(
    hub: &Hub,
    visitor: &AgentCaller,
    context_id: Option<&str>,
    said: Checked,
    push: Option<NewPush>,
) -> Result<Sent, A2aError> {
    // The hub makes contexts; a client continues in one it was given, and any other name begins a new one.
    let context_id = context_id.and_then(ContextId::parse);
    if push.is_some() || said.has_files() {
        send_task::check_may(hub, visitor.caller(), &visitor.agent).await?;
    }
    let mut said = said.said(hub, visitor).await?;
    if let Some(push) = push {
        said.push = Some(push.check(hub, &visitor.agent.network_id).await?);
    }
    let message =
        NewMessage { agent: visitor.agent.clone(), said, context_id, traceparent: visitor.traceparent };
    let task = send_task::send_message(hub, visitor.caller(), message).await?;
    Ok(Sent { task, is_new: true })
}

async fn follow_up(
    hub: &Hub,
    visitor: &AgentCaller,
    task_id: &str,
    context_id: Option<&str>,
    said: Checked,
    push: Option<NewPush>,
) -> Result<Sent, A2aError> {
    let caller = visitor.caller();
    let seen = task_record::read(hub, caller, &visitor.agent, task_id, Extent::now(0)).await?.row.snapshot;
    if context_id.is_some_and(|id| ContextId::parse(id) != Some(seen.context())) {
        return Err(A2aError::params("message.contextId is not the context of message.taskId"));
    }
    if push.is_some() || said.has_files() {
        follow_up::check_may(hub, caller, &seen.id).await?;
    }
    let mut said = said.said(hub, visitor).await?;
    if let Some(push) = push {
        said.push = Some(push.check(hub, &visitor.agent.network_id).await?);
    }
    follow_up::send(hub, caller, NetworkRef::TheTasks, seen.id.as_str(), said).await?;
    Ok(Sent { task: seen.id, is_new: false })
}
