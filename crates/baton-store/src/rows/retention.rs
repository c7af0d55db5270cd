//! Tasks that ended long ago and leave the tables, with everything that is theirs; and frames of the feeds as old.

use baton_core::{NetworkId, TaskId, UnixMillis};

use crate::error::Error;

/// What has left a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionRow {
    /// Nothing that left happened after this.
    pub through: UnixMillis,
    /// How many tasks.
    pub tasks: u64,
    /// How many rows of their history that had evidence.
    pub events: u64,
}

/// Reads of retention.
pub trait RetentionReads {
    /// Tasks that ended before this, the longest ago first.
    fn tasks_ended_before(&self, before: UnixMillis, limit: usize) -> Result<Vec<TaskId>, Error>;
    /// The networks whose feeds continued since it was last noted how far they had come, if that is older than `since`;
    /// and those of which it was noted before `before`, so that frames may go.
    fn feeds_due(&self, since: UnixMillis, before: UnixMillis) -> Result<Vec<NetworkId>, Error>;
    /// What has left a network, if anything has.
    fn retention(&self, network: &NetworkId) -> Result<Option<RetentionRow>, Error>;
}

/// Writes of retention.
pub trait RetentionWrites {
    /// Removes a task that ended before this, and all rows that are its own; its evidence stays. False if there is
    /// no such task.
    fn remove_task(&mut self, id: &TaskId, before: UnixMillis) -> Result<bool, Error>;
    /// Notes how far a feed has come, if it continued since the last note and that is older than `since`.
    fn mark_feed(&mut self, network: &NetworkId, now: UnixMillis, since: UnixMillis) -> Result<(), Error>;
    /// Removes frames that were sent before this, at most this many at once; the newest of the feed stays.
    fn forget_frames(
        &mut self,
        network: &NetworkId,
        before: UnixMillis,
        limit: usize,
    ) -> Result<usize, Error>;
}
