//! What happened to a task, in the past tense: one row of its history.
//! Which status it left and reached, and who did it, stands beside it in the transition.

use std::fmt;

use crate::alias::Alias;
use crate::status::Ending;
use crate::uuid::TaskId;

/// What happened to a task; its text is the `detail` of the event row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It was made and delivered.
    Sent,
    /// It was made of a task that had ended.
    Retried {
        /// That task.
        retry_of: TaskId,
    },
    /// Its assignee saw it.
    Acknowledged,
    /// Its assignee reported working on it.
    Started,
    /// A worker took it up under a lease.
    Claimed {
        /// Which delivery it was.
        attempt: u32,
    },
    /// The worker went silent and the task was delivered again.
    LeaseLapsed {
        /// Which delivery this made it.
        attempt: u32,
    },
    /// The worker went silent while the task waited for its sender, and the task keeps waiting.
    LeaseLapsedWaiting,
    /// The worker went silent once too often.
    GivenUp {
        /// How many deliveries there had been.
        attempts: u32,
    },
    /// The worker shared an artifact, or more of one.
    ArtifactShared {
        /// Which one.
        artifact_id: String,
    },
    /// The worker asked the sender.
    SenderAsked,
    /// The sender answered.
    Answered,
    /// It was replied to.
    Replied {
        /// How it ended.
        ending: Ending,
    },
    /// A completion was reported.
    Completed,
    /// It was cancelled.
    Cancelled {
        /// The reason, given by the actor or else by the hub.
        reason: String,
    },
    /// It was cancelled with a task it is a part of.
    CancelledWithParent {
        /// Why that was.
        reason: String,
    },
    /// Its time was over.
    Expired,
    /// Its run took longer than its sender allows.
    RunTimedOut,
    /// It was given to another agent.
    Reassigned {
        /// Who had it.
        from: Alias,
        /// Who has it now.
        to: Alias,
    },
}

/// Which text comes with an event, for the evidence of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventText<'a> {
    /// The new task's.
    Content,
    /// That of the message it brings.
    Message,
    /// The task's result.
    Result,
    /// This reason.
    Reason(&'a str),
    /// None.
    Nothing,
}

impl Event {
    /// The text that comes with it.
    pub fn text(&self) -> EventText<'_> {
        match self {
            Self::Sent | Self::Retried { .. } => EventText::Content,
            Self::SenderAsked | Self::Answered => EventText::Message,
            Self::Replied { .. } | Self::Completed | Self::GivenUp { .. } | Self::RunTimedOut => {
                EventText::Result
            }
            Self::Cancelled { reason } | Self::CancelledWithParent { reason } => EventText::Reason(reason),
            Self::Acknowledged
            | Self::Started
            | Self::ArtifactShared { .. }
            | Self::Claimed { .. }
            | Self::LeaseLapsed { .. }
            | Self::LeaseLapsedWaiting
            | Self::Expired
            | Self::Reassigned { .. } => EventText::Nothing,
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sent => f.write_str("sent"),
            Self::Retried { retry_of } => write!(f, "retry of {retry_of}"),
            Self::Acknowledged => f.write_str("acknowledged"),
            Self::Started => f.write_str("started"),
            Self::Claimed { attempt } => write!(f, "claimed, attempt {attempt}"),
            Self::LeaseLapsed { attempt } => write!(f, "lease lapsed, delivered again as attempt {attempt}"),
            Self::LeaseLapsedWaiting => f.write_str("lease lapsed while waiting for input"),
            Self::GivenUp { attempts } => write!(f, "lease expired after {attempts} attempts"),
            Self::ArtifactShared { artifact_id } => write!(f, "artifact {artifact_id} shared"),
            Self::SenderAsked => f.write_str("sender asked for input"),
            Self::Answered => f.write_str("sender answered"),
            Self::Replied { ending } => write!(f, "reply: {ending}"),
            Self::Completed => f.write_str("completion reported"),
            Self::Cancelled { reason } => f.write_str(reason),
            Self::CancelledWithParent { .. } => f.write_str("cancelled with its parent"),
            Self::Expired => f.write_str("expired"),
            Self::RunTimedOut => f.write_str("run_timeout"),
            Self::Reassigned { from, to } => write!(f, "reassigned from {from} to {to}"),
        }
    }
}
