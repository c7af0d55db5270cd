//! The one thread that writes. It takes whatever waits, runs it in one transaction, commits once, rings, and only then
//! answers. A write that is refused leaves nothing: each has a savepoint, unless all of the batch can be run again.
//! If the commit fails, everybody in the batch hears so. A copy of the database is made here too, a few pages after
//! each batch.

use rusqlite::Connection;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use super::damage::Damage;
use super::health::Health;
use super::rows::{Rows, Staged};
use super::{Bell, SqliteOptions, copy};
use crate::copy::CopyJob;
use crate::error::Error;
use crate::job::WriteJob;
use crate::meter::{Meter, Tally};
use crate::store::Committed;

/// What the writer is asked.
enum Turn {
    Write(Box<dyn WriteJob>),
    Copy(CopyJob),
}

pub(super) struct Writer {
    queue: Mutex<Option<SyncSender<Turn>>>,
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
        let (queue, jobs) = sync_channel(options.write_queue);
        let batches = Batches {
            connection,
            batch: options.batch,
            bell,
            epoch,
            meter: meter.clone(),
            health: health.clone(),
            is_copying: Cell::new(false),
            is_long,
        };
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || batches.run(&jobs));
        let thread = thread.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self {
            queue: Mutex::new(Some(queue)),
            thread: Mutex::new(Some(thread)),
            meter,
            damage: health.damage,
        })
    }

    pub(super) fn submit(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.damage.refuse()?;
        // Before it is there to be taken.
        self.meter.write_waits();
        self.ask(Turn::Write(job)).inspect_err(|_| self.meter.writes_taken(1))
    }

    pub(super) fn copy(&self, job: CopyJob) -> Result<(), Error> {
        self.ask(Turn::Copy(job))
    }

    fn ask(&self, turn: Turn) -> Result<(), Error> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queue.as_ref().ok_or(Error::Closed)?;
        queue.try_send(turn).map_err(|error| match error {
            TrySendError::Full(_) => Error::Busy,
            TrySendError::Disconnected(_) => Error::Closed,
        })
    }

    /// Lets what waits be committed, then ends the thread.
    pub(super) fn close(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = thread.join(); // a panic there was told when it happened
        }
    }
}

struct Batches {
    connection: Connection,
    batch: usize,
    bell: Bell,
    epoch: Arc<AtomicU64>,
    meter: Arc<Meter>,
    health: Health,
    is_copying: Cell<bool>,
    /// The checkpointer found the WAL past its bound.
    is_long: Arc<AtomicBool>,
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
    fn run(&self, turns: &Receiver<Turn>) {
        while let Ok(turn) = turns.recv() {
            let asked = match turn {
                Turn::Write(first) => self.batch(first, turns),
                Turn::Copy(job) => Some(job),
            };
            if let Some(job) = asked {
                self.copy(job, turns);
            }
        }
    }

    /// Commits what waits. Answers the copy that was asked for in between, if one was.
    fn batch(&self, first: Box<dyn WriteJob>, turns: &Receiver<Turn>) -> Option<CopyJob> {
        let mut batch = vec![first];
        let mut asked = None;
        while batch.len() < self.batch && asked.is_none() {
            match turns.try_recv() {
                Ok(Turn::Write(job)) => batch.push(job),
                Ok(Turn::Copy(job)) => asked = Some(job),
                Err(_) => break,
            }
        }
        self.meter.writes_taken(batch.len());
        let committed = self.commit(&mut batch);
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
                    tracing::error!(%error, writes = batch.len(), "a batch was not committed");
                }
                Err(error)
            }
        };
        for job in batch {
            job.settle(settled.clone());
        }
        if self.is_long.swap(false, Ordering::AcqRel) {
            self.fold();
        }
        asked
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
    fn copy(&self, job: CopyJob, turns: &Receiver<Turn>) {
        self.is_copying.set(true);
        let done = copy::copy(&self.connection, job.to(), |progress| {
            job.tell(progress);
            if job.is_given_up() {
                return Err(Error::Closed);
            }
            let asked = match turns.try_recv() {
                Ok(Turn::Write(first)) => self.batch(first, turns),
                Ok(Turn::Copy(job)) => Some(job),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return Err(Error::Closed),
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
    fn commit(&self, batch: &mut [Box<dyn WriteJob>]) -> Result<Committed, Error> {
        if !self.connection.is_autocommit() {
            self.execute("ROLLBACK")?; // the last one could not be ended when it failed
        }
        self.health.damage.refuse()?;
        self.execute("BEGIN IMMEDIATE")?;
        let result = self.run_all(batch).and_then(|done| {
            // A write that met damage may have been answered with less than there is.
            self.health.damage.collect();
            self.health.damage.refuse()?;
            let began = Instant::now();
            self.execute("COMMIT")?;
            self.meter.disk_waited(began.elapsed());
            Ok(done)
        });
        match result {
            Ok(Ran { hints, tally, touches_access, wrote }) => {
                self.meter.committed(batch.len(), &tally);
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

    fn run_all(&self, batch: &mut [Box<dyn WriteJob>]) -> Result<Ran, Error> {
        // To undo a batch as a whole would make a copy under way begin again.
        if !self.is_copying.get() && batch.iter().all(|job| job.is_repeatable()) {
            if let Some(kept) = self.run_bare(batch)? {
                return kept.write(&self.connection);
            }
            self.execute("ROLLBACK")?;
            self.execute("BEGIN IMMEDIATE")?;
        }
        self.run_in_savepoints(batch)?.write(&self.connection)
    }

    /// Runs writes side by side, without savepoints: each would copy the pages that its writes touch first. None if
    /// one has to be undone after it wrote: then all have to, and are to be run again.
    fn run_bare(&self, batch: &mut [Box<dyn WriteJob>]) -> Result<Option<Kept<'_>>, Error> {
        let mut kept = Kept::new(&self.connection);
        for job in batch {
            let before = self.connection.total_changes();
            let stays = job.run(&mut kept.rows);
            if self.connection.is_autocommit() {
                // SQLite ends a transaction by itself when the disk is full.
                return Err(Error::Unavailable("the transaction was lost".into()));
            }
            let wrote = self.connection.total_changes() != before;
            match stays {
                true => kept.keep(wrote),
                false if wrote => return Ok(None),
                false => kept.rows.staged = Staged::default(),
            }
        }
        Ok(Some(kept))
    }

    fn run_in_savepoints(&self, batch: &mut [Box<dyn WriteJob>]) -> Result<Kept<'_>, Error> {
        let mut kept = Kept::new(&self.connection);
        for job in batch {
            self.execute("SAVEPOINT write")?;
            let before = self.connection.total_changes();
            if job.run(&mut kept.rows) {
                kept.keep(self.connection.total_changes() != before);
            } else {
                kept.rows.staged = Staged::default();
                self.execute("ROLLBACK TO write")?;
            }
            self.execute("RELEASE write")?;
        }
        Ok(kept)
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
            rows: Rows::new(connection),
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
        staged.gone.iter().for_each(|network| self.rows.counted.forget(network));
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
