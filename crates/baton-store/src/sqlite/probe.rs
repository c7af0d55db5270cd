//! A probe: a row that a batch writes only to find out whether the disk accepts it. A caller that waits for the probe is one of
//! the batch's writes, and the row is written with theirs.

use baton_core::limits;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::error::Error;
use crate::job::{Outcome, WriteJob};
use crate::rows::Transaction;

/// Writes the row. Its bytes are others each time: SQLite writes no page whose bytes stay the same.
pub(crate) fn write(connection: &Connection) -> Result<(), Error> {
    let sql = "INSERT OR REPLACE INTO probe (one, bytes) VALUES (1, randomblob(?1))";
    connection.prepare_cached(sql)?.execute([limits::WRITE_PROBE_BYTES])?;
    Ok(())
}

/// The caller that waits for a probe.
pub(crate) struct Probe(pub(crate) oneshot::Sender<Result<(), Error>>);

impl WriteJob for Probe {
    fn run(&mut self, _: &mut dyn Transaction) -> Outcome {
        Outcome::Stays
    }

    fn settle(self: Box<Self>, committed: Result<(), Error>) {
        // Nobody needs to know any more.
        let _ = self.0.send(committed);
    }
}
