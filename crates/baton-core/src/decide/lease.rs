//! Work under a lease: taken up, kept, and taken back when the worker goes silent.
//! Leases run on monotonic time; a lease is lost the moment its deadline passes, swept or not.

use super::{Context, delivered_again, end_lease, finish, stuck};
use crate::bounded::{ArtifactId, LeaseSeconds};
use crate::effects::{
    Delivered, DueChange, Effects, InboxChange, LeaseUpdate, Notice, ProgressUpdate, RowChange,
};
use crate::event::Event;
use crate::ids::LeaseId;
use crate::machine::{self, Step};
use crate::progress::Progress;
use crate::refusal::Refusal;
use crate::status::Status;
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
    let row = RowChange {
        started_at: Some(context.now),
        lease: Some(LeaseUpdate::Grant { lease, expires_at }),
        inbox: Some(InboxChange::Hide),
        // What was reported of an earlier run says nothing of this one.
        progress: Some(ProgressUpdate::Clear),
        ..RowChange::default()
    };
    let event = Event::Claimed { attempt: task.attempt };
    Ok(Transition::to(task, to, &context.actor, event).with(Effects { row, ..Effects::default() }))
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
    let row = RowChange { lease: Some(LeaseUpdate::Extend { lease, expires_at }), ..RowChange::default() };
    Ok(Transition::stay(task, &context.actor).with(Effects { row, ..Effects::default() }))
}

/// The task keeps running; its history gets a row, so that followers receive the artifact in order.
pub(super) fn share(
    task: &TaskSnapshot,
    lease_id: &LeaseId,
    artifact_id: &ArtifactId,
    context: &Context,
) -> Result<Transition, Refusal> {
    held(task, lease_id, context)?;
    if task.status != Status::Running {
        return Err(stuck(task.status));
    }
    let event = Event::ArtifactShared { artifact_id: artifact_id.as_str().to_owned() };
    Ok(Transition::to(task, task.status, &context.actor, event))
}

/// Progress is not a transition: the status stays and the history gets no row.
pub(super) fn report(
    task: &TaskSnapshot,
    lease_id: &LeaseId,
    progress: &Progress,
    context: &Context,
) -> Result<Transition, Refusal> {
    held(task, lease_id, context)?;
    let progress = (!progress.is_empty()).then(|| ProgressUpdate::Report(progress.clone()));
    let row = RowChange { progress, ..RowChange::default() };
    Ok(Transition::stay(task, &context.actor).with(Effects { row, ..Effects::default() }))
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
    if task.status == Status::WaitingInput {
        return lapse_waiting(task, context);
    }
    if task.attempt >= task.max_attempts {
        return finish::give_up(task, context);
    }
    let to = machine::next(task.status, Step::Lapse).ok_or(Refusal::LeaseLost)?;
    let attempt = task.attempt + 1;
    let row = RowChange { attempt: Some(attempt), lease: end_lease(task), ..RowChange::default() };
    let effects = match task.runs.retry_backoff.get() {
        0 => {
            let delivered = Some(delivered_again(task, context));
            let row = RowChange { delivered, inbox: Some(InboxChange::Show), ..row };
            let notices = vec![(task.assignee(), Notice::NewTask)];
            Effects { row, notices, ..Effects::default() }
        }
        // It stays out of the inbox until its pause is over, and has its whole time after that.
        seconds => {
            let due_at = context.now.plus_seconds(seconds);
            let delivered = Delivered { at: context.now, expires_at: due_at.plus_seconds(task.ttl.get()) };
            let due = Some(DueChange::At(due_at));
            let row = RowChange { delivered: Some(delivered), inbox: Some(InboxChange::Hide), due, ..row };
            Effects { row, ..Effects::default() }
        }
    };
    Ok(Transition::to(task, to, &context.actor, Event::LeaseLapsed { attempt }).with(effects))
}

/// The question stands, so the task keeps waiting and no attempt is lost: the answer makes a new delivery.
fn lapse_waiting(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::Lapse).ok_or(Refusal::LeaseLost)?;
    let row = RowChange { lease: end_lease(task), ..RowChange::default() };
    let lapsed = Transition::to(task, to, &context.actor, Event::LeaseLapsedWaiting);
    Ok(lapsed.with(Effects { row, ..Effects::default() }))
}

/// Whether a worker holds the task at this moment.
pub(super) fn is_held(task: &TaskSnapshot, context: &Context) -> bool {
    task.lease.as_ref().is_some_and(|lease| context.monotonic < lease.deadline)
}

/// Refuses a lease that was named and has expired; naming none is not an error.
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
