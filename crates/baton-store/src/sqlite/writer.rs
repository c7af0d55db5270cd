//! The one thread that writes. It takes whatever waits, the shares in turns, runs it over rows in memory (`work.rs`),
//! writes what came of it in one transaction, rings, and only then answers. A write that is refused leaves nothing. If
//! the commit fails, everybody in the batch is answered with the error. A write that opens a task is followed, in the same
//! transaction, by the claim that waits for it (`parked.rs`). A copy of the database is made here too, a few pages after
//! each batch.

use baton_core::limits;
use foldhash::HashMap;
use rusqlite::Connection;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

use super::damage::Damage;
use super::health::Health;
use super::probe::{self, Probe};
use super::{SqliteOptions, access_epoch, commit_error, copy};
use crate::batch::{Batch, Source, Taken};
use crate::clock::Clock;
use crate::copy::CopyJob;
use crate::error::Error;
use crate::fair_queue::Bounds;
use crate::hint::{Bell, ChangesByNetwork, Hint, Moved};
use crate::job::{Outcome, WriteJob};
use crate::meter::{Meter, Tally};
use crate::parked::{Inbox, Parked, ParkedClaim};
use crate::share::Share;
use crate::sql::rows::Rows;
use crate::sql::work::Work;
use crate::sql::write_set::Hints;

use crate::waiting::Waiting;

const BATCH_MAX: Duration = Duration::from_micros(limits::WRITE_BATCH_MAX_MICROS);

/// What the writer is asked.
enum Turn {
    Write(Box<dyn WriteJob>),
    Probe(Probe),
    Copy(CopyJob),
}

type Turns = Arc<Waiting<Turn>>;

/// Given to the writer when the store is opened: where batches get their time, and where their hints go.
pub(super) struct Hooks {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) bell: Bell,
}

pub(super) struct Writer {
    turns: Turns,
    parked: Arc<Parked>,
    thread: Mutex<Option<JoinHandle<()>>>,
    meter: Arc<Meter>,
    damage: Damage,
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        options: SqliteOptions,
        Hooks { clock, bell }: Hooks,
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
        let parked = Arc::new(Parked::default());
        let batches = Batches {
            connection,
            parked: parked.clone(),
            clock,
            bell,
            epoch,
            meter: meter.clone(),
            health: health.clone(),
            work: RefCell::default(),
            is_long,
            turns: turns.clone(),
            answered: Cell::default(),
        };
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || batches.run());
        let thread = thread.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { turns, parked, thread: Mutex::new(Some(thread)), meter, damage: health.damage })
    }

    /// The claims that wait for a task.
    pub(super) const fn parked(&self) -> &Arc<Parked> {
        &self.parked
    }

    pub(super) fn submit(&self, share: Share, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.ask_to_write(share, Turn::Write(job))
    }

    /// Has the next batch write something for certain, and waits for its commit.
    pub(super) async fn probe(&self) -> Result<(), Error> {
        let (caller, committed) = oneshot::channel();
        self.ask_to_write(Share::Hub, Turn::Probe(Probe(caller)))?;
        committed.await.unwrap_or(Err(Error::Closed))
    }

    fn ask_to_write(&self, share: Share, turn: Turn) -> Result<(), Error> {
        self.damage.refuse()?;
        // Before it is there to be taken.
        self.meter.write_waits();
        self.ask(share, turn).inspect_err(|_| self.meter.write_taken())
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
            let _ = thread.join(); // a panic there was logged when it happened
        }
        self.parked.close();
    }
}

struct Batches {
    connection: Connection,
    parked: Arc<Parked>,
    clock: Arc<dyn Clock>,
    bell: Bell,
    epoch: Arc<AtomicU64>,
    meter: Arc<Meter>,
    health: Health,
    work: RefCell<Work>,
    /// The checkpointer found the WAL past its bound.
    is_long: Arc<AtomicBool>,
    turns: Turns,
    /// How many writes the last batch had, and the one before it.
    answered: Cell<[usize; 2]>,
}

/// What a batch that ran leaves to be done once it is committed.
struct Ran {
    changes: ChangesByNetwork,
    tally: Tally,
    /// The access epoch, if the batch raised it.
    access_epoch: Option<u64>,
    /// Whether rows were written: a commit of nothing does not ask the disk.
    wrote: bool,
}

impl Batches {
    fn run(&self) {
        while let Some((share, turn)) = self.turns.take() {
            // Where cores are scarce, threads that wait for one run first, and their writes come into this batch: with more
            // of them it costs the disk, the writer and the woken threads hardly more. Where one is idle this takes no time.
            if self.answered.get().iter().sum::<usize>() >= limits::WRITE_YIELD_COUNT {
                std::thread::yield_now();
            }
            if let Some(job) = self.serve(share, turn) {
                self.copy(job);
            }
        }
    }

    /// Writes what waits, beginning with this. Answers the copy that was asked for, if one was.
    fn serve(&self, share: Share, turn: Turn) -> Option<CopyJob> {
        let mut batch = Batch::default();
        if let Some(first) = self.take_in(share, turn, &mut batch) {
            self.batch(first, &mut batch);
        }
        batch.asked
    }

    /// The write that a turn asks for, if it asks for one; otherwise the batch has the copy.
    fn take_in(&self, share: Share, turn: Turn, batch: &mut Batch) -> Option<Taken> {
        let job: Box<dyn WriteJob> = match turn {
            Turn::Write(job) => job,
            Turn::Probe(probe) => {
                batch.probes = true;
                Box::new(probe)
            }
            Turn::Copy(job) => {
                self.turns.done(&share, Duration::ZERO);
                batch.asked = Some(job);
                return None;
            }
        };
        self.meter.write_taken();
        Some(Taken { share, job, took: Duration::ZERO, source: Source::Queue })
    }

    /// Commits what waits.
    fn batch(&self, first: Taken, batch: &mut Batch) {
        let committed = self.commit(first, batch);
        let settled = match committed {
            Ok(moved) => {
                (self.bell)(Hint::Moved(moved));
                Ok(())
            }
            Err(error) => {
                self.meter.failed();
                self.health.refused.note();
                self.health.damage.collect();
                if !self.health.damage.is_known() {
                    tracing::error!(%error, writes = batch.writes.len(), "a batch was not committed");
                }
                batch.unpark(&self.parked);
                Err(error)
            }
        };
        for taken in batch.writes.drain(..) {
            taken.job.settle(settled.clone());
        }
        if self.is_long.swap(false, Ordering::AcqRel) {
            self.fold();
        }
    }

    /// The next write that waits, unless the batch has run for long: callers that come now should not wait for it.
    fn next(&self, batch: &mut Batch, began: Instant) -> Option<Taken> {
        if batch.writes.len() >= limits::WRITE_BATCH_MAX_COUNT || began.elapsed() >= BATCH_MAX {
            return None;
        }
        let (share, turn) = self.turns.try_take()?;
        self.take_in(share, turn, batch)
    }

    /// Folds what is left of a WAL past its bound. With nobody writing all of it is folded, and the next batch begins it
    /// again unless somebody reads from it right then; it waits for nobody.
    fn fold(&self) {
        let folded = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(error) = folded {
            self.health.damage.note(&error);
            tracing::debug!(%error, "a long WAL was not folded by the writer");
        }
    }

    /// Copies the database, with a batch of what waits after each step.
    fn copy(&self, job: CopyJob) {
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
        self.health.damage.collect();
        job.settle(done);
    }

    /// Runs and commits a batch. Whatever goes wrong, no part of it is left.
    fn commit(&self, first: Taken, batch: &mut Batch) -> Result<Vec<Moved>, Error> {
        let mut next = Some(first);
        let result = self.begin().and_then(|()| self.run_all(&mut next, batch)).and_then(|done| {
            // A write that met damage may have read less than there is.
            self.health.damage.collect();
            self.health.damage.refuse()?;
            let began = Instant::now();
            self.connection.prepare_cached("COMMIT")?.execute([]).map_err(commit_error::of)?;
            self.disk_waited(began.elapsed(), &batch.writes);
            Ok(done)
        });
        // Taken and not run: it is answered with the others.
        if let Some(first) = next {
            self.turns.done(&first.share, Duration::ZERO);
            batch.writes.push(first);
        }
        match result {
            Ok(Ran { changes, tally, access_epoch, wrote }) => {
                self.meter.committed(batch.writes.len(), &tally);
                if wrote {
                    self.health.refused.note_taken();
                    self.meter.disk_took();
                }
                for changed in changes.tasks() {
                    if let Some(to) = changed.status {
                        self.meter.moved(changed.from, to);
                    }
                }
                if let Some(epoch) = access_epoch {
                    // Before anybody is answered: a call made after the answer must see the change.
                    self.epoch.store(epoch, Ordering::Release);
                }
                Ok(changes.into_moved())
            }
            Err(error) => {
                self.work.borrow_mut().forget_all();
                // A failed commit may or may not have ended the transaction. If it cannot be ended now, the next batch
                // tries again; callers are answered with what went wrong first.
                if !self.connection.is_autocommit()
                    && let Err(error) = self.execute("ROLLBACK")
                {
                    tracing::error!(%error, "a transaction was not rolled back");
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
        self.answered.set([writes.len(), self.answered.get()[0]]);
        let mut by_share: HashMap<&Share, Duration> = HashMap::default();
        for taken in writes {
            *by_share.entry(&taken.share).or_default() += taken.took;
        }
        let all: Duration = by_share.values().sum();
        for (share, ran) in by_share.into_iter().filter(|_| !all.is_zero()) {
            self.turns.charge(share, took.mul_f64(ran.as_secs_f64() / all.as_secs_f64()));
        }
    }

    /// Runs what waits, all of it at one time, and writes what came of it.
    fn run_all(&self, next: &mut Option<Taken>, batch: &mut Batch) -> Result<Ran, Error> {
        let began = Instant::now();
        self.work.borrow_mut().begin(self.clock.read());
        let mut rows = Rows::to_write(&self.connection, &self.work);
        while let Some(taken) = next.take() {
            self.run_and_hand_over(taken, batch, &mut rows)?;
            *next = self.next(batch, began);
        }
        rows.settle_batch()?;
        if batch.probes {
            probe::write(&self.connection)?;
        }
        let mut work = self.work.borrow_mut();
        work.known.shed();
        let hints = std::mem::take(&mut work.batch.hints);
        let Hints { changes, tally, touches_access, .. } = hints;
        let access_epoch = touches_access.then(|| access_epoch::raise(&self.connection)).transpose()?;
        let wrote = std::mem::take(&mut work.wrote) || access_epoch.is_some() || batch.probes;
        Ok(Ran { changes, tally, access_epoch, wrote })
    }

    /// Runs a write, and the parked claims that it has something for.
    fn run_and_hand_over(&self, taken: Taken, batch: &mut Batch, rows: &mut Rows<'_>) -> Result<(), Error> {
        self.run_one(taken, batch, rows)?;
        // There are no more of them than tasks that the write opened.
        let mut exhausted: Vec<Inbox> = Vec::new();
        while let Some(inbox) = self.next_opened() {
            if exhausted.contains(&inbox) {
                continue;
            }
            while let Some(ParkedClaim { share, job }) = self.parked.take_first(&inbox) {
                let claim = Taken { share, job, took: Duration::ZERO, source: Source::Parked };
                match self.run_one(claim, batch, rows)? {
                    Outcome::Undone => {} // refused: the task is the next one's
                    Outcome::Stays => break,
                    Outcome::FoundNothing => {
                        exhausted.push(inbox);
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The next inbox that a task was opened in which no parked claim has been offered yet.
    fn next_opened(&self) -> Option<Inbox> {
        self.work.borrow_mut().batch.hints.opened.pop_front()
    }

    /// Runs a write and adds it to the batch, unless it is a claim that is parked.
    fn run_one(&self, mut taken: Taken, batch: &mut Batch, rows: &mut Rows<'_>) -> Result<Outcome, Error> {
        let began = Instant::now();
        let ran = match taken.job.is_abandoned() {
            true => Ok(Outcome::Undone),
            false => self.run_job(&mut *taken.job, rows),
        };
        self.account(&mut taken, began.elapsed());
        if let Ok(Outcome::FoundNothing) = ran {
            batch.park(taken, &self.parked);
        } else {
            batch.writes.push(taken);
        }
        ran
    }

    fn run_job(&self, job: &mut dyn WriteJob, rows: &mut Rows<'_>) -> Result<Outcome, Error> {
        let outcome = job.run(rows);
        // SQLite ends a transaction by itself when the disk is full.
        if self.connection.is_autocommit() || self.work.borrow().is_lost {
            return Err(Error::Unavailable("the transaction was lost".into()));
        }
        match outcome {
            Outcome::Stays => rows.keep()?,
            Outcome::Undone | Outcome::FoundNothing => rows.undo()?,
        }
        Ok(outcome)
    }

    /// Charges the time a write ran to its share.
    fn account(&self, taken: &mut Taken, took: Duration) {
        taken.took += took;
        match taken.source {
            Source::Queue => {
                self.turns.done(&taken.share, took);
                taken.source = Source::QueueDone;
            }
            Source::QueueDone | Source::Parked => self.turns.charge(&taken.share, took),
        }
    }

    fn execute(&self, sql: &str) -> Result<(), Error> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}
