//! Trees of tasks: each is a part of its parent. They are read up one task at a time, and down one level at a time; texts
//! are left out.

use baton_core::access::TaskReach;
use baton_core::{Alias, Kind, NetworkId, Parties, Principal, Status, TaskId, UnixMillis};

use crate::error::Error;

/// A task as its tree shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeTaskRow {
    /// The task.
    pub task_id: TaskId,
    /// The task it is a part of; it may have left by retention.
    pub parent_task_id: Option<TaskId>,
    /// Who wants it done.
    pub from: Principal,
    /// Who is to do it.
    pub to: Alias,
    /// What sort of work it is.
    pub kind: Kind,
    /// Where it stands.
    pub status: Status,
    /// When it was made.
    pub created_at: UnixMillis,
    /// When work last began.
    pub started_at: Option<UnixMillis>,
    /// When it ended.
    pub completed_at: Option<UnixMillis>,
}

impl TreeTaskRow {
    /// The two ends of the task.
    #[must_use]
    pub const fn parties(&self) -> Parties<'_> {
        Parties { from: &self.from, to: &self.to }
    }
}

/// Which tasks are the next level of a tree.
#[derive(Clone, Copy, Debug)]
pub struct LevelFilter<'a> {
    /// In this network.
    pub network: &'a NetworkId,
    /// As far as the caller reaches.
    pub reach: &'a TaskReach,
    /// The tasks of the level above.
    pub parents: &'a [TaskId],
    /// So many.
    pub limit: usize,
    /// So many rows are examined for them.
    pub examined: usize,
}

/// A level of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeLevel {
    /// Its tasks, those of each parent together and oldest first.
    pub tasks: Vec<TreeTaskRow>,
    /// How many rows were examined.
    pub examined: usize,
    /// Whether a limit was reached before the end of the level.
    pub is_cut: bool,
}

/// Reads of trees.
pub trait TreeReads {
    /// One task of a network.
    fn tree_task(&self, network: &NetworkId, id: &TaskId) -> Result<Option<TreeTaskRow>, Error>;
    /// The children of tasks.
    fn tree_level(&self, filter: &LevelFilter<'_>) -> Result<TreeLevel, Error>;
}
