//! A connection as the use cases see it: the traits of `rows/` over SQL. For the writer, over what it has in memory
//! first (`work.rs`).

use rusqlite::Connection;
use std::cell::RefCell;

use super::counts::Counts;
use super::work::Work;
use crate::error::Error;
use crate::rows::{Snapshot, Transaction};
use crate::store::Ring;

/// As much as a task brings: on a full disk less may fit where nothing else does.
const PROBE_BYTES: i64 = 128 << 10;

/// Rows of one connection.
pub(super) struct Rows<'c> {
    pub(super) connection: &'c Connection,
    /// What the writer has in memory; none for whoever only reads.
    pub(super) work: Option<&'c RefCell<Work>>,
}

impl<'c> Rows<'c> {
    pub(super) const fn new(connection: &'c Connection) -> Self {
        Self { connection, work: None }
    }

    /// The rows of a batch of writes.
    pub(super) const fn to_write(connection: &'c Connection, work: &'c RefCell<Work>) -> Self {
        Self { connection, work: Some(work) }
    }

    /// Counts what the use case that runs has changed.
    pub(super) fn count(&mut self, count: impl FnOnce(&mut Counts)) {
        if let Some(work) = self.work {
            count(&mut work.borrow_mut().layer.counts);
        }
    }
}

impl Snapshot for Rows<'_> {}

impl Transaction for Rows<'_> {
    fn ring(&mut self, ring: Ring) {
        let Some(work) = self.work else { return };
        let rings = &mut work.borrow_mut().layer.hints.rings;
        if !rings.contains(&ring) {
            rings.push(ring);
        }
    }

    fn probe(&mut self) -> Result<(), Error> {
        // SQLite writes no page whose bytes stay the same.
        self.execute("INSERT OR REPLACE INTO probe (one, bytes) VALUES (1, randomblob(?1))", [PROBE_BYTES])?;
        Ok(())
    }

    fn touch_access(&mut self) {
        if let Some(work) = self.work {
            work.borrow_mut().layer.hints.touches_access = true;
        }
    }

    fn as_snapshot(&self) -> &dyn Snapshot {
        self
    }
}
