//! The one thread that writes. It takes whatever waits, the shares in turns, runs it in one transaction, commits once,
//! rings, and only then answers. A write that is refused leaves nothing: each has a savepoint, unless all of the batch
//! can be run again. If the commit fails, everybody in the batch is answered with the error. A copy of the database is
//! made here too, a few pages after each batch.

use baton_core::limits;
use rusqlite::Connection;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::damage::Damage;
use super::health::Health;
use super::rows::Rows;
use super::{Bell, SqliteOptions, copy};
use crate::copy::CopyJob;
use crate::error::Error;
use crate::fair_queue::Bounds;
use crate::job::WriteJob;
use crate::meter::{Meter, Tally};
use crate::share::Share;
use crate::store::Committed;
use crate::waiting::Waiting;

const BATCH_MAX: Duration = Duration::from_micros(limits::WRITE_BATCH_MAX_MICROS);

/// What the writer is asked.
enum Turn {
    Write(Box<dyn WriteJob>),
    Copy(CopyJob),
}

type Turns = Arc<Waiting<Turn>>;

pub(super) struct Writer {
    turns: Turns,
    thread: Mutex<Option<JoinHandle<()>>>,
    meter: Arc<Meter>,
    damage: Damage,
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        options: SqliteOptions,
        bell: Bell,
        epoch: Arc<AtomicU64>,
        meter: Arc<Meter>,
        health: Health,
        is_long: Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let turns = Arc::new(Waiting::new(Bounds {
            waiting: limits::WRITES_WAITING_MAX_COUNT,
            waiting_per_share: options.writes_waiting_per_share,
            running_per_share: 1,
        }));
        let batches = Batches {
            connection,
            bell,
            epoch,
            meter: meter.clone(),
            health: health.clone(),
            is_copying: Cell::new(false),
            is_long,
            turns: turns.clone(),
        };
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || batches.run());
        let thread = thread.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { turns, thread: Mutex::new(Some(thread)), meter, damage: health.damage })
    }

    pub(super) fn submit(&self, share: Share, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.damage.refuse()?;
        // Before it is there to be taken.
        self.meter.write_waits();
        self.ask(share, Turn::Write(job)).inspect_err(|_| self.meter.write_taken())
    }

    pub(super) fn copy(&self, job: CopyJob) -> Result<(), Error> {
        self.ask(Share::Hub, Turn::Copy(job))
    }

    fn ask(&self, share: Share, turn: Turn) -> Result<(), Error> {
        self.turns.push(share, turn).map_err(|(error, _)| error)
    }

    /// Lets what waits be committed, then ends the thread.
    pub(super) fn close(&self) {
        self.turns.close();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = thread.join(); // a panic there was told when it happened
        }
    }
}

struct Batches {
    connection: Connection,
    bell: Bell,
    epoch: Arc<AtomicU64>,
    meter: Arc<Meter>,
    health: Health,
    is_copying: Cell<bool>,
    /// The checkpointer found the WAL past its bound.
    is_long: Arc<AtomicBool>,
    turns: Turns,
}

/// A write in a batch, and how long it ran.
struct Taken {
    share: Share,
    job: Box<dyn WriteJob>,
    took: Duration,
}

/// What the writer has taken from those who wait.
#[derive(Default)]
struct Batch {
    writes: Vec<Taken>,
    /// The copy that was asked for in between; nothing more is taken then.
    asked: Option<CopyJob>,
}

/// What a batch that ran leaves to be done once it is committed.
struct Ran {
    hints: Committed,
    tally: Tally,
    touches_access: bool,
    /// Whether rows were written: a commit of nothing does not ask the disk.
    wrote: bool,
}

impl Batches {
    fn run(&self) {
        while let Some((share, turn)) = self.turns.take() {
            if let Some(job) = self.serve(share, turn) {
                self.copy(job);
            }
        }
    }

    /// Writes what waits, beginning with this. Answers the copy that was asked for, if one was.
    fn serve(&self, share: Share, turn: Turn) -> Option<CopyJob> {
        match turn {
            Turn::Write(first) => self.batch(self.taken(share, first)),
            Turn::Copy(job) => {
                self.turns.done(&share, Duration::ZERO);
                Some(job)
            }
        }
    }

    fn taken(&self, share: Share, job: Box<dyn WriteJob>) -> Taken {
        self.meter.write_taken();
        Taken { share, job, took: Duration::ZERO }
    }

    /// Commits what waits.
    fn batch(&self, first: Taken) -> Option<CopyJob> {
        let mut batch = Batch::default();
        let committed = self.commit(first, &mut batch);
        let settled = match committed {
            Ok(hints) => {
                (self.bell)(hints);
                Ok(())
            }
            Err(error) => {
                self.meter.failed();
                self.health.refused.note();
                self.health.damage.collect();
                if !self.health.damage.is_known() {
                    tracing::error!(%error, writes = batch.writes.len(), "a batch was not committed");
                }
                Err(error)
            }
        };
        for taken in batch.writes {
            taken.job.settle(settled.clone());
        }
        if self.is_long.swap(false, Ordering::AcqRel) {
            self.fold();
        }
        batch.asked
    }

    /// The next write that waits, unless the batch has run for long: callers that come now should not wait for it.
    fn next(&self, batch: &mut Batch, began: Instant) -> Option<Taken> {
        if batch.writes.len() >= limits::WRITE_BATCH_MAX_COUNT || began.elapsed() >= BATCH_MAX {
            return None;
        }
        match self.turns.try_take()? {
            (share, Turn::Write(job)) => Some(self.taken(share, job)),
            (share, Turn::Copy(job)) => {
                self.turns.done(&share, Duration::ZERO);
                batch.asked = Some(job);
                None
            }
        }
    }

    /// Folds what is left of a WAL past its bound. With nobody writing all of it is folded, and the next batch begins it
    /// anew unless somebody reads from it right then; it waits for nobody.
    fn fold(&self) {
        let folded = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(error) = folded {
            self.health.damage.note(&error);
            tracing::debug!(%error, "a long WAL was not folded by the writer");
        }
    }

    /// Copies the database, with a batch of what waits after each step.
    fn copy(&self, job: CopyJob) {
        self.is_copying.set(true);
        let done = copy::copy(&self.connection, job.to(), |progress| {
            job.tell(progress);
            if job.is_given_up() {
                return Err(Error::Closed);
            }
            let asked = match self.turns.try_take() {
                Some((share, turn)) => self.serve(share, turn),
                None if self.turns.is_closed() => return Err(Error::Closed),
                None => None,
            };
            if let Some(second) = asked {
                second.settle(Err(Error::Unavailable("another copy is being made".into())));
            }
            Ok(())
        });
        self.is_copying.set(false);
        self.health.damage.collect();
        job.settle(done);
    }

    /// Runs and commits a batch. Whatever goes wrong, no part of it is left.
    fn commit(&self, first: Taken, batch: &mut Batch) -> Result<Committed, Error> {
        let mut next = Some(first);
        let result = self.begin().and_then(|()| self.run_all(&mut next, batch)).and_then(|done| {
            // A write that met damage may have read less than there is.
            self.health.damage.collect();
            self.health.damage.refuse()?;
            let began = Instant::now();
            self.execute("COMMIT")?;
            self.disk_waited(began.elapsed(), &batch.writes);
            Ok(done)
        });
        // Taken and not run: it is answered with the others.
        if let Some(first) = next {
            self.turns.done(&first.share, Duration::ZERO);
            batch.writes.push(first);
        }
        match result {
            Ok(Ran { hints, tally, touches_access, wrote }) => {
                self.meter.committed(batch.writes.len(), &tally);
                if wrote {
                    self.health.refused.note_taken();
                    self.meter.disk_took();
                }
                for changed in &hints.changed_tasks {
                    if let Some(to) = changed.status {
                        self.meter.moved(changed.from, to);
                    }
                }
                if touches_access {
                    // Before anybody is answered: a call made after the answer must see the change.
                    self.epoch.fetch_add(1, Ordering::AcqRel);
                }
                Ok(hints)
            }
            Err(error) => {
                // A failed commit may or may not have ended the transaction.
                if !self.connection.is_autocommit() {
                    self.execute("ROLLBACK")?;
                }
                Err(error)
            }
        }
    }

    fn begin(&self) -> Result<(), Error> {
        if !self.connection.is_autocommit() {
            self.execute("ROLLBACK")?; // the last one could not be ended when it failed
        }
        self.health.damage.refuse()?;
        self.execute("BEGIN IMMEDIATE")
    }

    /// The time of a commit is charged to the shares whose writes it contains, in proportion to how long these ran.
    fn disk_waited(&self, took: Duration, writes: &[Taken]) {
        self.meter.disk_waited(took);
        let all: Duration = writes.iter().map(|taken| taken.took).sum();
        for taken in writes.iter().filter(|_| !all.is_zero()) {
            self.turns.charge(&taken.share, took.mul_f64(taken.took.as_secs_f64() / all.as_secs_f64()));
        }
    }

    /// Runs what waits, side by side and without savepoints as long as everything in the batch can be run again: each
    /// savepoint would copy the pages that its writes touch first.
    fn run_all(&self, next: &mut Option<Taken>, batch: &mut Batch) -> Result<Ran, Error> {
        let began = Instant::now();
        let mut kept = Kept::new(&self.connection);
        // Undoing a whole batch would restart a copy that is under way.
        let mut is_bare = !self.is_copying.get();
        while let Some(mut taken) = next.take() {
            let began_this = Instant::now();
            is_bare &= taken.job.is_repeatable();
            let ran = if is_bare {
                self.run_bare(&mut *taken.job, &mut kept)
            } else {
                self.run_in_savepoint(&mut *taken.job, &mut kept).map(|()| true)
            };
            batch.writes.push(taken);
            let ran = match ran {
                Ok(true) => Ok(()),
                Ok(false) => {
                    is_bare = false;
                    self.run_again(&mut batch.writes, &mut kept)
                }
                Err(error) => Err(error),
            };
            if let Some(taken) = batch.writes.last_mut() {
                taken.took = began_this.elapsed();
                self.turns.done(&taken.share, taken.took);
            }
            ran?;
            *next = self.next(batch, began);
        }
        kept.write(&self.connection)
    }

    /// Runs a write without a savepoint. False if it has to be undone after it wrote: then all of the batch has to.
    fn run_bare<'c>(&'c self, job: &mut dyn WriteJob, kept: &mut Kept<'c>) -> Result<bool, Error> {
        let before = self.connection.total_changes();
        let stays = job.run(&mut kept.rows);
        if self.connection.is_autocommit() {
            // SQLite ends a transaction by itself when the disk is full.
            return Err(Error::Unavailable("the transaction was lost".into()));
        }
        let wrote = self.connection.total_changes() != before;
        match stays {
            true => kept.keep(wrote),
            false if wrote => return Ok(false),
            false => kept.rows.drop_staged(),
        }
        Ok(true)
    }

    /// Undoes the batch so far and runs it again, each write in a savepoint of its own.
    fn run_again<'c>(&'c self, writes: &mut [Taken], kept: &mut Kept<'c>) -> Result<(), Error> {
        self.execute("ROLLBACK")?;
        self.execute("BEGIN IMMEDIATE")?;
        *kept = Kept::new(&self.connection);
        writes.iter_mut().try_for_each(|taken| self.run_in_savepoint(&mut *taken.job, kept))
    }

    fn run_in_savepoint<'c>(&'c self, job: &mut dyn WriteJob, kept: &mut Kept<'c>) -> Result<(), Error> {
        self.execute("SAVEPOINT write")?;
        let before = self.connection.total_changes();
        if job.run(&mut kept.rows) {
            kept.keep(self.connection.total_changes() != before);
        } else {
            kept.rows.drop_staged();
            self.execute("ROLLBACK TO write")?;
        }
        self.execute("RELEASE write")
    }

    fn execute(&self, sql: &str) -> Result<(), Error> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}

/// What the writes of a batch leave that stay.
struct Kept<'c> {
    rows: Rows<'c>,
    hints: Committed,
    tally: Tally,
    touches_access: bool,
    wrote: bool,
}

impl<'c> Kept<'c> {
    fn new(connection: &'c Connection) -> Self {
        Self {
            rows: Rows::to_write(connection),
            hints: Committed::default(),
            tally: Tally::default(),
            touches_access: false,
            wrote: false,
        }
    }

    /// Takes in what the last write staged.
    fn keep(&mut self, wrote: bool) {
        self.wrote |= wrote;
        let staged = std::mem::take(&mut self.rows.staged);
        for network in &staged.gone {
            self.rows.counted.forget(network);
            self.rows.keys.borrow_mut().remove(network);
        }
        self.rows.counted.merge(staged.counts);
        self.hints.rings.extend(staged.rings);
        self.hints.changed_tasks.extend(staged.changed_tasks);
        self.tally.add(&staged.tally);
        self.touches_access |= staged.touches_access;
    }

    /// Writes the counters, last of all.
    fn write(mut self, connection: &Connection) -> Result<Ran, Error> {
        self.hints.grown_logs = self.rows.counted.grown_logs();
        self.rows.counted.tally(&mut self.tally);
        std::mem::take(&mut self.rows.counted).write(connection)?;
        let Self { hints, tally, touches_access, wrote, .. } = self;
        Ok(Ran { hints, tally, touches_access, wrote })
    }
}
