//! A connection as the use cases see it: the traits of `rows/` over SQL. What must wait for the commit (rings,
//! counters, the access epoch) is staged here, per savepoint.

use baton_core::{NetworkId, TaskId};
use rusqlite::Connection;
use std::cell::RefCell;
use std::collections::HashMap;

use super::counts::Counts;
use super::task_row::Known;
use crate::error::Error;
use crate::meter::Tally;
use crate::parked::Inbox;
use crate::rows::{Snapshot, Transaction};
use crate::store::{ChangedTask, Ring};

/// As much as a task brings: on a full disk less may fit where nothing else does.
const PROBE_BYTES: i64 = 128 << 10;

/// Rows of one connection.
pub(super) struct Rows<'c> {
    pub(super) connection: &'c Connection,
    /// Counted by earlier savepoints of this batch.
    pub(super) counted: Counts,
    pub(super) staged: Staged,
    /// Whether tasks that are read may be changed next.
    pub(super) is_writing: bool,
    /// The keys of networks that were looked up.
    pub(super) keys: RefCell<HashMap<NetworkId, i64>>,
}

/// What a savepoint leaves to be done if it stays.
#[derive(Debug, Default)]
pub(super) struct Staged {
    pub(super) counts: Counts,
    pub(super) rings: Vec<Ring>,
    /// Tasks whose history or conversation went on.
    pub(super) changed_tasks: Vec<ChangedTask>,
    /// Where a task can be claimed from now on, once for each.
    pub(super) opened: Vec<Inbox>,
    /// Networks deleted: what earlier savepoints counted of them is not to be written.
    pub(super) gone: Vec<NetworkId>,
    /// Leases that came and went, and the tasks of networks that are gone.
    pub(super) tally: Tally,
    pub(super) touches_access: bool,
    /// The tasks it has read or written, as they stand.
    pub(super) known: RefCell<HashMap<TaskId, Known>>,
}

impl<'c> Rows<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            counted: Counts::default(),
            staged: Staged::default(),
            is_writing: false,
            keys: RefCell::default(),
        }
    }

    /// The rows of a batch of writes.
    pub(super) fn to_write(connection: &'c Connection) -> Self {
        Self { is_writing: true, ..Self::new(connection) }
    }

    /// Forgets a write that does not stay, and what it may have been the first to give a key.
    pub(super) fn drop_staged(&mut self) {
        self.staged = Staged::default();
        self.keys.borrow_mut().clear();
    }
}

impl Snapshot for Rows<'_> {}

impl Transaction for Rows<'_> {
    fn ring(&mut self, ring: Ring) {
        if !self.staged.rings.contains(&ring) {
            self.staged.rings.push(ring);
        }
    }

    fn probe(&mut self) -> Result<(), Error> {
        // SQLite writes no page whose bytes stay the same.
        self.execute("INSERT OR REPLACE INTO probe (one, bytes) VALUES (1, randomblob(?1))", [PROBE_BYTES])?;
        Ok(())
    }

    fn touch_access(&mut self) {
        self.staged.touches_access = true;
    }

    fn as_snapshot(&self) -> &dyn Snapshot {
        self
    }
}
