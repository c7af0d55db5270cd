//! A lane: one thread with one connection that writes. It takes whatever waits, finds out what each use case needs by running
//! it over what is known, locks the networks it needs and loads the rows it needs in one round trip, runs them for real,
//! writes what came of them and commits, rings, and only then answers.
//!
//! A use case that writes rows which memory does not hold is run in a transaction of its own (`alone`): a refusal is a
//! rollback then, and no savepoints are needed.

use baton_core::{NetworkId, limits};
use foldhash::HashSet;
use std::cell::{Cell, RefCell};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

use super::clock::ServerClock;
use super::commit;
use super::heads::{self, Close, Opened};
use super::link::{Commit, Link};
use super::scope::{Ask, Mode, Needs, key_of};
use super::session::Session;
use super::set::Writes;
use super::settings::ConnectionSettings;
use super::tallies::Tallies;
use crate::batch::{Batch, Source, Taken};
use crate::error::Error;
use crate::hint::{Bell, ChangesByNetwork, Hint};
use crate::job::{Outcome, WriteJob};
use crate::meter::{Meter, Tally};
use crate::parked::{Inbox, Parked, ParkedClaim};
use crate::refused::Refused;
use crate::rows::Transaction;
use crate::share::Share;
use crate::sql::rows::Rows;
use crate::sql::work::Work;
use crate::sql::write_set::Hints;
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
    pub(crate) refused: Refused,
    pub(crate) link: Arc<Link>,
    /// Writes that a lane has for another one, by the number of that: each network has a lane that knows it best.
    pub(crate) mail: Vec<Mail<Waiter>>,
}

/// Whoever waits for a probe. It reads the clock, so a transaction is begun for it.
struct Probe(oneshot::Sender<Result<(), Error>>);

impl WriteJob for Probe {
    fn run(&mut self, tx: &mut dyn Transaction) -> Outcome {
        let _ = tx.time();
        Outcome::Stays
    }

    fn settle(self: Box<Self>, committed: Result<(), Error>) {
        // Nobody needs to know any more.
        let _ = self.0.send(committed);
    }
}

/// A write that waits to be run, with what it was found to need.
pub(crate) struct Waiter {
    taken: Taken,
    needs: Needs,
    /// How often it was stopped for something it needs.
    stops: u32,
    is_probe: bool,
}

/// What exploring a use case showed.
enum Explored {
    /// It needs nothing of the database, and has its outcome.
    Done(Outcome),
    /// It asked for something that is not loaded.
    Asks,
    /// It can be run.
    Ready,
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

/// A batch that ran.
struct Ran {
    changes: ChangesByNetwork,
    /// Inboxes with a task that was opened.
    opened: Vec<Inbox>,
    /// The networks that it changed, each with its version if that is known.
    versions: Vec<(NetworkId, Option<i64>)>,
    tally: Tally,
    access_epoch: Option<u64>,
    wrote: bool,
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
        Waiter { taken, needs: Needs::default(), stops: 0, is_probe }
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
        let is_current =
            |session: &Session| !session.is_lost() && (!session.is_stale() || session.barrier().is_ok());
        if self.session.as_ref().is_some_and(is_current) {
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

    /// Finds out what use cases need: each is run over what is known until it asks for more, and what all of them ask for is
    /// loaded in one round trip. Those that need nothing are answered. So many more are taken from the queue meanwhile.
    fn explore(&mut self, waiters: Vec<Waiter>, more: usize) -> Result<Vec<Waiter>, (Vec<Waiter>, Error)> {
        let Some(session) = &self.session else { return Err((waiters, Error::Closed)) };
        session.enter(Mode::Explore);
        let (mut ready, mut asking) = (Vec::with_capacity(waiters.len()), Vec::new());
        let began = Instant::now();
        let taken = (0..more).map_while(|_| self.next(began));
        for waiter in waiters.into_iter().chain(taken) {
            match waiter.needs.alone || !waiter.needs.networks.is_empty() {
                true => ready.push(waiter), // it was stopped before, and what for is known
                false => self.explore_next(session, waiter, &mut ready, &mut asking),
            }
        }
        for _ in 0..limits::EXPLORING_ROUNDS_COUNT {
            if asking.is_empty() {
                break;
            }
            let asks = distinct(asking.iter().flat_map(|waiter| &waiter.needs.asks));
            if let Err(error) = session.prepare_answers(&asks) {
                ready.extend(asking);
                return Err((ready, error));
            }
            for waiter in std::mem::take(&mut asking) {
                self.explore_next(session, waiter, &mut ready, &mut asking);
            }
        }
        ready.extend(asking);
        Ok(ready)
    }

    /// The next write that waits, unless those before it have taken long.
    fn next(&self, began: Instant) -> Option<Waiter> {
        if began.elapsed() >= Duration::from_micros(limits::WRITE_BATCH_MAX_MICROS) {
            return None;
        }
        let next = self.shared.turns.try_take_with_mail(&self.shared.mail[self.at])?;
        Some(self.received(next))
    }

    /// Hands a write to the lane of its network, if that is another one and has room for it. Which lane runs it matters for
    /// nothing but what the lane knows.
    fn forward(&self, waiter: Waiter) -> Option<Waiter> {
        let Some(network) = waiter.needs.networks.first() else { return Some(waiter) };
        let mut hasher = std::hash::DefaultHasher::new();
        network.hash(&mut hasher);
        let lane = usize::try_from(hasher.finish() % self.shared.mail.len() as u64).unwrap_or_default();
        if lane == self.at {
            return Some(waiter);
        }
        self.shared.turns.forward(&self.shared.mail[lane], waiter, limits::WRITE_BATCH_MAX_COUNT).err()
    }

    fn explore_next(
        &self,
        session: &Session,
        mut waiter: Waiter,
        ready: &mut Vec<Waiter>,
        asking: &mut Vec<Waiter>,
    ) {
        let began = Instant::now();
        let explored = explore_one(session, &self.work, &mut waiter);
        self.account(&mut waiter.taken, began.elapsed());
        match explored {
            Explored::Done(outcome) => self.answer_at_once(waiter.taken, outcome),
            Explored::Asks => asking.push(waiter),
            Explored::Ready => ready.extend(self.forward(waiter)),
        }
    }

    fn answer_at_once(&self, taken: Taken, outcome: Outcome) {
        match outcome {
            Outcome::FoundNothing => {
                let mut batch = Batch::default();
                batch.park(taken, &self.shared.parked);
                batch.writes.into_iter().for_each(|taken| taken.job.settle(Ok(())));
            }
            Outcome::Stays | Outcome::Undone => taken.job.settle(Ok(())),
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

    /// Runs use cases in one transaction, and commits it; answers those that were stopped. On a conflict with others it is
    /// tried again.
    fn batch(&mut self, mut waiters: Vec<Waiter>) -> Vec<Waiter> {
        for attempt in 1.. {
            let (mut batch, mut stopped) = (Batch::default(), Vec::new());
            let committed = self.try_batch(waiters, &mut batch, &mut stopped);
            let error = match committed {
                Ok(ran) => {
                    self.announce(ran, std::mem::take(&mut batch.opened));
                    batch.writes.into_iter().for_each(|taken| taken.job.settle(Ok(())));
                    return stopped;
                }
                Err(error) => error,
            };
            self.undo();
            batch.unpark(&self.shared.parked);
            let is_probe = batch.probes;
            waiters = batch.writes.into_iter().map(|taken| again(taken, is_probe)).collect();
            let tries_again = self.can_be_tried_again(&error) && attempt < limits::WRITE_CONFLICT_TRIES;
            if !tries_again || self.connected().is_err() {
                // One of them may be what PostgreSQL does not take: each is tried by itself.
                if waiters.len() > 1 && matches!(error, Error::Unavailable(_)) && self.connected().is_ok() {
                    return waiters
                        .into_iter()
                        .flat_map(|waiter| self.batch(vec![waiter]))
                        .chain(stopped)
                        .collect();
                }
                self.refuse(waiters, &error);
                return stopped;
            }
            self.shared.meter.retried();
            waiters.append(&mut stopped);
        }
        Vec::new()
    }

    fn try_batch(
        &mut self,
        waiters: Vec<Waiter>,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
    ) -> Result<Ran, Error> {
        let mut waiters = waiters.into_iter();
        let ran = self.run_all(&mut waiters, batch, stopped);
        // Those that did not come to run are answered with the others.
        batch.writes.extend(waiters.map(|waiter| waiter.taken));
        let ran = ran?;
        self.note_committed(&ran, batch.writes.len());
        Ok(ran)
    }

    /// Tells those who listen what was committed, here and on other hubs.
    fn announce(&self, ran: Ran, opened: Vec<Inbox>) {
        let moved = ran.changes.into_moved();
        let Ran { versions, access_epoch, .. } = ran;
        self.shared.link.announce(&Commit { versions, moved: &moved, opened, access_epoch });
        (self.shared.bell)(Hint::Moved(moved));
    }

    fn run_all(
        &mut self,
        waiters: &mut std::vec::IntoIter<Waiter>,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
    ) -> Result<Ran, Error> {
        let session = self.session()?;
        session.enter(Mode::Batch);
        let needs = together(waiters.as_slice());
        let opened =
            heads::open(session, &mut self.work.borrow_mut(), &needs, &self.name, waiters.as_slice().len())?;
        self.learn(&opened);
        let mut rows = Rows::to_write_on(session, &self.work);
        for waiter in waiters.by_ref() {
            batch.probes |= waiter.is_probe;
            self.run_and_hand_over(session, waiter, batch, stopped, &mut rows)?;
        }
        let number = self.next_number();
        let began = Instant::now();
        let ran = finish(session, &self.work, Mode::Batch, &self.name, number, batch.probes);
        self.shared.meter.disk_waited(began.elapsed());
        let mut ran = match ran {
            Ok(ran) => ran,
            Err(Unfinished::Failed(error)) => return Err(error),
            Err(Unfinished::Unknown(error)) => {
                let changed = session.scope.borrow().changed.clone();
                let hints = std::mem::take(&mut self.work.borrow_mut().batch.hints);
                self.session = None;
                commit::resolve(&self.shared, &self.name, number, &error)?;
                Ran { versions: unknown_versions(changed), ..ran_of(hints, None, true) }
            }
        };
        let work = &mut *self.work.borrow_mut();
        match &self.session {
            Some(session) => {
                let scope = session.scope.borrow();
                heads::note_committed(&mut work.known, &scope.changed);
                ran.versions = heads::versions(&work.known, &scope.changed);
            }
            None => work.forget_all(),
        }
        work.known.shed();
        Ok(ran)
    }

    /// Runs a write, and the parked claims that it has something for.
    fn run_and_hand_over(
        &self,
        session: &Session,
        waiter: Waiter,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
        rows: &mut Rows<'_>,
    ) -> Result<(), Error> {
        self.run_one(session, waiter, batch, stopped, rows)?;
        // There are no more of them than tasks that the write opened.
        let mut exhausted: Vec<Inbox> = Vec::new();
        while let Some(inbox) = self.next_opened() {
            if exhausted.contains(&inbox) {
                batch.opened.push(inbox);
                continue;
            }
            let mut is_taken = false;
            while let Some(ParkedClaim { share, job }) = self.shared.parked.take_first(&inbox) {
                let taken = Taken { share, job, took: Duration::ZERO, source: Source::Parked };
                let claim = Waiter { taken, needs: Needs::default(), stops: 0, is_probe: false };
                match self.run_one(session, claim, batch, stopped, rows)? {
                    // Refused: the task is the next one's.
                    Some(Outcome::Undone) => {}
                    Some(Outcome::Stays) => {
                        is_taken = true;
                        break;
                    }
                    // One that was stopped runs right after this batch.
                    Some(Outcome::FoundNothing) | None => {
                        exhausted.push(inbox.clone());
                        break;
                    }
                }
            }
            if !is_taken {
                batch.opened.push(inbox);
            }
        }
        Ok(())
    }

    fn next_opened(&self) -> Option<Inbox> {
        self.work.borrow_mut().batch.hints.opened.pop_front()
    }

    /// Runs a write and adds it to the batch, unless it is a claim that is parked, or is stopped.
    fn run_one(
        &self,
        session: &Session,
        mut waiter: Waiter,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
        rows: &mut Rows<'_>,
    ) -> Result<Option<Outcome>, Error> {
        let began = Instant::now();
        session.scope.borrow_mut().begin_use_case(waiter.needs.clone());
        let outcome = match waiter.taken.job.is_abandoned() {
            true => Outcome::Undone,
            false => waiter.taken.job.run(rows),
        };
        self.account(&mut waiter.taken, began.elapsed());
        let (is_stopped, failure) = {
            let scope = session.scope.borrow();
            (scope.is_stopped, scope.failure.clone())
        };
        if let Some(failure) = failure {
            batch.writes.push(waiter.taken);
            return Err(failure);
        }
        if is_stopped {
            rows.undo()?;
            waiter.needs = std::mem::take(&mut session.scope.borrow_mut().needs);
            waiter.stops += 1;
            stopped.push(waiter);
            return Ok(None);
        }
        match outcome {
            Outcome::Stays => {
                rows.keep()?;
                let scope = &mut *session.scope.borrow_mut();
                scope.changed.extend(scope.changing.drain());
            }
            Outcome::Undone | Outcome::FoundNothing => rows.undo()?,
        }
        if outcome == Outcome::FoundNothing {
            batch.park(waiter.taken, &self.shared.parked);
        } else {
            batch.writes.push(waiter.taken);
        }
        Ok(Some(outcome))
    }

    /// Runs a use case that writes by statements, in a transaction of its own; answers it if it was stopped, and the claims
    /// that it has something for.
    fn alone(&mut self, waiter: Waiter) -> Vec<Waiter> {
        let mut waiter = waiter;
        for attempt in 1.. {
            let (mut batch, mut stopped) = (Batch::default(), Vec::new());
            match self.try_alone(waiter, &mut batch, &mut stopped) {
                Ok((ran, opened)) => {
                    let claims = self.claims_for(&opened);
                    self.announce(ran, opened);
                    batch.writes.into_iter().for_each(|taken| taken.job.settle(Ok(())));
                    stopped.extend(claims);
                    return stopped;
                }
                Err(error) => {
                    self.undo();
                    batch.unpark(&self.shared.parked);
                    let Some(taken) = batch.writes.pop() else { return stopped };
                    waiter = again(taken, false);
                    waiter.needs = Needs { alone: true, all: true, ..Needs::default() };
                    let tries_again =
                        self.can_be_tried_again(&error) && attempt < limits::WRITE_CONFLICT_TRIES;
                    if !tries_again || self.connected().is_err() {
                        self.refuse_alone(waiter, &error);
                        return stopped;
                    }
                    self.shared.meter.retried();
                }
            }
        }
        Vec::new()
    }

    /// What went wrong may be what the use case itself did, which says nothing of the database.
    fn refuse_alone(&self, waiter: Waiter, error: &Error) {
        match (error, &self.session) {
            (Error::Unavailable(_), Some(session)) if !session.is_lost() => {
                waiter.taken.job.settle(Err(error.clone()));
            }
            _ => self.refuse(vec![waiter], error),
        }
    }

    fn try_alone(
        &mut self,
        waiter: Waiter,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
    ) -> Result<(Ran, Vec<Inbox>), Error> {
        let mode = if waiter.needs.all { Mode::AloneWithAll } else { Mode::Alone };
        let needs = Needs { asks: Vec::new(), ..waiter.needs.clone() };
        // It reads the database: nothing is known here, and nothing that it learns is kept.
        let work = RefCell::new(Work::default());
        let outcome = {
            let session = match self.session() {
                Ok(session) => session,
                Err(error) => {
                    batch.writes.push(waiter.taken);
                    return Err(error);
                }
            };
            session.enter(mode);
            match heads::open(session, &mut work.borrow_mut(), &needs, &self.name, 0) {
                Ok(opened) => self.learn(&opened),
                Err(error) => {
                    batch.writes.push(waiter.taken);
                    return Err(error);
                }
            }
            let mut rows = Rows::to_write_on(session, &work);
            self.run_one(session, waiter, batch, stopped, &mut rows)?
        };
        if outcome != Some(Outcome::Stays) {
            self.session()?.command("ROLLBACK")?;
            return Ok((ran_of(Hints::default(), None, false), Vec::new()));
        }
        let number = self.next_number();
        let began = Instant::now();
        let changed = self.session()?.scope.borrow().changed.clone();
        let mut ran = match finish(self.session()?, &work, mode, &self.name, number, false) {
            Ok(ran) => ran,
            Err(Unfinished::Failed(error)) => return Err(error),
            Err(Unfinished::Unknown(error)) => {
                let hints = std::mem::take(&mut work.borrow_mut().batch.hints);
                self.session = None;
                commit::resolve(&self.shared, &self.name, number, &error)?;
                ran_of(hints, None, true)
            }
        };
        self.shared.meter.disk_waited(began.elapsed());
        self.note_committed(&ran, batch.writes.len());
        heads::note_committed(&mut work.borrow_mut().known, &changed);
        ran.versions = heads::versions(&work.borrow().known, &changed);
        let opened = std::mem::take(&mut ran.opened);
        Ok((ran, opened))
    }

    /// The parked claims of inboxes that a task was opened in.
    fn claims_for(&self, opened: &[Inbox]) -> Vec<Waiter> {
        let claims = opened.iter().filter_map(|inbox| self.shared.parked.take_first(inbox));
        let waiter = |ParkedClaim { share, job }| {
            let taken = Taken { share, job, took: Duration::ZERO, source: Source::Parked };
            Waiter { taken, needs: Needs::default(), stops: 0, is_probe: false }
        };
        claims.map(waiter).collect()
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

/// Networks whose versions are not known.
fn unknown_versions(changed: HashSet<NetworkId>) -> Vec<(NetworkId, Option<i64>)> {
    changed.into_iter().map(|network| (network, None)).collect()
}

/// A write of a batch that was undone, to be run again.
fn again(taken: Taken, is_probe: bool) -> Waiter {
    Waiter { taken, needs: Needs::default(), stops: 1, is_probe }
}

fn explore_one(session: &Session, work: &RefCell<Work>, waiter: &mut Waiter) -> Explored {
    if waiter.taken.job.is_abandoned() {
        return Explored::Done(Outcome::Undone);
    }
    session.scope.borrow_mut().begin_use_case(std::mem::take(&mut waiter.needs));
    let asked = session.scope.borrow().needs.asks.len();
    let mut rows = Rows::to_write_on(session, work);
    let outcome = waiter.taken.job.run(&mut rows);
    let is_empty = {
        let layer = &work.borrow().layer;
        layer.is_empty() && layer.hints.changes.is_empty() && !layer.hints.touches_access
    };
    // Nothing is open that could fail here.
    let _ = rows.undo();
    let scope = &mut *session.scope.borrow_mut();
    waiter.needs = std::mem::take(&mut scope.needs);
    match scope.is_stopped {
        true if waiter.needs.asks.len() > asked => Explored::Asks,
        true => Explored::Ready,
        false if waiter.needs.is_nothing() && is_empty => Explored::Done(outcome),
        false => Explored::Ready,
    }
}

/// What several use cases need.
fn together(waiters: &[Waiter]) -> Needs {
    let mut all = Needs::default();
    for waiter in waiters {
        all.networks.extend(waiter.needs.networks.iter().cloned());
        all.new.extend(waiter.needs.new.iter().cloned());
    }
    all.asks = distinct(waiters.iter().flat_map(|waiter| &waiter.needs.asks));
    all
}

/// Each statement once.
fn distinct<'a>(asks: impl Iterator<Item = &'a Ask>) -> Vec<Ask> {
    let mut seen = foldhash::HashSet::default();
    asks.filter(|ask| seen.insert(key_of(&ask.sql, &ask.parameters))).cloned().collect()
}

/// Why a transaction was not finished.
enum Unfinished {
    /// Nothing of it is left.
    Failed(Error),
    /// Its COMMIT was sent and not answered.
    Unknown(Error),
}

impl From<Error> for Unfinished {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Writes what a transaction has changed and commits it, in one round trip.
fn finish(
    session: &Session,
    work: &RefCell<Work>,
    mode: Mode,
    lane: &str,
    number: i64,
    probes: bool,
) -> Result<Ran, Unfinished> {
    let work = &mut *work.borrow_mut();
    let changed = session.scope.borrow().changed.clone();
    let touches_access = work.batch.hints.touches_access;
    let wrote = std::mem::take(&mut work.wrote)
        || !work.batch.is_empty()
        || !changed.is_empty()
        || touches_access
        || session.scope.borrow().has_new_keys
        || probes
        || mode == Mode::AloneWithAll;
    if !wrote {
        session.command("ROLLBACK")?;
        return Ok(ran_of(std::mem::take(&mut work.batch.hints), None, false));
    }
    let access_epoch = if touches_access { Some(raise_access(session)?) } else { None };
    let tallies = Tallies::load(session, &work.batch.counts)?;
    let close = Close { changed: &changed, mode, lane, number };
    let mut writes = Writes::of(&work.batch);
    tallies.write(&mut writes);
    close.write(work, &mut writes);
    let sent = session.send(&writes, Some("COMMIT"));
    drop(writes);
    match sent {
        Ok(()) if session.take_not_replicated() => Err(Unfinished::Failed(Error::Unknown(
            "PostgreSQL stopped waiting for its standby: the write is on this server, and may be on no other"
                .into(),
        ))),
        Ok(()) => {
            work.batch.note_written();
            let written: Vec<_> = work.batch.tasks.drain().collect();
            for (id, entry) in written {
                work.known.put_task(id, entry.now);
            }
            work.batch.retries.clear();
            work.batch.counted = Default::default();
            Ok(ran_of(std::mem::take(&mut work.batch.hints), access_epoch, true))
        }
        Err(error) if session.is_lost() => Err(Unfinished::Unknown(error)),
        Err(error) => Err(Unfinished::Failed(error)),
    }
}

fn raise_access(session: &Session) -> Result<u64, Error> {
    let sql = "UPDATE access_epoch SET epoch = epoch + 1 WHERE one = 1 RETURNING epoch";
    let found = session.ask(&[Ask { sql: sql.into(), parameters: Vec::new() }])?;
    let epoch = found.first().and_then(|rows| rows.first()).map(|row| row.get::<_, i64>("epoch"));
    epoch.map(i64::unsigned_abs).ok_or_else(|| Error::Corrupt("there is no access epoch".into()))
}

fn ran_of(hints: Hints, access_epoch: Option<u64>, wrote: bool) -> Ran {
    let Hints { changes, opened, tally, .. } = hints;
    Ran { changes, opened: opened.into(), versions: Vec::new(), tally, access_epoch, wrote }
}
