//! The ends of a task. Every end writes `completed_at`, voids the lease and acks every open delivery; the
//! sender is notified, and so are both parties of the parent, whose row is never touched.

use super::{Context, end_lease, lease, stuck};
use crate::bounded::{Reason, ReplyText, ResultText};
use crate::effects::{Delivery, DeliveryContent, Effects, InboxChange, Notice, RowChange};
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
    let mut ended = notice(task, to, event, Some(text), text, context);
    ended.effects.row.is_rejected = ending == Ending::Rejected;
    Ok(ended)
}

/// The worker is always notified: another worker of the same alias may hold the lease.
pub(super) fn cancel(
    task: &TaskSnapshot,
    reason: Option<&Reason>,
    context: &Context,
) -> Result<Transition, Refusal> {
    called_off(task, reason, |reason| Event::Cancelled { reason }, context)
}

/// The same for a task that ends with one it is a part of: its result says why that one was cancelled.
pub(super) fn cancel_with_parent(
    task: &TaskSnapshot,
    reason: Option<&Reason>,
    context: &Context,
) -> Result<Transition, Refusal> {
    called_off(task, reason, |reason| Event::CancelledWithParent { reason }, context)
}

fn called_off(
    task: &TaskSnapshot,
    reason: Option<&Reason>,
    event: impl FnOnce(String) -> Event,
    context: &Context,
) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::Cancel).ok_or(stuck(task.status))?;
    let reason = match reason.map(Reason::as_str) {
        Some(reason) if !reason.is_empty() => reason.to_owned(),
        _ => format!("cancelled by {}", context.actor.name()),
    };
    let assignee = task.assignee();
    let sender = (task.from != context.actor && task.from != assignee).then(|| task.from.clone());
    let notice = Notice::TaskCancelled { reason: reason.clone() };
    let ends = std::iter::once(assignee).chain(sender).map(|end| (end, notice.clone()));
    let effects = Effects {
        row: ended(task, Some(&reason), context),
        notices: ends.chain(to_parent(task, to)).collect(),
        ..Effects::default()
    };
    Ok(Transition::to(task, to, &context.actor, event(reason)).with(effects))
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
    let ttl_seconds = match task.status {
        Status::WaitingInput => context.facts.question.input_ttl.get(),
        _ => task.ttl.get(),
    };
    let waits_since = task.expires_at.plus_millis(-1_000 * i64::from(ttl_seconds));
    if now_since(waits_since) < task.expires_at || is_in_work {
        return Err(Refusal::TaskNotOverdue);
    }
    Ok(notice(task, to, Event::Expired, None, EXPIRED_TEXT, context))
}

/// The last lease lapsed and no delivery is left.
pub(super) fn give_up(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::GiveUp).ok_or(Refusal::LeaseLost)?;
    let event = Event::GivenUp { attempts: task.attempt };
    let result = event.to_string();
    Ok(notice(task, to, event, Some(&result), &result, context))
}

/// The run took longer than its sender allows. Its worker finds the lease lost.
pub(super) fn time_out(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::TimeOut).ok_or(stuck(task.status))?;
    let event = Event::RunTimedOut;
    let result = event.to_string();
    Ok(notice(task, to, event, Some(&result), &result, context))
}

/// An end that the sender reads of in their inbox.
fn notice(
    task: &TaskSnapshot,
    to: Status,
    event: Event,
    result: Option<&str>,
    text: &str,
    context: &Context,
) -> Transition {
    let (sender, message_id) = (task.from.clone(), context.new_message_id.clone());
    let notice = Notice::NewReply { message_id: message_id.clone(), status: to };
    let content = DeliveryContent::Reply(text.to_owned());
    let effects = Effects {
        row: ended(task, result, context),
        delivery: Some(Delivery { message_id, to: sender.clone(), content }),
        notices: std::iter::once((sender, notice)).chain(to_parent(task, to)).collect(),
        ..Effects::default()
    };
    Transition::to(task, to, &context.actor, event).with(effects)
}

/// What every end does to the row.
fn ended(task: &TaskSnapshot, result: Option<&str>, context: &Context) -> RowChange {
    RowChange {
        result: result.map(str::to_owned),
        completed_at: Some(context.now),
        lease: end_lease(task),
        inbox: Some(InboxChange::AckEvery),
        ..RowChange::default()
    }
}

/// The notices for both ends of the parent.
fn to_parent(task: &TaskSnapshot, status: Status) -> Vec<(Principal, Notice)> {
    let Some(parent) = &task.parent else { return Vec::new() };
    let notice =
        Notice::ChildReply { parent_task_id: parent.id.clone(), child_task_id: task.id.clone(), status };
    let assignee = Principal::Node(parent.to.clone());
    let sender = (parent.from != assignee).then(|| parent.from.clone());
    sender.into_iter().chain([assignee]).map(|end| (end, notice.clone())).collect()
}
