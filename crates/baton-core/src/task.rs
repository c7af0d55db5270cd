//! A task as the rules see it: what a decision needs and no more. Its text, context and meta are payload that
//! the store keeps; its times beside `expires_at` are written by effects and never read by a rule.

use crate::alias::Alias;
use crate::bounded::TtlSeconds;
use crate::ids::{LeaseId, NetworkId};
use crate::kind::Kind;
use crate::principal::Principal;
use crate::run_terms::RunTerms;
use crate::status::Status;
use crate::time::{MonotonicMillis, UnixMillis};
use crate::uuid::{ContextId, TaskId};

/// A task as it stands when a command arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSnapshot {
    /// The task.
    pub id: TaskId,
    /// The network it lives in.
    pub network_id: NetworkId,
    /// Who wants it done.
    pub from: Principal,
    /// Who is to do it.
    pub to: Alias,
    /// What sort of work it is.
    pub kind: Kind,
    /// Where it stands.
    pub status: Status,
    /// Which delivery this is, from 1.
    pub attempt: u32,
    /// How many deliveries there may be.
    pub max_attempts: u32,
    /// What else its runs are allowed.
    pub runs: RunTerms,
    /// When the hub is to act by itself: the run takes too long then, or a pause before a delivery is over.
    pub due_at: Option<UnixMillis>,
    /// The worker's hold on it; only a running task has one, and one whose worker waits for an answer.
    pub lease: Option<Lease>,
    /// Whether its delivery shows in the assignee's inbox: neither acked nor hidden by a claim.
    pub is_in_inbox: bool,
    /// How long it may wait after each delivery.
    pub ttl: TtlSeconds,
    /// When the time is over that counts: of the question while it waits for input, else of the delivery.
    pub expires_at: UnixMillis,
    /// The task it is a part of.
    pub parent: Option<ParentTask>,
    /// The task that a retry made of this one.
    pub retried_to: Option<TaskId>,
    /// The conversation it continues in; none if it began its own.
    pub context_id: Option<ContextId>,
}

/// A worker's hold on a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What the worker names it by.
    pub id: LeaseId,
    /// When it lapses unless it is extended.
    pub deadline: MonotonicMillis,
}

/// What the end of a child needs to know of its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentTask {
    /// The parent.
    pub id: TaskId,
    /// The network it lives in.
    pub network_id: NetworkId,
    /// Who sent it.
    pub from: Principal,
    /// Who is to do it.
    pub to: Alias,
}

/// A task in the chain of parents of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainTask {
    /// The task.
    pub id: TaskId,
    /// Who is to do it.
    pub to: Alias,
    /// Whether it has not ended.
    pub is_open: bool,
}

/// The two ends of a task, which is all that access depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parties<'a> {
    /// Who sent it.
    pub from: &'a Principal,
    /// Who was given it.
    pub to: &'a Alias,
}

impl TaskSnapshot {
    /// The two ends of the task.
    pub const fn parties(&self) -> Parties<'_> {
        Parties { from: &self.from, to: &self.to }
    }

    /// The conversation it belongs to: its own, or the one it continues in.
    pub fn context(&self) -> ContextId {
        self.context_id.clone().unwrap_or_else(|| ContextId::from(&self.id))
    }

    /// The assignee, with its kind.
    pub fn assignee(&self) -> Principal {
        Principal::Node(self.to.clone())
    }
}

impl Parties<'_> {
    /// Whether this agent sent the task.
    pub fn sent_by(&self, alias: &Alias) -> bool {
        matches!(self.from, Principal::Node(from) if from == alias)
    }

    /// Whether this agent was given the task.
    pub fn given_to(&self, alias: &Alias) -> bool {
        self.to == alias
    }
}
