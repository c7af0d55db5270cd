//! Where a task can stand, and the ends an agent can give it.
//! How it gets from one status to the next is in `machine.rs`.

use crate::wire::wire_words;

wire_words!(
    /// Where a task stands.
    Status {
        /// In its assignee's inbox.
        Delivered = "delivered",
        /// Seen by its assignee.
        Acked = "acked",
        /// Being worked on.
        Running = "running",
        /// Waiting for its sender's answer.
        WaitingInput = "waiting_input",
        /// Ended with an answer.
        Replied = "replied",
        /// Ended without one.
        Failed = "failed",
        /// Called off.
        Cancelled = "cancelled",
        /// Never taken up in time; only the hub says so.
        Expired = "expired",
    }
);

wire_words!(
    /// The ends an agent can give a task.
    Ending {
        /// With an answer.
        Replied = "replied",
        /// Without one.
        Failed = "failed",
        /// Called off.
        Cancelled = "cancelled",
        /// Without an answer, because the agent declines it; the task's status is `failed`.
        Rejected = "rejected",
    }
);

impl Status {
    /// Whether the task has ended; such a row never changes again.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Replied | Self::Failed | Self::Cancelled | Self::Expired)
    }

    /// Whether a new task may be made of this one.
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled | Self::Expired)
    }
}

impl From<Ending> for Status {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Replied => Self::Replied,
            Ending::Failed | Ending::Rejected => Self::Failed,
            Ending::Cancelled => Self::Cancelled,
        }
    }
}
