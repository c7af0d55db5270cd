//! What the dashboard asks of a network as a whole: counts by the minute, tasks at a glance, and tasks by what no index
//! has. The edges between sender and recipient are in `edges.rs`.

use baton_core::{Alias, Kind, Latencies, NetworkId, Principal, Status, TaskId, UnixMillis};
use std::ops::Range;

use super::{Ends, Page, TaskFilter, TaskRow};
use crate::error::Error;

const MINUTE_MILLIS: i64 = 60_000; // not a limit: a unit

/// The minute of a time, counted since 1970.
#[must_use]
pub fn minute_of(at: UnixMillis) -> i64 {
    at.get().div_euclid(MINUTE_MILLIS)
}

/// When a minute begins.
#[must_use]
pub fn minute_begins(minute: i64) -> UnixMillis {
    UnixMillis::new(minute.saturating_mul(MINUTE_MILLIS))
}

/// What happened in a minute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MinuteCounts {
    /// Tasks that were made.
    pub sent: i64,
    /// Tasks that ended.
    pub ends: Ends,
    /// Evidence events whose handoff is visible.
    pub handoffs: i64,
    /// How long those took that were answered or failed, from their making to their end. The others ended by the
    /// clock or by somebody's word, which says nothing of an agent's speed.
    pub latencies: Latencies,
}

impl MinuteCounts {
    /// Counts a task's end.
    pub fn note_end(&mut self, status: Status, created_at: UnixMillis, ended_at: UnixMillis) {
        *self.ends.of(status) += 1;
        if status.is_agents_end() {
            self.latencies.note(ended_at.get() - created_at.get());
        }
    }

    /// Takes in what was counted elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.ends.add(&other.ends);
        self.handoffs += other.handoffs;
        self.latencies.add(&other.latencies);
    }
}

/// A task at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSummaryRow {
    /// The task.
    pub task_id: TaskId,
    /// Who sent it.
    pub from: Principal,
    /// Whom it was given to.
    pub to: Alias,
    /// Its status.
    pub status: Status,
    /// When it was made.
    pub created_at: UnixMillis,
    /// When it was last delivered.
    pub delivered_at: UnixMillis,
    /// When its history last continued.
    pub changed_at: UnixMillis,
    /// When its time is over.
    pub expires_at: UnixMillis,
    /// Which delivery it is.
    pub attempt: u32,
    /// How many it may have.
    pub max_attempts: u32,
    /// Whether somebody works on it under a lease.
    pub is_leased: bool,
}

/// Which end of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The oldest first.
    Oldest,
    /// The newest first.
    Newest,
}

/// Which tasks a search finds, newest first. What no index has is looked for among so many rows and bytes of text.
#[derive(Clone, Debug, Default)]
pub struct TaskSearch {
    /// What lists can ask for, too.
    pub filter: TaskFilter,
    /// Of this kind.
    pub kind: Option<Kind>,
    /// With this in their text or result, in whatever case.
    pub text: Option<String>,
    /// From somebody with this in their name, in whatever case.
    pub from: Option<String>,
    /// To an agent with this in its name, in whatever case.
    pub to: Option<String>,
    /// Made at this time or later.
    pub since: Option<UnixMillis>,
    /// Made before this time.
    pub until: Option<UnixMillis>,
    /// Made for this task.
    pub parent: Option<TaskId>,
    /// Only these. All of them are looked at: how many rows and bytes are examined is not bounded.
    pub ids: Option<Vec<TaskId>>,
    /// So many rows are looked at.
    pub examined_rows: usize,
    /// So many bytes of their texts.
    pub examined_bytes: usize,
}

/// Reads for the dashboard.
pub trait FigureReads {
    /// What happened in each of a network's minutes, oldest first; one in which nothing did has no row.
    fn minutes(&self, network: &NetworkId, minutes: Range<i64>) -> Result<Vec<(i64, MinuteCounts)>, Error>;
    /// Since when minutes are counted.
    fn counted_since(&self) -> Result<UnixMillis, Error>;
    /// A network's tasks of a status at a glance, from one end; at most so many.
    fn glances(
        &self,
        network: &NetworkId,
        status: Status,
        end: End,
        limit: usize,
    ) -> Result<Vec<TaskSummaryRow>, Error>;
    /// The beginning of a task's text.
    fn title(&self, id: &TaskId) -> Result<Option<String>, Error>;
    /// The place in the order of all tasks from which on they were made at this time or later. Where the clock was
    /// once set back it may be off by as much.
    fn place_of_time(&self, at: UnixMillis) -> Result<i64, Error>;
    /// A page of a search.
    fn search_tasks(&self, search: &TaskSearch) -> Result<Page<TaskRow>, Error>;
}

/// Writes for the dashboard.
pub trait FigureWrites {
    /// Counts an evidence event whose handoff is visible.
    fn count_visible_handoff(&mut self, network: &NetworkId, at: UnixMillis);
    /// Forgets minutes before this one; so many at once.
    fn forget_minutes(&mut self, before: i64, limit: usize) -> Result<usize, Error>;
}
