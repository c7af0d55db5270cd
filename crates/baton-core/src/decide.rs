//! The one decision of the hub: a task as it stands, a command and its circumstances give a transition or a
//! refusal. Every door and every engine asks here. Who may give the command is decided first, in `access.rs`;
//! which status follows which is in `machine.rs`; what goes with each move is in the files of `decide/`.

mod create;
mod delegation;
mod due;
mod finish;
mod hand_on;
mod lease;
mod work;

use crate::clock_jumps::ClockJumps;
use crate::command::Command;
use crate::effects::{Delivered, LeaseUpdate};
use crate::presence::Presence;
use crate::principal::Principal;
use crate::question::QuestionTerms;
use crate::refusal::Refusal;
use crate::status::Status;
use crate::task::{ChainTask, ParentTask, TaskSnapshot};
use crate::time::{MonotonicMillis, UnixMillis};
use crate::transition::Transition;
use crate::uuid::MessageId;

/// The circumstances of a command, stamped once by the service, which also fills in the facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Who acts, as the token says.
    pub actor: Principal,
    /// The wall clock.
    pub now: UnixMillis,
    /// How the wall clock was put ahead while the hub ran.
    pub clock_jumps: ClockJumps,
    /// The clock leases run on.
    pub monotonic: MonotonicMillis,
    /// An id for the one delivery this decision may make beside a new task's own.
    pub new_message_id: MessageId,
    /// An id for a task that is delivered again beside that.
    pub new_delivery_id: MessageId,
    /// What else the decision needs to know.
    pub facts: Facts,
}

/// What a decision needs to know beside the task; the service reads it in the same transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Whether the alias a send, retry or reassign delivers to exists.
    pub recipient_exists: bool,
    /// The parent a send names, if there is such a task.
    pub parent: Option<ParentTask>,
    /// The chain of parents of a send, the parent first, as far as it may go and one task further.
    pub chain: Vec<ChainTask>,
    /// How many tasks that chain may have.
    pub max_chain: usize,
    /// The signs of life of the task's assignee, for an expiry.
    pub assignee: Presence,
    /// The terms of the question that waits, for an answer and an expiry.
    pub question: QuestionTerms,
}

/// Decides what a command does to a task, or which rule it breaks. Nothing but the arguments is read.
pub fn decide(
    task: Option<&TaskSnapshot>,
    command: &Command,
    context: &Context,
) -> Result<Transition, Refusal> {
    if command.is_hubs_own() && context.actor != Principal::Hub {
        return Err(Refusal::PermissionDenied);
    }
    let Some(task) = task else {
        return match command {
            Command::Send(send) => create::send(send, context),
            _ => Err(missing(command)),
        };
    };
    let decided = match command {
        Command::Send(_) => Err(Refusal::TaskExists),
        Command::Ack => work::ack(task, context),
        Command::Start => work::start(task, context),
        Command::Claim { lease_id, lease_seconds } => lease::claim(task, lease_id, *lease_seconds, context),
        Command::Extend { lease_id, lease_seconds } => lease::extend(task, lease_id, *lease_seconds, context),
        Command::ShareArtifact { lease_id, artifact_id } => {
            lease::share(task, lease_id, artifact_id, context)
        }
        Command::ReportProgress { lease_id, progress } => lease::report(task, lease_id, progress, context),
        Command::Reply { ending, text, lease_id } => {
            finish::reply(task, *ending, text, lease_id.as_ref(), context)
        }
        Command::Complete { result, lease_id } => finish::complete(task, result, lease_id.as_ref(), context),
        Command::Cancel { reason } => finish::cancel(task, reason.as_ref(), context),
        Command::CancelWithParent { reason } => finish::cancel_with_parent(task, reason.as_ref(), context),
        Command::Retry { new_task_id } => create::retry(task, new_task_id, context),
        Command::Reassign { new_alias } => hand_on::reassign(task, new_alias, context),
        Command::AskSender { question, under } => work::ask_sender(task, question, under, context),
        Command::Answer { text } => work::answer(task, text, context),
        Command::FollowUp { text } => work::follow_up(task, text, context),
        Command::LapseLease { lease_id } => lease::lapse(task, lease_id, context),
        Command::Expire => finish::expire(task, context),
        Command::ComeDue => due::come(task, context),
    };
    decided.map(|transition| due::arm(task, transition, context))
}

/// How a command is refused when there is no task.
fn missing(command: &Command) -> Refusal {
    match command {
        Command::Reply { .. } => Refusal::ReplyTaskNotFound,
        Command::Extend { .. } | Command::ShareArtifact { .. } | Command::LapseLease { .. } => {
            Refusal::LeaseLost
        }
        _ => Refusal::TaskNotFound,
    }
}

/// How a step is refused that the table has no row for, by where the task stands.
fn stuck(status: Status) -> Refusal {
    match status {
        Status::Delivered | Status::Acked => Refusal::TaskIsNotRunning { status },
        Status::Running => Refusal::TaskIsRunning,
        Status::WaitingInput => Refusal::TaskIsWaitingInput,
        _ => Refusal::TaskIsTerminal { status },
    }
}

/// The lease ends, if there is one.
fn end_lease(task: &TaskSnapshot) -> Option<LeaseUpdate> {
    task.lease.as_ref().map(|_| LeaseUpdate::End)
}

/// A task delivered again may wait its whole time again: work taken back late is not lost to an old deadline.
fn delivered_again(task: &TaskSnapshot, context: &Context) -> Delivered {
    Delivered { at: context.now, expires_at: whole_time(task, context) }
}

/// When the time that its sender gave the task is over, if it begins now.
fn whole_time(task: &TaskSnapshot, context: &Context) -> UnixMillis {
    context.now.plus_seconds(task.ttl.get())
}
