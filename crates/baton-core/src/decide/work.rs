//! What happens while a task is open: it is seen, taken up without a lease, asked about and answered.
//! Work under a lease is in `lease.rs`.

use super::{Context, delivered_again, end_lease, lease, stuck, whole_time};
use crate::bounded::MessageText;
use crate::effects::{Delivery, DeliveryContent, Effects, InboxChange, Notice, RowChange};
use crate::event::Event;
use crate::machine::{self, Step};
use crate::principal::Principal;
use crate::question::{Question, QuestionLease, TaskMessage};
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
    let row = RowChange { inbox: Some(InboxChange::Ack), ..RowChange::default() };
    Ok(transition.with(Effects { row, ..Effects::default() }))
}

/// The delivery stays open: an agent may report working first and acknowledge after.
pub(super) fn start(task: &TaskSnapshot, context: &Context) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::TakeUp).ok_or(stuck(task.status))?;
    let row = RowChange { started_at: Some(context.now), ..RowChange::default() };
    let started = Transition::to(task, to, &context.actor, Event::Started);
    Ok(started.with(Effects { row, ..Effects::default() }))
}

/// The lease ends, unless its worker waits for the answer under it. From now on the question's time counts.
pub(super) fn ask_sender(
    task: &TaskSnapshot,
    question: &Question,
    under: &QuestionLease,
    context: &Context,
) -> Result<Transition, Refusal> {
    let to = machine::next(task.status, Step::Ask).ok_or(stuck(task.status))?;
    lease::check(task, under.lease_id(), context)?;
    let row = RowChange {
        expires_at: Some(context.now.plus_seconds(question.terms.input_ttl.get())),
        lease: if matches!(under, QuestionLease::Kept(_)) { None } else { end_lease(task) },
        inbox: Some(InboxChange::Hide),
        ..RowChange::default()
    };
    let said = message(&task.from, TaskMessage::Question(question.clone()), context);
    Ok(Transition::to(task, to, &context.actor, Event::SenderAsked).with(Effects { row, ..said }))
}

/// A worker that waits for the answer continues under its lease. Else the task goes back to its agent as a new delivery:
/// the old one may have been acked long ago. Either way the question is done.
pub(super) fn answer(
    task: &TaskSnapshot,
    text: &MessageText,
    context: &Context,
) -> Result<Transition, Refusal> {
    let is_held = lease::is_held(task, context);
    let step = if is_held { Step::Resume } else { Step::Answer };
    let to = machine::next(task.status, step).ok_or(if task.status.is_terminal() {
        Refusal::TaskIsTerminal { status: task.status }
    } else {
        Refusal::TaskIsNotWaitingInput { status: task.status }
    })?;
    context.facts.question.options.check(text)?;
    let assignee = task.assignee();
    let mut effects = message(&assignee, TaskMessage::Answer(text.as_str().to_owned()), context);
    if is_held {
        effects.row = RowChange {
            expires_at: Some(whole_time(task, context)),
            inbox: Some(InboxChange::AckOthers),
            ..RowChange::default()
        };
    } else {
        effects.row = RowChange {
            delivered: Some(delivered_again(task, context)),
            lease: end_lease(task),
            inbox: Some(InboxChange::AckEvery),
            delivery: Some(context.new_delivery_id.clone()),
            ..RowChange::default()
        };
        effects.notices.push((assignee, Notice::NewTask));
    }
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
        _ => {
            let said = message(&task.assignee(), TaskMessage::Message(text.as_str().to_owned()), context);
            Ok(Transition::stay(task, &context.actor).with(said))
        }
    }
}

fn message(to: &Principal, message: TaskMessage, context: &Context) -> Effects {
    let message_id = context.new_message_id.clone();
    let content = DeliveryContent::Message(message);
    Effects {
        delivery: Some(Delivery { message_id: message_id.clone(), to: to.clone(), content }),
        notices: vec![(to.clone(), Notice::NewMessage { message_id })],
        ..Effects::default()
    }
}
