//! What happens while a task is open: it is seen, taken up without a lease, asked about and answered.
//! Work under a lease is in `lease.rs`.

use super::{Context, delivered_again, lease, stuck, void_lease};
use crate::bounded::MessageText;
use crate::effect::{DeliveryContent, Effect, Notice};
use crate::event::Event;
use crate::ids::LeaseId;
use crate::machine::{self, Step};
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::status::Status;
use crate::task::TaskSnapshot;
use crate::transition::Transition;

/// A delivery may still be open after the work began; acking it then leaves the status alone.
pub(super) fn ack(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let transition = match machine::next(task.status, Step::Acknowledge) {
        Some(to) => Transition::to(task, to, &context.actor, Event::Acknowledged),
        None if task.is_in_inbox => Transition::stay(task, &context.actor),
        None => return Err(Refusal::MessageNotOpen),
    };
    Ok(transition.with([Effect::AckTaskDelivery]))
}

/// The delivery stays open: an agent may report working first and acknowledge after.
pub(super) fn start(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::TakeUp).ok_or(stuck(task.status))?;
    Ok(Transition::to(task, to, &context.actor, Event::Started).with([Effect::SetStartedAt(context.now)]))
}

pub(super) fn ask_sender(
    task: &TaskSnapshot,
    question: &MessageText,
    lease_id: Option<&LeaseId>,
    context: &Context,
) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::Ask).ok_or(stuck(task.status))?;
    lease::check(task, lease_id, context)?;
    Ok(Transition::to(task, to, &context.actor, Event::SenderAsked)
        .with(void_lease(task))
        .with([Effect::HideTaskDelivery])
        .with(message(&task.from, question, context)))
}

/// The task goes back to its agent as a new delivery: the old one may have been acked long ago. The question is done.
pub(super) fn answer(
    task: &TaskSnapshot,
    text: &MessageText,
    context: &Context,
) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::Answer).ok_or(if task.status.is_terminal() {
        Refusal::TaskIsTerminal { status: task.status }
    } else {
        Refusal::TaskIsNotWaitingInput { status: task.status }
    })?;
    let assignee = task.assignee();
    Ok(Transition::to(task, to, &context.actor, Event::Answered)
        .with([
            delivered_again(task, context),
            Effect::AckEveryDelivery,
            Effect::Deliver {
                message_id: context.new_delivery_id.clone(),
                to: assignee.clone(),
                content: DeliveryContent::Task,
            },
        ])
        .with(message(&assignee, text, context))
        .with([Effect::Notify { to: assignee, notice: Notice::NewTask }]))
}

/// What the sender says on an open task: the answer if one was asked for, else a message that changes nothing.
pub(super) fn follow_up(
    task: &TaskSnapshot,
    text: &MessageText,
    context: &Context,
) -> Result<Transition, Refusal> {
    match task.status {
        Status::WaitingInput => answer(task, text, context),
        status if status.is_terminal() => Err(Refusal::TaskIsTerminal { status }),
        _ => Ok(Transition::stay(task, &context.actor).with(message(&task.assignee(), text, context))),
    }
}

fn message(to: &Principal, text: &MessageText, context: &Context) -> [Effect; 2] {
    let message_id = context.new_message_id.clone();
    let content = DeliveryContent::Message(text.as_str().to_owned());
    [
        Effect::Deliver { message_id: message_id.clone(), to: to.clone(), content },
        Effect::Notify { to: to.clone(), notice: Notice::NewMessage { message_id } },
    ]
}
