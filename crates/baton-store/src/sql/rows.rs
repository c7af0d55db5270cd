//! A connection as the use cases see it: the traits of `rows/` over SQL. For the writer, over what it has in memory
//! first (`work.rs`).

use baton_core::NetworkId;
use rusqlite::Connection;
use std::cell::RefCell;

use super::counts::Counts;
use super::work::Work;
use crate::clock::ClockReading;
use crate::error::Error;
use crate::hint::Ring;
use crate::postgres::Session;
use crate::rows::{Snapshot, Transaction};

/// The connection that statements run on.
#[derive(Clone, Copy)]
pub(crate) enum Database<'c> {
    Sqlite(&'c Connection),
    Postgres(&'c Session),
}

/// Rows of one connection.
pub(crate) struct Rows<'c> {
    pub(crate) database: Database<'c>,
    /// What the writer has in memory; none for readers.
    pub(crate) work: Option<&'c RefCell<Work>>,
}

impl<'c> Rows<'c> {
    pub(crate) const fn new(connection: &'c Connection) -> Self {
        Self { database: Database::Sqlite(connection), work: None }
    }

    /// What a reader of PostgreSQL sees.
    pub(crate) const fn of(session: &'c Session) -> Self {
        Self { database: Database::Postgres(session), work: None }
    }

    /// The rows of a batch of writes.
    pub(crate) const fn to_write(connection: &'c Connection, work: &'c RefCell<Work>) -> Self {
        Self { database: Database::Sqlite(connection), work: Some(work) }
    }

    /// The same on PostgreSQL.
    pub(crate) const fn to_write_on(session: &'c Session, work: &'c RefCell<Work>) -> Self {
        Self { database: Database::Postgres(session), work: Some(work) }
    }

    /// A use case reads or changes something of a network. On PostgreSQL a write must hold its lock: one that does not is
    /// stopped here, and run again once it does.
    pub(crate) fn reach(&self, network: &NetworkId) -> Result<(), Error> {
        match (self.database, self.work) {
            (Database::Postgres(session), Some(_)) => session.reach(network),
            _ => Ok(()),
        }
    }

    /// A use case is about to change rows in memory.
    pub(crate) fn begin_change(&self, network: &NetworkId) -> Result<(), Error> {
        match (self.database, self.work) {
            (Database::Postgres(session), Some(_)) => session.begin_change(network),
            _ => Ok(()),
        }
    }

    /// Counts what the use case that runs has changed.
    pub(crate) fn count(&mut self, count: impl FnOnce(&mut Counts)) {
        if let Some(work) = self.work {
            count(&mut work.borrow_mut().layer.counts);
        }
    }
}

impl Snapshot for Rows<'_> {}

impl Transaction for Rows<'_> {
    fn time(&self) -> ClockReading {
        if let Database::Postgres(session) = self.database {
            session.need_look();
        }
        // Only the writer hands out rows as a transaction, and it has its memory.
        self.work.map_or_else(ClockReading::beginning, |work| work.borrow().time.clone())
    }

    fn ring(&mut self, ring: Ring) {
        let Some(work) = self.work else { return };
        work.borrow_mut().layer.hints.changes.of(&ring.network_id).add_recipient(ring.to);
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
