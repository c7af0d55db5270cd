//! An open task goes to another agent: old deliveries and any lease are void, a new delivery is made.
//! A task that has ended is not handed on but retried, in `create.rs`.

use super::{Context, delivered_again, stuck, void_lease};
use crate::alias::Alias;
use crate::effect::{DeliveryContent, Effect, Notice};
use crate::event::Event;
use crate::machine::{self, Step};
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::task::TaskSnapshot;
use crate::transition::Transition;

/// The attempts already made count on: a task that kills its workers does not live for ever.
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
    Ok(Transition::to(task, to, &context.actor, event)
        .with([Effect::SetAssignee(new_alias.clone()), delivered_again(task, context)])
        .with(void_lease(task))
        .with([
            Effect::AckEveryDelivery,
            Effect::Deliver {
                message_id: context.new_message_id.clone(),
                to: assignee.clone(),
                content: DeliveryContent::Task,
            },
            Effect::Notify { to: task.assignee(), notice: Notice::TaskReassigned },
            Effect::Notify { to: assignee, notice: Notice::NewTask },
        ]))
}
