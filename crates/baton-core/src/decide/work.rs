//! What happens while a task is open: it is seen, taken up without a lease, asked about and answered.
//! Work under a lease is in `lease.rs`.

use super::{Context, delivered_again, end_lease, lease, stuck};
use crate::bounded::MessageText;
use crate::effects::{Delivery, DeliveryContent, Effects, InboxMove, Notice, RowChange};
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
    let row = RowChange { inbox: Some(InboxMove::Ack), ..RowChange::default() };
    Ok(transition.with(Effects { row, ..Effects::default() }))
}

/// The delivery stays open: an agent may report working first and acknowledge after.
pub(super) fn start(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::TakeUp).ok_or(stuck(task.status))?;
    let row = RowChange { started_at: Some(context.now), ..RowChange::default() };
    let started = Transition::to(task, to, &context.actor, Event::Started);
    Ok(started.with(Effects { row, ..Effects::default() }))
}

pub(super) fn ask_sender(
    task: &TaskSnapshot,
    question: &MessageText,
    lease_id: Option<&LeaseId>,
    context: &Context,
) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::Ask).ok_or(stuck(task.status))?;
    lease::check(task, lease_id, context)?;
    let row = RowChange { lease: end_lease(task), inbox: Some(InboxMove::Hide), ..RowChange::default() };
    let effects = Effects { row, ..message(&task.from, question, context) };
    Ok(Transition::to(task, to, &context.actor, Event::SenderAsked).with(effects))
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
    let row = RowChange {
        delivered: Some(delivered_again(task, context)),
        inbox: Some(InboxMove::AckEvery),
        delivery: Some(context.new_delivery_id.clone()),
        ..RowChange::default()
    };
    let mut effects = Effects { row, ..message(&assignee, text, context) };
    effects.notices.push((assignee, Notice::NewTask));
    Ok(Transition::to(task, to, &context.actor, Event::Answered).with(effects))
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

fn message(to: &Principal, text: &MessageText, context: &Context) -> Effects {
    let message_id = context.new_message_id.clone();
    let content = DeliveryContent::Message(text.as_str().to_owned());
    Effects {
        delivery: Some(Delivery { message_id: message_id.clone(), to: to.clone(), content }),
        notices: vec![(to.clone(), Notice::NewMessage { message_id })],
        ..Effects::default()
    }
}
