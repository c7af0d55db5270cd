//! The ends of a task. Every end writes `completed_at`, voids the lease and acks every open delivery; the
//! sender is told, and so are the two ends of the parent, whose row is never touched.

use super::{Context, lease, stuck, void_lease};
use crate::bounded::{Reason, ReplyText, ResultText};
use crate::effect::{DeliveryContent, Effect, Notice};
use crate::event::Event;
use crate::ids::LeaseId;
use crate::machine::{self, Step};
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::status::{Ending, Status};
use crate::task::TaskSnapshot;
use crate::transition::Transition;

/// What the sender of an expired task reads.
const EXPIRED_TEXT: &str = "the task expired before it was answered";

pub(super) fn reply(
    task: &TaskSnapshot,
    ending: Ending,
    text: &ReplyText,
    lease_id: Option<&LeaseId>,
    context: &Context,
) -> Result<Transition, Refusal> {
    answered(task, ending, text.as_str(), lease_id, Event::Replied { ending }, context)
}

pub(super) fn complete(
    task: &TaskSnapshot,
    result: &ResultText,
    lease_id: Option<&LeaseId>,
    context: &Context,
) -> Result<Transition, Refusal> {
    answered(task, Ending::Replied, result.as_str(), lease_id, Event::Completed, context)
}

fn answered(
    task: &TaskSnapshot,
    ending: Ending,
    text: &str,
    lease_id: Option<&LeaseId>,
    event: Event,
    context: &Context,
) -> Result<Transition, Refusal> {
    if task.status.is_terminal() {
        return Err(Refusal::ReplyTaskTerminal { status: task.status });
    }
    lease::check(task, lease_id, context)?;
    let to = machine::next(task.status, Step::End(ending)).ok_or(stuck(task.status))?;
    Ok(ended(task, to, event, Some(text), context)
        .with(tell_sender(task, to, text, context))
        .with(tell_parent(task, to)))
}

/// The worker is told whoever cancels: another worker of the same alias may hold the lease.
pub(super) fn cancel(
    task: &TaskSnapshot,
    reason: Option<&Reason>,
    context: &Context,
) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::Cancel).ok_or(stuck(task.status))?;
    let reason = match reason.map(Reason::as_str) {
        Some(reason) if !reason.is_empty() => reason.to_owned(),
        _ => format!("cancelled by {}", context.actor.name()),
    };
    let assignee = task.assignee();
    let sender = (task.from != context.actor && task.from != assignee).then(|| task.from.clone());
    let told = std::iter::once(assignee).chain(sender);
    let notice = Notice::TaskCancelled { reason: reason.clone() };
    let event = Event::Cancelled { reason: reason.clone() };
    Ok(ended(task, to, event, Some(&reason), context)
        .with(told.map(|to| Effect::Notify { to, notice: notice.clone() }))
        .with(tell_parent(task, to)))
}

/// Work in progress is never thrown away: a lease, or a sign of life, keeps an overdue task open.
pub(super) fn expire(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::Expire).ok_or(stuck(task.status))?;
    let now_since = |set_at| context.clock_jumps.now_since(set_at, context.now);
    let assignee = &context.facts.assignee;
    let is_in_work = match task.status {
        Status::Acked | Status::Running => {
            let now = assignee.last_call_at.map_or(context.now, now_since);
            task.lease.is_some() || !assignee.has_abandoned_work(now)
        }
        _ => false,
    };
    let delivered_at = task.expires_at.plus_millis(-1_000 * i64::from(task.ttl.get()));
    if now_since(delivered_at) < task.expires_at || is_in_work {
        return Err(Refusal::TaskNotOverdue);
    }
    Ok(ended(task, to, Event::Expired, None, context)
        .with(tell_sender(task, to, EXPIRED_TEXT, context))
        .with(tell_parent(task, to)))
}

/// The last lease lapsed and no delivery is left.
pub(super) fn give_up(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::GiveUp).ok_or(Refusal::LeaseLost)?;
    let event = Event::GivenUp { attempts: task.attempt };
    let result = event.to_string();
    Ok(ended(task, to, event, Some(&result), context)
        .with(tell_sender(task, to, &result, context))
        .with(tell_parent(task, to)))
}

/// What every end does. Deliveries are acked before the sender's new one is made.
fn ended(
    task: &TaskSnapshot,
    to: Status,
    event: Event,
    result: Option<&str>,
    context: &Context,
) -> Transition {
    Transition::to(task, to, &context.actor, event)
        .with(result.map(|text| Effect::SetResult(text.to_owned())))
        .with([Effect::SetCompletedAt(context.now)])
        .with(void_lease(task))
        .with([Effect::AckEveryDelivery])
}

fn tell_sender(task: &TaskSnapshot, status: Status, text: &str, context: &Context) -> [Effect; 2] {
    let message_id = context.new_message_id.clone();
    let content = DeliveryContent::Reply { status, text: text.to_owned() };
    [
        Effect::Deliver { message_id: message_id.clone(), to: task.from.clone(), content },
        Effect::Notify { to: task.from.clone(), notice: Notice::NewReply { message_id, status } },
    ]
}

fn tell_parent(task: &TaskSnapshot, status: Status) -> Vec<Effect> {
    let Some(parent) = &task.parent else { return Vec::new() };
    let notice =
        Notice::ChildReply { parent_task_id: parent.id.clone(), child_task_id: task.id.clone(), status };
    let assignee = Principal::Node(parent.to.clone());
    let sender = (parent.from != assignee).then(|| parent.from.clone());
    let told = sender.into_iter().chain([assignee]);
    told.map(|to| Effect::Notify { to, notice: notice.clone() }).collect()
}
