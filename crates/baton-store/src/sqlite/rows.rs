//! A connection as the use cases see it: the traits of `rows/` over SQL. For the writer, over what it has in memory
//! first (`work.rs`).

use rusqlite::Connection;
use std::cell::RefCell;

use super::counts::Counts;
use super::work::Work;
use crate::clock::ClockReading;
use crate::rows::{Snapshot, Transaction};
use crate::store::Ring;

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
    fn time(&self) -> ClockReading {
        // Only the writer hands out rows as a transaction, and it has its memory.
        self.work.map_or_else(ClockReading::beginning, |work| work.borrow().time.clone())
    }

    fn ring(&mut self, ring: Ring) {
        let Some(work) = self.work else { return };
        let rings = &mut work.borrow_mut().layer.hints.rings;
        if !rings.contains(&ring) {
            rings.push(ring);
        }
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
