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
        /// Cancelled.
        Cancelled = "cancelled",
        /// Not started in time; only the hub sets this status.
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
        /// Cancelled.
        Cancelled = "cancelled",
        /// Without an answer, because the agent declines it; the task's status is `failed`.
        Rejected = "rejected",
    }
);

/// The groups of statuses. SQL, the dashboard and the pages take them from here, or a test holds them to it.
impl Status {
    /// Whether the task has ended; such a row never changes again.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Delivered | Self::Acked | Self::Running | Self::WaitingInput => false,
            Self::Replied | Self::Failed | Self::Cancelled | Self::Expired => true,
        }
    }

    /// Whether a new task may be made of this one: it ended without an answer.
    pub const fn is_retryable(self) -> bool {
        self.is_terminal() && !matches!(self, Self::Replied)
    }

    /// Whether it can be given to somebody else.
    pub const fn is_reassignable(self) -> bool {
        !self.is_terminal() && !matches!(self, Self::WaitingInput)
    }

    /// Whether its agent ended it, by an answer or by a failure: how long that took says how fast the agent is.
    pub const fn is_agents_end(self) -> bool {
        matches!(self, Self::Replied | Self::Failed)
    }

    /// Whether it ended without an answer although nobody called it off: somebody should look at it.
    pub const fn is_failure(self) -> bool {
        self.is_terminal() && !matches!(self, Self::Replied | Self::Cancelled)
    }

    /// What it means, for people.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Delivered => "in the inbox, not taken up yet",
            Self::Acked => "seen by its agent, not begun",
            Self::Running => "being worked on",
            Self::WaitingInput => "its agent asked the sender something",
            Self::Replied => "answered",
            Self::Failed => "its agent or the hub gave up",
            Self::Cancelled => "stopped by somebody",
            Self::Expired => "nobody took it up in time",
        }
    }

    /// The statuses of a task that has not ended.
    pub fn open() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|status| !status.is_terminal())
    }

    /// The ways in which a task has ended.
    pub fn terminal() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|status| status.is_terminal())
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
