//! Counters of sent tasks and their outcomes, by sender, recipient and the hour in which a task was created, which is
//! its sender and its assignee. They move with the task: a reassigned task moves to another edge, one that leaves by
//! retention is subtracted.

use baton_core::{NetworkId, PrincipalKind, Status, UnixMillis};
use std::ops::Range;

use super::Ends;
use crate::error::Error;

const HOUR_MILLIS: i64 = 3_600_000; // not a limit: a unit

/// The hour of a time, counted since 1970.
#[must_use]
pub fn hour_of(at: UnixMillis) -> i64 {
    at.get().div_euclid(HOUR_MILLIS)
}

/// When an hour begins.
#[must_use]
pub fn hour_begins(hour: i64) -> UnixMillis {
    UnixMillis::new(hour.saturating_mul(HOUR_MILLIS))
}

/// What became of the tasks of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeCounts {
    /// Tasks that have not ended.
    pub open: i64,
    /// Tasks that have ended.
    pub ends: Ends,
}

impl EdgeCounts {
    /// The count that tasks of a status belong to.
    pub const fn of(&mut self, status: Status) -> &mut i64 {
        match status.is_terminal() {
            true => self.ends.of(status),
            false => &mut self.open,
        }
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.open + self.ends.total()
    }

    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.open += other.open;
        self.ends.add(&other.ends);
    }
}

/// An edge, over some hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    /// What its sender is.
    pub from_kind: PrincipalKind,
    /// Its sender.
    pub from_name: String,
    /// Its assignee.
    pub to_name: String,
    /// What became of its tasks.
    pub counts: EdgeCounts,
}

/// The edges of a network over some hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// The largest, largest first.
    pub shown: Vec<EdgeRow>,
    /// How many there are beside.
    pub left_out: i64,
    /// All tasks that were made in these hours.
    pub tasks: i64,
    /// Those of them that are on no edge, because their hour had more edges than are counted by themselves.
    pub tasks_of_no_edge: i64,
}

/// Reads of edges.
pub trait EdgeReads {
    /// The edges of a network over these hours; at most so many.
    fn edges(&self, network: &NetworkId, hours: Range<i64>, limit: usize) -> Result<Edges, Error>;
    /// The hour from which on edges are counted.
    fn edges_since(&self) -> Result<i64, Error>;
}

/// Writes of edges.
pub trait EdgeWrites {
    /// Forgets hours before this one; so many rows at once. From then on they are not counted.
    fn forget_edges(&mut self, before: i64, limit: usize) -> Result<usize, Error>;
}
