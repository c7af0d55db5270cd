//! An open task goes to another agent: old deliveries and any lease are void, a new delivery is made.
//! A task that has ended is not handed on but retried, in `create.rs`.

use super::{Context, delivered_again, end_lease, stuck};
use crate::alias::Alias;
use crate::effects::{Effects, InboxChange, Notice, RowChange};
use crate::event::Event;
use crate::machine::{self, Step};
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::task::TaskSnapshot;
use crate::transition::Transition;

/// The attempts already made count on: a task that kills its workers does not live forever.
pub(super) fn reassign(
    task: &TaskSnapshot,
    new_alias: &Alias,
    context: &Context,
) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::Reassign).ok_or(stuck(task.status))?;
    if !context.facts.recipient_exists {
        return Err(Refusal::AliasNotFound);
    }
    task.kind.check_ends(&task.from, new_alias)?;
    let assignee = Principal::Node(new_alias.clone());
    let event = Event::Reassigned { from: task.to.clone(), to: new_alias.clone() };
    let row = RowChange {
        assignee: Some(new_alias.clone()),
        delivered: Some(delivered_again(task, context)),
        lease: end_lease(task),
        inbox: Some(InboxChange::AckEvery),
        delivery: Some(context.new_message_id.clone()),
        ..RowChange::default()
    };
    let notices = vec![(task.assignee(), Notice::TaskReassigned), (assignee, Notice::NewTask)];
    let effects = Effects { row, notices, ..Effects::default() };
    Ok(Transition::to(task, to, &context.actor, event).with(effects))
}
