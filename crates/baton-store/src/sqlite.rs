//! The embedded engine: SQLite in WAL mode, `synchronous=FULL`. One writer thread commits for all that wait,
//! reader threads have connections of their own, and the WAL is folded back by a thread that does nothing else.

mod accounts;
mod changed;
mod check;
mod checkpointer;
mod columns;
mod connection;
mod copy;
mod counts;
mod deliveries;
mod evidence;
mod figures;
mod merge;
mod plans;
mod pushes;
mod quotas;
mod readers;
mod refused;
mod remotes;
mod retention;
mod rows;
mod search;
mod sessions;
mod tasks;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::copy::CopyJob;
use crate::error::Error;
use crate::job::{ReadJob, WriteJob};
use crate::meter::Meter;
use crate::store::{Committed, Store};
pub use check::inspect;
use checkpointer::Checkpointer;
pub use connection::schema;
pub use copy::{CopyFacts, copy_closed, look_at_copy};
use readers::Readers;
use refused::Refused;
use writer::Writer;

/// What is done with the hints of a committed batch.
pub type Bell = Arc<dyn Fn(Committed) + Send + Sync>;

/// How the engine is set up.
#[derive(Clone, Copy, Debug)]
pub struct SqliteOptions {
    /// Threads that read.
    pub readers: usize,
    /// Writes that may wait.
    pub write_queue: usize,
    /// Writes in one commit.
    pub batch: usize,
    /// Pages the write-ahead log may have before the writer folds it.
    pub wal_pages: i64,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            readers: 3,
            write_queue: baton_core::limits::WRITE_QUEUE_MAX_COUNT,
            batch: 256,
            wal_pages: 16_384, // 64 MiB
        }
    }
}

/// The embedded store.
pub struct SqliteStore {
    writer: Writer,
    readers: Readers,
    checkpointer: Checkpointer,
    epoch: Arc<AtomicU64>,
    meter: Arc<Meter>,
    refused: Refused,
}

impl SqliteStore {
    /// Opens the database at `path`, making or migrating it if need be.
    pub fn open(path: &Path, options: SqliteOptions, bell: Bell) -> Result<Self, Error> {
        let connection = connection::open_writer(path)?;
        let meter = Arc::new(Meter::new(&counts::there_is(&connection)?));
        let epoch = Arc::new(AtomicU64::new(0));
        let refused = Refused::default();
        let is_long = Arc::new(AtomicBool::new(false));
        Ok(Self {
            writer: Writer::start(
                connection,
                options,
                bell,
                epoch.clone(),
                meter.clone(),
                refused.clone(),
                is_long.clone(),
            )?,
            readers: Readers::start(path, options.readers, &meter)?,
            checkpointer: Checkpointer::start(path, options.wal_pages, is_long)?,
            epoch,
            meter,
            refused,
        })
    }
}

impl Store for SqliteStore {
    fn submit(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.writer.submit(job)
    }

    fn query(&self, job: Box<dyn ReadJob>) -> Result<(), Error> {
        self.readers.query(job)
    }

    fn copy(&self, job: CopyJob) -> Result<(), Error> {
        self.writer.copy(job)
    }

    fn access_epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }

    fn refuses_writes(&self) -> bool {
        self.refused.is_lately()
    }

    fn close(&self) {
        self.writer.close();
        self.readers.close();
        self.checkpointer.close();
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}
