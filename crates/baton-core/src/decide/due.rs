//! When the hub acts on a task by itself beside leases and expiry: a run that takes longer than its sender allows is ended,
//! and a task whose lease lapsed is delivered again after its pause. A task has one such time: it runs, or it pauses.

use super::{Context, finish};
use crate::effects::{Delivered, DueChange, Effects, InboxChange, Notice, RowChange};
use crate::refusal::Refusal;
use crate::status::Status;
use crate::task::TaskSnapshot;
use crate::transition::Transition;

/// The time has come, unless the clock was put ahead or the task continued meanwhile.
pub(super) fn come(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let due_at = task.due_at.ok_or(Refusal::TaskNotOverdue)?;
    let seconds = match task.status {
        Status::Running => task.runs.run_timeout.map(|timeout| timeout.get()),
        Status::Delivered => Some(task.runs.retry_backoff.get()),
        _ => None,
    };
    let set_at = due_at.plus_millis(-1_000 * i64::from(seconds.ok_or(Refusal::TaskNotOverdue)?));
    if context.clock_jumps.now_since(set_at, context.now) < due_at {
        return Err(Refusal::TaskNotOverdue);
    }
    match task.status {
        Status::Running => finish::time_out(task, context),
        _ => Ok(deliver(task, context)),
    }
}

/// The pause is over: the task is in its agent's inbox again. The lapse before it is its row of history.
fn deliver(task: &TaskSnapshot, context: &Context) -> Transition {
    let expires_at = context.now.plus_seconds(task.ttl.get());
    let row = RowChange {
        delivered: Some(Delivered { at: context.now, expires_at }),
        inbox: Some(InboxChange::Show),
        ..RowChange::default()
    };
    let notices = vec![(task.assignee(), Notice::NewTask)];
    Transition::stay(task, &context.actor).with(Effects { row, notices, ..Effects::default() })
}

/// Sets the time again wherever a task moves or is delivered: a run has its whole time from its beginning, also after an
/// answer, and nothing else is waited for.
pub(super) fn arm(task: &TaskSnapshot, mut transition: Transition, context: &Context) -> Transition {
    let row = &mut transition.effects.row;
    let is_delivered = row.delivery.is_some() || row.inbox == Some(InboxChange::Show);
    let is_move = transition.from != Some(transition.to);
    if transition.effects.created.is_some() || row.due.is_some() || !(is_move || is_delivered) {
        return transition;
    }
    row.due = match task.runs.run_timeout.filter(|_| transition.to == Status::Running) {
        Some(timeout) => Some(DueChange::At(context.now.plus_seconds(timeout.get()))),
        None => task.due_at.map(|_| DueChange::Never),
    };
    transition
}
