//! Tasks come into being here: by a send, and by a retry of one that ended without an answer.
//! Their text and other payload are not looked at.

use super::{Context, delegation};
use crate::command::SendTask;
use crate::effects::{Effects, NewTask, Notice, RowChange};
use crate::event::Event;
use crate::kind::Kind;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::status::Status;
use crate::task::TaskSnapshot;
use crate::transition::Transition;
use crate::uuid::{MessageId, TaskId};

pub(super) fn send(send: &SendTask, context: &Context) -> Result<Transition, Refusal> {
    let kind = Kind::of_task(send.kind.as_ref(), &context.actor, &send.to)?;
    if !context.facts.recipient_exists {
        return Err(Refusal::AliasNotFound);
    }
    if let Some(parent_id) = &send.parent_task_id {
        // A parent of another network and one that does not exist answer alike.
        let parent = context.facts.parent.as_ref();
        parent
            .filter(|parent| parent.id == *parent_id && parent.network_id == send.network_id)
            .ok_or(Refusal::CrossNetworkParent)?;
        delegation::check(send, &context.facts)?;
    }
    let task = NewTask {
        id: send.task_id.clone(),
        network_id: send.network_id.clone(),
        from: context.actor.clone(),
        to: send.to.clone(),
        kind,
        attempt: 1,
        max_attempts: send.max_attempts.get(),
        runs: send.runs,
        ttl: send.ttl,
        delivered_at: context.now,
        expires_at: context.now.plus_seconds(send.ttl.get()),
        parent_task_id: send.parent_task_id.clone(),
        retry_of: None,
        context_id: send.context_id.clone(),
    };
    Ok(created(task, Event::Sent, &context.actor))
}

/// Terminal is final: the old row is not touched, a new task takes its place with the same sender.
pub(super) fn retry(old: &TaskSnapshot, new_id: &TaskId, context: &Context) -> Result<Transition, Refusal> {
    if !old.status.is_retryable() {
        return Err(Refusal::TaskNotRetryable { status: old.status });
    }
    if let Some(retried_to) = &old.retried_to {
        return Err(Refusal::AlreadyRetried { retried_to: retried_to.clone() });
    }
    if !context.facts.recipient_exists {
        return Err(Refusal::AliasNotFound);
    }
    let task = NewTask {
        id: new_id.clone(),
        network_id: old.network_id.clone(),
        from: old.from.clone(),
        to: old.to.clone(),
        kind: old.kind.clone(),
        attempt: 1,
        max_attempts: old.max_attempts,
        runs: old.runs,
        ttl: old.ttl,
        delivered_at: context.now,
        expires_at: context.now.plus_seconds(old.ttl.get()),
        parent_task_id: old.parent.as_ref().map(|parent| parent.id.clone()),
        retry_of: Some(old.id.clone()),
        context_id: Some(old.context()),
    };
    Ok(created(task, Event::Retried { retry_of: old.id.clone() }, &context.actor))
}

/// A task's first delivery has the task's id.
fn created(task: NewTask, event: Event, actor: &Principal) -> Transition {
    let task_id = task.id.clone();
    let message_id = MessageId::from(&task_id);
    let to = Principal::Node(task.to.clone());
    Transition {
        task_id,
        from: None,
        to: Status::Delivered,
        actor: actor.clone(),
        event: Some(event),
        effects: Effects {
            created: Some(Box::new(task)),
            row: RowChange { delivery: Some(message_id), ..RowChange::default() },
            delivery: None,
            notices: vec![(to, Notice::NewTask)],
        },
    }
}
