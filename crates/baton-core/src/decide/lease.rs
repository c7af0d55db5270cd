//! Work under a lease: taken up, kept, and taken back when the worker goes silent.
//! Leases run on monotonic time; a lease is lost the moment its deadline passes, swept or not.

use super::{Context, delivered_again, finish, stuck, void_lease};
use crate::bounded::LeaseSeconds;
use crate::effect::{Effect, Notice};
use crate::event::Event;
use crate::ids::LeaseId;
use crate::machine::{self, Step};
use crate::refusal::Refusal;
use crate::task::{Lease, TaskSnapshot};
use crate::time::UnixMillis;
use crate::transition::Transition;

pub(super) fn claim(
    task: &TaskSnapshot,
    lease_id: &LeaseId,
    lease_seconds: LeaseSeconds,
    context: &Context,
) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::TakeUp).ok_or(stuck(task.status))?;
    let deadline = context.monotonic.plus_seconds(lease_seconds.get());
    let lease = Lease { id: lease_id.clone(), deadline };
    let expires_at = on_the_wall(&lease, context);
    Ok(Transition::to(task, to, &context.actor, Event::Claimed { attempt: task.attempt }).with([
        Effect::SetStartedAt(context.now),
        Effect::GrantLease { lease, expires_at },
        Effect::HideTaskDelivery,
    ]))
}

/// An extension never shortens a lease.
pub(super) fn extend(
    task: &TaskSnapshot,
    lease_id: &LeaseId,
    lease_seconds: LeaseSeconds,
    context: &Context,
) -> Result<Transition, Refusal> {
    let held = held(task, lease_id, context)?;
    let deadline = held.deadline.max(context.monotonic.plus_seconds(lease_seconds.get()));
    let lease = Lease { id: lease_id.clone(), deadline };
    let expires_at = on_the_wall(&lease, context);
    Ok(Transition::stay(task, &context.actor).with([Effect::ExtendLease { lease, expires_at }]))
}

pub(super) fn lapse(
    task: &TaskSnapshot,
    lease_id: &LeaseId,
    context: &Context,
) -> Result<Transition, Refusal> {
    let lease = task.lease.as_ref().filter(|lease| lease.id == *lease_id).ok_or(Refusal::LeaseLost)?;
    if context.monotonic < lease.deadline {
        return Err(Refusal::LeaseStillRuns);
    }
    if task.attempt >= task.max_attempts {
        return finish::give_up(task, context);
    }
    let to = machine::next(task.status, Step::Lapse).ok_or(Refusal::LeaseLost)?;
    let attempt = task.attempt + 1;
    Ok(Transition::to(task, to, &context.actor, Event::LeaseLapsed { attempt })
        .with([Effect::SetAttempt(attempt), delivered_again(task, context)])
        .with(void_lease(task))
        .with([Effect::ShowTaskDelivery, Effect::Notify { to: task.assignee(), notice: Notice::NewTask }]))
}

/// Refuses a lease that was named and no longer holds; naming none is no fault.
pub(super) fn check(task: &TaskSnapshot, named: Option<&LeaseId>, context: &Context) -> Result<(), Refusal> {
    named.map_or(Ok(()), |lease_id| held(task, lease_id, context).map(|_| ()))
}

fn held<'a>(task: &'a TaskSnapshot, lease_id: &LeaseId, context: &Context) -> Result<&'a Lease, Refusal> {
    let lease = task.lease.as_ref().filter(|lease| lease.id == *lease_id);
    lease.filter(|lease| context.monotonic < lease.deadline).ok_or(Refusal::LeaseLost)
}

fn on_the_wall(lease: &Lease, context: &Context) -> UnixMillis {
    context.now.plus_millis(lease.deadline.millis_since(context.monotonic))
}
