//! A network's agents as a whole: every alias with its signs of life, what is at work, and how each did recently.

use baton_core::{Alias, Latencies, NetworkId, Principal, TaskId, UnixMillis};
use std::collections::HashMap;
use std::ops::Range;

use super::edges::EdgeCounts;
use super::tasks::ProgressRow;
use crate::error::Error;

/// An alias and the signs of life that are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRow {
    /// The alias.
    pub alias: Alias,
    /// When one of its tokens that is not revoked was last used, within a few seconds.
    pub last_used_at: Option<UnixMillis>,
    /// Its open deliveries.
    pub queue: i64,
    /// The leases it holds.
    pub leases: i64,
    /// Whether it has a session.
    pub has_session: bool,
    /// Whether it has a worker.
    pub has_worker: bool,
}

/// A task that an agent works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkedTask {
    /// Its id.
    pub task_id: TaskId,
    /// Its sender.
    pub from: Principal,
    /// Its assignee.
    pub to: Alias,
    /// Which delivery of it this is, from 1.
    pub attempt: u32,
    /// When it was taken up.
    pub since: UnixMillis,
    /// The latest progress of its run.
    pub progress: Option<ProgressRow>,
}

/// How an agent did: what became of the tasks it was sent in some hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentFigures {
    /// What became of them.
    pub counts: EdgeCounts,
    /// How long the answered and failed ones took.
    pub durations: Latencies,
}

/// Reads of agents.
pub trait AgentReads {
    /// A network's aliases in their order, after this one; at most so many.
    fn agents(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        limit: usize,
    ) -> Result<Vec<AgentRow>, Error>;
    /// The tasks of a network that are worked on: those that run, and those that wait for input under a lease. The newest
    /// first; of each kind at most so many are looked at.
    fn worked_tasks(&self, network: &NetworkId, limit: usize) -> Result<Vec<WorkedTask>, Error>;
    /// How the agents of a network did over these hours, by the hour in which a task was made.
    fn figures_of_agents(
        &self,
        network: &NetworkId,
        hours: Range<i64>,
    ) -> Result<HashMap<Alias, AgentFigures>, Error>;
}
