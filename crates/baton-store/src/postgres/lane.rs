//! A lane: one thread with one connection that writes. It takes whatever waits, finds out what each use case needs by running
//! it over what is known, locks the networks it needs and loads the rows it needs in one round trip, runs them for real,
//! writes what came of them and commits, rings, and only then answers.
//!
//! What lives here is the thread with its connection. What use cases need is found in `lane/explore.rs`; they run together in
//! `lane/batch.rs`. One that writes rows which memory does not hold is run in a transaction of its own (`lane/alone.rs`): a
//! refusal is a rollback then, and no savepoints are needed.

mod alone;
mod batch;
mod explore;
mod finish;
mod waiter;

use baton_core::limits;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

use self::finish::Ran;
use self::waiter::Probe;
pub(crate) use self::waiter::Waiter;
use super::clock::ServerClock;
use super::commit;
use super::doubt::Doubts;
use super::heads::Opened;
use super::link::{Commit, Link};
use super::session::Session;
use super::settings::ConnectionSettings;
use crate::batch::{Source, Taken};
use crate::error::Error;
use crate::hint::{Bell, Hint};
use crate::job::WriteJob;
use crate::meter::Meter;
use crate::parked::{Inbox, Parked};
use crate::refused::Refused;
use crate::share::Share;
use crate::sql::work::Work;
use crate::waiting::{Mail, Received, Waiting};

/// What a lane is asked.
pub(crate) enum Turn {
    Write(Box<dyn WriteJob>),
    /// Commit something, whatever it is.
    Probe(oneshot::Sender<Result<(), Error>>),
}

/// What all lanes share.
pub(crate) struct Shared {
    pub(crate) connection: ConnectionSettings,
    pub(crate) turns: Waiting<Turn>,
    pub(crate) parked: Arc<Parked>,
    pub(crate) bell: Bell,
    pub(crate) epoch: Arc<AtomicU64>,
    pub(crate) clock: Arc<ServerClock>,
    pub(crate) meter: Arc<Meter>,
    /// Longest wait for an answer.
    pub(crate) answer_max: Duration,
    pub(crate) doubts: Arc<Doubts>,
    pub(crate) refused: Refused,
    pub(crate) link: Arc<Link>,
    /// Writes that a lane has for another one, by the number of that: each network has a lane that knows it best.
    pub(crate) mail: Vec<Mail<Waiter>>,
}

pub(crate) struct Lane {
    shared: Arc<Shared>,
    /// The row in which its batches are numbered.
    name: String,
    /// Its place among the lanes of this hub.
    at: usize,
    number: Cell<i64>,
    session: Option<Session>,
    work: RefCell<Work>,
}

impl Lane {
    pub(crate) fn new(shared: Arc<Shared>, name: String, at: usize, session: Session) -> Self {
        Self { shared, name, at, number: Cell::new(0), session: Some(session), work: RefCell::default() }
    }

    /// Serves until the queue is closed and empty.
    pub(crate) fn run(mut self) {
        let shared = self.shared.clone();
        while let Some(next) = shared.turns.take_with_mail(&shared.mail[self.at]) {
            let first = self.received(next);
            self.serve(vec![first]);
        }
    }

    fn received(&self, next: Received<Turn, Waiter>) -> Waiter {
        match next {
            Received::Mail(waiter) => waiter,
            Received::Item(share, turn) => self.take_in(share, turn),
        }
    }

    fn take_in(&self, share: Share, turn: Turn) -> Waiter {
        self.shared.meter.write_taken();
        let (job, is_probe): (Box<dyn WriteJob>, _) = match turn {
            Turn::Write(job) => (job, false),
            Turn::Probe(caller) => (Box::new(Probe(caller)), true),
        };
        let taken = Taken { share, job, took: Duration::ZERO, source: Source::Queue };
        Waiter::new(taken, is_probe)
    }

    /// Runs what waits until each has its answer. One that is stopped too often gets a conflict error.
    fn serve(&mut self, mut waiters: Vec<Waiter>) {
        let mut more = limits::WRITE_BATCH_MAX_COUNT;
        while !waiters.is_empty() {
            if let Err(error) = self.connected() {
                self.refuse(waiters, &error);
                return;
            }
            let (often, rest): (Vec<_>, Vec<_>) =
                waiters.into_iter().partition(|waiter| waiter.stops > limits::WRITE_STOPS_MAX_COUNT);
            self.refuse(often, &Error::Conflict);
            // Only the first time: those that were stopped should not wait for others.
            waiters = match self.explore(rest, std::mem::take(&mut more)) {
                Ok(ready) => self.run_ready(ready),
                // The connection was cut: what was asked is asked again on another.
                Err((mut rest, _)) => {
                    self.lose();
                    rest.iter_mut().for_each(|waiter| waiter.stops += 1);
                    rest
                }
            };
        }
    }

    /// Those that can be run together, then each of the others; answers those that were stopped.
    fn run_ready(&mut self, ready: Vec<Waiter>) -> Vec<Waiter> {
        let (alone, together): (Vec<_>, Vec<_>) = ready.into_iter().partition(|waiter| waiter.needs.alone);
        let mut stopped = if together.is_empty() { Vec::new() } else { self.batch(together) };
        for waiter in alone {
            stopped.extend(self.alone(waiter));
        }
        stopped
    }

    /// The connection, made again if it is gone.
    fn connected(&mut self) -> Result<(), Error> {
        if self.session.as_ref().is_some_and(Session::is_current) {
            return Ok(());
        }
        self.session = None;
        self.work.borrow_mut().forget_all();
        self.session = Some(commit::connect_lane(&self.shared, &self.name)?);
        Ok(())
    }

    fn session(&self) -> Result<&Session, Error> {
        self.session.as_ref().ok_or_else(|| Error::Unavailable("there is no connection to PostgreSQL".into()))
    }

    /// Nothing that was learnt on the connection is kept.
    fn lose(&mut self) {
        self.work.borrow_mut().forget_all();
        self.session = None;
    }

    /// Answers those that cannot be run.
    fn refuse(&self, waiters: Vec<Waiter>, error: &Error) {
        if waiters.is_empty() {
            return;
        }
        if !matches!(error, Error::Conflict) {
            self.shared.meter.failed();
            self.shared.refused.note();
            tracing::error!(%error, writes = waiters.len(), "a batch was not committed");
        }
        for mut waiter in waiters {
            self.account(&mut waiter.taken, Duration::ZERO);
            waiter.taken.job.settle(Err(error.clone()));
        }
    }

    /// Charges the time a write ran to its share.
    fn account(&self, taken: &mut Taken, took: Duration) {
        taken.took += took;
        match taken.source {
            Source::Queue => {
                self.shared.turns.done(&taken.share, took);
                taken.source = Source::QueueDone;
            }
            Source::QueueDone | Source::Parked => self.shared.turns.charge(&taken.share, took),
        }
    }

    /// Tells those who listen what was committed, here and on other hubs.
    fn announce(&self, ran: Ran, opened: Vec<Inbox>) {
        let moved = ran.changes.into_moved();
        let Ran { versions, access_epoch, .. } = ran;
        self.shared.link.announce(&Commit { versions, moved: &moved, opened, access_epoch });
        (self.shared.bell)(Hint::Moved(moved));
    }

    /// Whether a transaction that was undone can be run again: others got in its way, or its connection was cut and nothing of
    /// it was committed.
    fn can_be_tried_again(&self, error: &Error) -> bool {
        match error {
            Error::Conflict => true,
            Error::Unavailable(_) => self.session.is_none(),
            _ => false,
        }
    }

    /// Nothing of a transaction is left, and nothing that it had learnt.
    fn undo(&mut self) {
        self.work.borrow_mut().forget_all();
        if let Some(session) = &self.session
            && session.command("ROLLBACK").is_err()
        {
            self.session = None;
        }
    }

    /// A commit that others can see may be on no standby: they look before they rely on it.
    fn doubt(&self) {
        self.shared.doubts.note();
        self.shared.link.announce_doubt();
    }

    /// The error of a transaction that was not finished.
    fn doubting(&self, error: Error) -> Error {
        if matches!(error, Error::Unknown(_)) {
            self.doubt();
        }
        error
    }

    /// A number for each COMMIT that is tried. Not one for each that succeeds: one that was taken for failed may have
    /// been committed, and the next would be taken for it.
    fn next_number(&self) -> i64 {
        self.number.set(self.number.get() + 1);
        self.number.get()
    }

    fn learn(&self, opened: &Opened) {
        self.shared.epoch.fetch_max(opened.access.unsigned_abs(), Ordering::AcqRel);
        self.shared.clock.learn(opened.now);
    }

    fn note_committed(&self, ran: &Ran, writes: usize) {
        let meter = &self.shared.meter;
        meter.committed(writes, &ran.tally);
        if ran.wrote {
            self.shared.refused.note_taken();
            meter.disk_took();
        }
        for changed in ran.changes.tasks() {
            if let Some(to) = changed.status {
                meter.moved(changed.from, to);
            }
        }
        if let Some(epoch) = ran.access_epoch {
            // Before anybody is answered: a call made after the answer must see the change.
            self.shared.epoch.fetch_max(epoch, Ordering::AcqRel);
        }
    }
}
