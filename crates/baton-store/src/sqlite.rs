//! The embedded engine: SQLite in WAL mode, `synchronous=FULL`. One writer thread commits for all that wait,
//! reader threads have connections of their own, and the WAL is folded back by a thread that does nothing else.

mod access_epoch;
mod check;
mod checker;
mod checkpointer;
mod commit_error;
pub(crate) mod connection;
mod copy;
pub(crate) mod damage;
mod deadline;
mod health;
mod log_walk;
mod migrations;
pub(crate) mod plans;
pub(crate) mod probe;
mod readers;
mod schema;
mod skeletons;
#[cfg(debug_assertions)]
mod statements;
pub(crate) mod upgrade;
mod writer;

use baton_core::limits;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::Clock;
use crate::copy::{Backup, CopyJob, Copying};
use crate::error::Error;
use crate::hint::Bell;
use crate::job::{ReadJob, WriteJob};
use crate::meter::Meter;
use crate::parked::Parked;
use crate::share::Share;
use crate::sql::counts;
use crate::store::{self, AccessEpoch, Lane, Store, WriteCheck};
pub use check::{artifacts_of_copy, glance, inspect};
use checker::{CheckProgress, Checker};
use checkpointer::Checkpointer;
pub use connection::schema;
pub use copy::{CopyFacts, copy_closed, look_at_copy};
use health::Health;
use readers::Readers;
#[cfg(debug_assertions)]
pub use statements::Statements;
use writer::{Hooks, Writer};

/// How the engine is set up.
#[derive(Clone, Copy, Debug)]
pub struct SqliteOptions {
    /// Threads for quick reads; slow ones have theirs.
    pub readers: usize,
    /// Writes of one share that may wait.
    pub writes_waiting_per_share: usize,
    /// How long a quick read may take before it begins again in the slow lane.
    pub quick_read_max: Duration,
    /// How long a slow read may take before it is stopped.
    pub slow_read_max: Duration,
    /// Pages the write-ahead log may have before the writer folds it.
    pub wal_pages: i64,
    /// Time between two checks of the database for damage in the background; never if none.
    pub check_every: Option<Duration>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            readers: 3,
            writes_waiting_per_share: limits::WRITES_WAITING_PER_SHARE_MAX_COUNT,
            quick_read_max: Duration::from_millis(limits::QUICK_READ_MAX_MILLIS),
            slow_read_max: Duration::from_millis(limits::SLOW_READ_MAX_MILLIS),
            wal_pages: 16_384, // 64 MiB
            check_every: None,
        }
    }
}

/// The embedded store.
pub struct SqliteStore {
    writer: Writer,
    readers: Readers,
    checkpointer: Checkpointer,
    checker: Option<Checker>,
    epoch: Arc<AtomicU64>,
    meter: Arc<Meter>,
    health: Health,
}

impl SqliteStore {
    /// Opens the database at `path`, making or migrating it if need be. One that is damaged, or whose schema somebody
    /// changed, is not opened. `clock` gives each batch its time.
    pub fn open(
        path: &Path,
        options: SqliteOptions,
        clock: Arc<dyn Clock>,
        bell: Bell,
    ) -> Result<Self, Error> {
        let mut connection = connection::open_writer(path)?;
        // Before it is migrated: a migration would spread damage.
        let looked = checker::check_at_start(path)?;
        upgrade::migrate(&mut connection)?;
        connection::reserve_wal_index(path)?;
        schema::refuse_altered(&connection)?;
        skeletons::refresh(&mut connection)?;
        let health = Health::default();
        let check = |every| {
            let first = if looked == CheckProgress::ThroughAll { every } else { limits::CHECK_REST_AFTER };
            Checker::start(path, first, every, health.damage.clone())
        };
        let checker = options.check_every.map(check).transpose()?;
        let meter = Arc::new(Meter::new(&counts::there_is(&connection)?).with_wal(baton_wal::written_bytes));
        let epoch = Arc::new(AtomicU64::new(access_epoch::read(&connection)?));
        let is_long = Arc::new(AtomicBool::new(false));
        Ok(Self {
            writer: Writer::start(
                connection,
                options,
                Hooks { clock, bell },
                epoch.clone(),
                meter.clone(),
                health.clone(),
                is_long.clone(),
            )?,
            readers: Readers::start(path, options, &meter, &health.damage)?,
            checkpointer: Checkpointer::start(path, options.wal_pages, is_long, health.damage.clone())?,
            checker,
            epoch,
            meter,
            health,
        })
    }
}

impl Store for SqliteStore {
    fn submit(&self, share: Share, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.writer.submit(share, job)
    }

    fn query(&self, share: Share, lane: Lane, job: Box<dyn ReadJob>) -> Result<(), Error> {
        self.readers.query(share, lane, job)
    }

    fn parked(&self) -> &Arc<Parked> {
        self.writer.parked()
    }

    fn access_epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    fn newest_access_epoch(&self) -> AccessEpoch {
        AccessEpoch::Known(self.access_epoch())
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }

    fn health(&self) -> store::Health {
        if self.health.damage.is_known() {
            store::Health::Damaged
        } else if self.health.refused.is_lately() {
            store::Health::RefusesWrites
        } else {
            store::Health::Well
        }
    }

    fn check_writes(&self) -> WriteCheck<'_> {
        Box::pin(self.writer.probe())
    }

    fn close(&self) {
        if let Some(checker) = &self.checker {
            checker.close();
        }
        self.writer.close();
        self.readers.close();
        self.checkpointer.close();
    }
}

impl Backup for SqliteStore {
    fn copy(&self, to: PathBuf) -> Result<Copying, Error> {
        let (job, copying) = CopyJob::new(to);
        self.writer.copy(job)?;
        Ok(copying)
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}
