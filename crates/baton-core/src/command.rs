//! What can be asked of a task, as data. Every door turns its call into one of these and nothing else.
//! Payload that no rule reads (a task's text, context, meta, priority) travels beside the command.

use crate::action::TaskAction;
use crate::alias::Alias;
use crate::bounded::{ArtifactId, LeaseSeconds, MessageText, Reason, ReplyText, ResultText, TtlSeconds};
use crate::ids::{LeaseId, NetworkId};
use crate::kind::Kind;
use crate::progress::Progress;
use crate::question::{Question, QuestionLease};
use crate::run_terms::{MaxAttempts, RunTerms};
use crate::status::Ending;
use crate::uuid::{ContextId, TaskId};

/// One thing asked of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Make a task and deliver it.
    Send(SendTask),
    /// Say that it was seen.
    Ack,
    /// Report working on it, without a lease.
    Start,
    /// Take it up under a lease.
    Claim {
        /// The new lease.
        lease_id: LeaseId,
        /// How long it holds.
        lease_seconds: LeaseSeconds,
    },
    /// Keep the lease.
    Extend {
        /// The lease.
        lease_id: LeaseId,
        /// How long it holds from now.
        lease_seconds: LeaseSeconds,
    },
    /// Share an artifact, or more of one, before the end.
    ShareArtifact {
        /// The lease it is worked on under.
        lease_id: LeaseId,
        /// Which artifact it is.
        artifact_id: ArtifactId,
    },
    /// Report how far the work is.
    ReportProgress {
        /// The lease it is worked on under.
        lease_id: LeaseId,
        /// What is new.
        progress: Progress,
    },
    /// End it with a reply to its sender.
    Reply {
        /// How it ends.
        ending: Ending,
        /// The reply, which becomes the result.
        text: ReplyText,
        /// The lease it was worked on under, if the worker names it.
        lease_id: Option<LeaseId>,
    },
    /// End it as replied with a completion report.
    Complete {
        /// The result.
        result: ResultText,
        /// The lease it was worked on under, if the worker names it.
        lease_id: Option<LeaseId>,
    },
    /// Cancel it.
    Cancel {
        /// Why.
        reason: Option<Reason>,
    },
    /// Cancel it because a task it is a part of was cancelled.
    CancelWithParent {
        /// Why that was.
        reason: Option<Reason>,
    },
    /// Send a failed, cancelled or expired task again as a new task.
    Retry {
        /// The new task.
        new_task_id: TaskId,
    },
    /// Give it to another agent.
    Reassign {
        /// The other agent.
        new_alias: Alias,
    },
    /// Ask its sender for input.
    AskSender {
        /// What the worker wants to know.
        question: Question,
        /// The lease it is worked on under.
        under: QuestionLease,
    },
    /// Give the input that was asked for.
    Answer {
        /// The answer.
        text: MessageText,
    },
    /// Say something on it: the answer if input was asked for, else a message to its agent.
    FollowUp {
        /// The text.
        text: MessageText,
    },
    /// Take the task back from a worker that went silent. Only the hub says this.
    LapseLease {
        /// The lease.
        lease_id: LeaseId,
    },
    /// End it because its time is over. Only the hub says this.
    Expire,
    /// Do what the hub was to do at a time that has come: end a run that takes too long, or deliver a task again whose
    /// pause is over. Only the hub says this.
    ComeDue,
}

/// A task to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendTask {
    /// The new task.
    pub task_id: TaskId,
    /// The network to make it in.
    pub network_id: NetworkId,
    /// Who is to do it.
    pub to: Alias,
    /// The kind of work, if the sender gives one.
    pub kind: Option<Kind>,
    /// Seconds the task may wait before an agent starts it.
    pub ttl: TtlSeconds,
    /// The task it is a part of; never guessed.
    pub parent_task_id: Option<TaskId>,
    /// The conversation it continues in; without one it begins its own.
    pub context_id: Option<ContextId>,
    /// Whether it may go to an agent that has an open task in its chain of parents.
    pub allow_cycle: bool,
    /// How many deliveries of it there may be.
    pub max_attempts: MaxAttempts,
    /// What else its runs are allowed.
    pub runs: RunTerms,
}

impl Command {
    /// What a caller must be allowed to do to the task; none for a send and for what only the hub says.
    pub const fn task_action(&self) -> Option<TaskAction> {
        Some(match self {
            Self::Ack => TaskAction::Ack,
            Self::Start => TaskAction::Start,
            Self::Claim { .. } => TaskAction::Claim,
            // A caller that may extend the lease may also report progress and share artifacts under it.
            Self::Extend { .. } | Self::ReportProgress { .. } | Self::ShareArtifact { .. } => {
                TaskAction::Extend
            }
            Self::Reply { .. } => TaskAction::Reply,
            Self::Complete { .. } => TaskAction::Complete,
            Self::Cancel { .. } | Self::CancelWithParent { .. } => TaskAction::Cancel,
            Self::Retry { .. } => TaskAction::Retry,
            Self::Reassign { .. } => TaskAction::Reassign,
            Self::AskSender { .. } => TaskAction::AskSender,
            Self::Answer { .. } | Self::FollowUp { .. } => TaskAction::Answer,
            Self::Send(_) | Self::LapseLease { .. } | Self::Expire | Self::ComeDue => return None,
        })
    }

    /// Whether only the hub itself may say this.
    pub const fn is_hubs_own(&self) -> bool {
        matches!(self, Self::LapseLease { .. } | Self::Expire | Self::ComeDue)
    }
}
