//! Threads that read, each with a connection of its own. A read sees one state (REPEATABLE READ). There are two lanes, as
//! SQLite's readers have: a quick read that takes long is stopped and restarted in the slow lane.

use baton_core::limits;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::PostgresOptions;
use super::doubt::Doubts;
use super::scope::Mode;
use super::session::Session;
use super::settings::ConnectionSettings;
use crate::error::Error;
use crate::fair_queue::Bounds;
use crate::job::ReadJob;
use crate::meter::Meter;
use crate::share::Share;
use crate::sql::rows::Rows;
use crate::store::Lane;
use crate::waiting::Waiting;

const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

pub(crate) struct Readers {
    lanes: Arc<Lanes>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Lanes {
    connection: ConnectionSettings,
    quick: Waiting<Box<dyn ReadJob>>,
    slow: Waiting<Box<dyn ReadJob>>,
    meter: Arc<Meter>,
    doubts: Arc<Doubts>,
}

impl Readers {
    pub(crate) fn start(
        connection: &ConnectionSettings,
        options: &PostgresOptions,
        meter: &Arc<Meter>,
        doubts: &Arc<Doubts>,
    ) -> Result<Self, Error> {
        let quick = options.readers.max(1);
        let lanes = Arc::new(Lanes::new(connection.clone(), quick, meter.clone(), doubts.clone()));
        let mut readers = Vec::new();
        for number in 0..quick + limits::SLOW_READ_THREADS {
            let (lane, longest) = match number < quick {
                true => (Lane::Quick, options.quick_read_max),
                false => (Lane::Slow, options.slow_read_max),
            };
            let mut reader = Reader { session: None, longest, lane, lanes: lanes.clone() };
            // What keeps it from being connected is found where the store is opened, before any thread runs.
            reader.connected()?;
            readers.push(reader);
        }
        let mut threads = Vec::new();
        for (number, mut reader) in readers.into_iter().enumerate() {
            let thread = std::thread::Builder::new().name(format!("reader-{number}"));
            let thread = thread.spawn(move || reader.read_all());
            threads.push(thread.map_err(|error| Error::Unavailable(error.to_string()))?);
        }
        Ok(Self { lanes, threads: Mutex::new(threads) })
    }

    pub(crate) fn query(&self, share: Share, lane: Lane, job: Box<dyn ReadJob>) -> Result<(), Error> {
        self.lanes.push(share, lane, job).map_err(|(error, _)| error)
    }

    pub(crate) fn close(&self) {
        self.lanes.quick.close();
        self.lanes.slow.close();
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join(); // a panic there was logged when it happened
        }
    }
}

impl Lanes {
    fn new(connection: ConnectionSettings, quick: usize, meter: Arc<Meter>, doubts: Arc<Doubts>) -> Self {
        let quick = Bounds {
            waiting: limits::READS_WAITING_MAX_COUNT,
            waiting_per_share: limits::QUICK_READS_WAITING_PER_SHARE_MAX_COUNT,
            // However much one share asks for, one thread is left for the others.
            running_per_share: quick.saturating_sub(1).max(1),
        };
        let slow = Bounds {
            waiting: limits::READS_WAITING_MAX_COUNT,
            waiting_per_share: limits::SLOW_READS_WAITING_PER_SHARE_MAX_COUNT,
            running_per_share: limits::SLOW_READ_THREADS,
        };
        Self { connection, quick: Waiting::new(quick), slow: Waiting::new(slow), meter, doubts }
    }

    fn of(&self, lane: Lane) -> &Waiting<Box<dyn ReadJob>> {
        match lane {
            Lane::Quick => &self.quick,
            Lane::Slow => &self.slow,
        }
    }

    fn push(&self, share: Share, lane: Lane, job: Box<dyn ReadJob>) -> Result<(), (Error, Box<dyn ReadJob>)> {
        // Before it is there to be taken.
        self.meter.read_waits();
        self.of(lane).push(share, job).inspect_err(|_| self.meter.read_taken())
    }
}

struct Reader {
    session: Option<Session>,
    longest: Duration,
    lane: Lane,
    lanes: Arc<Lanes>,
}

impl Reader {
    fn read_all(&mut self) {
        let lanes = self.lanes.clone();
        while let Some((share, job)) = lanes.of(self.lane).take() {
            lanes.meter.read_taken();
            let began = Instant::now();
            let is_abandoned = job.is_abandoned();
            let ran = if is_abandoned { None } else { Some(self.read(job)) };
            lanes.of(self.lane).done(&share, began.elapsed());
            if let Some((job, ran)) = ran {
                self.settle(share, job, ran);
            }
            self.end();
        }
    }

    fn connected(&mut self) -> Result<&Session, Error> {
        if self.session.as_ref().is_none_or(|session| !session.is_current()) {
            self.session = None;
            let settings =
                format!("SET statement_timeout = {}; SET jit = off", self.longest.as_millis().max(1));
            let session = Session::connect(&self.lanes.connection, &settings, self.lanes.meter.clone())?;
            let session = session.answering_within(self.longest + limits::POSTGRES_LATE_MAX);
            let session = session.sharing(&self.lanes.doubts);
            session.barrier()?;
            self.session = Some(session);
        }
        self.session.as_ref().ok_or(Error::Closed)
    }

    /// Runs a read within the lane's time; on another connection if this one turns out to be cut.
    fn read(&mut self, mut job: Box<dyn ReadJob>) -> (Box<dyn ReadJob>, Result<(), Error>) {
        for _ in 0..limits::POSTGRES_READ_TRIES_COUNT {
            let longest = self.longest;
            let session = match self.connected() {
                Ok(session) => session,
                Err(error) => return (job, Err(error)),
            };
            session.enter(Mode::Read);
            // It goes with the first statement.
            session.scope.borrow_mut().begin = Some(BEGIN);
            session.set_time(longest);
            job.run(&Rows::of(session));
            match session.failure() {
                Some(Error::TookTooLong) => return (job, Err(Error::TookTooLong)),
                Some(_) if session.is_lost() => {}
                // Other errors were returned to the read.
                _ => break,
            }
        }
        (job, Ok(()))
    }

    /// Answers, or restarts a read that was not quick in the slow lane.
    fn settle(&self, share: Share, job: Box<dyn ReadJob>, ran: Result<(), Error>) {
        match (ran, self.lane) {
            (Err(Error::TookTooLong), Lane::Quick) => {
                if let Err((error, job)) = self.lanes.push(share, Lane::Slow, job) {
                    job.settle(Err(error));
                }
            }
            (ran, _) => job.settle(ran),
        }
    }

    /// Ends the state that was read, so that PostgreSQL need not keep what is newer apart from it.
    fn end(&mut self) {
        let Some(session) = &self.session else { return };
        let has_begun = session.scope.borrow().begin.is_none();
        session.enter(Mode::Read);
        if has_begun && session.command("ROLLBACK").is_err() {
            self.session = None;
        }
    }
}
