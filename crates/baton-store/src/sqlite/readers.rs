//! Threads that read, each with a connection of its own. A read sees one consistent state. There are two lanes: a quick
//! read that takes long is stopped and restarted in the slow lane, so that slow reads wait for each other and quick
//! ones wait for none of them.

use baton_core::limits;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::damage::Damage;
use super::deadline::Deadline;
use super::{SqliteOptions, connection};
use crate::error::Error;
use crate::fair_queue::Bounds;
use crate::job::ReadJob;
use crate::meter::Meter;
use crate::share::Share;
use crate::sql::rows::Rows;
use crate::store::Lane;
use crate::waiting::Waiting;

pub(super) struct Readers {
    lanes: Arc<Lanes>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Lanes {
    quick: Waiting<Box<dyn ReadJob>>,
    slow: Waiting<Box<dyn ReadJob>>,
    meter: Arc<Meter>,
}

impl Readers {
    pub(super) fn start(
        path: &Path,
        options: SqliteOptions,
        meter: &Arc<Meter>,
        damage: &Damage,
    ) -> Result<Self, Error> {
        let quick = options.readers.max(1);
        let lanes = Arc::new(Lanes::new(quick, meter.clone()));
        let mut threads = Vec::new();
        for number in 0..quick + limits::SLOW_READ_THREADS {
            let mut connection = connection::open_reader(path)?;
            let deadline = Deadline::watch(&mut connection)?;
            let (lane, longest) = match number < quick {
                true => (Lane::Quick, options.quick_read_max),
                false => (Lane::Slow, options.slow_read_max),
            };
            let (lanes, damage) = (lanes.clone(), damage.clone());
            let reader = Reader { connection, deadline, longest, lane, lanes, damage };
            let thread = std::thread::Builder::new().name(format!("reader-{number}"));
            let thread = thread.spawn(move || reader.read_all());
            threads.push(thread.map_err(|error| Error::Unavailable(error.to_string()))?);
        }
        Ok(Self { lanes, threads: Mutex::new(threads) })
    }

    pub(super) fn query(&self, share: Share, lane: Lane, job: Box<dyn ReadJob>) -> Result<(), Error> {
        self.lanes.push(share, lane, job).map_err(|(error, _)| error)
    }

    pub(super) fn close(&self) {
        self.lanes.quick.close();
        self.lanes.slow.close();
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
    }
}

impl Lanes {
    fn new(quick: usize, meter: Arc<Meter>) -> Self {
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
        Self { quick: Waiting::new(quick), slow: Waiting::new(slow), meter }
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
    connection: Connection,
    deadline: Deadline,
    longest: Duration,
    lane: Lane,
    lanes: Arc<Lanes>,
    damage: Damage,
}

impl Reader {
    fn read_all(&self) {
        if self.lane == Lane::Slow
            && let Err(error) = rustix::process::setpriority_process(None, limits::SLOW_READ_NICENESS)
        {
            tracing::debug!(%error, "the slow lane runs at the usual priority");
        }
        while let Some((share, job)) = self.lanes.of(self.lane).take() {
            self.lanes.meter.read_taken();
            let began = Instant::now();
            let is_abandoned = job.is_abandoned();
            let ran = if is_abandoned { None } else { Some(self.read(job)) };
            self.lanes.of(self.lane).done(&share, began.elapsed());
            if let Some((job, ran)) = ran {
                self.settle(share, job, ran);
            }
        }
    }

    /// Runs a read within the lane's time.
    fn read(&self, mut job: Box<dyn ReadJob>) -> (Box<dyn ReadJob>, Result<(), Error>) {
        self.deadline.set(self.longest);
        let began = self.execute("BEGIN");
        if began.is_ok() {
            job.run(&Rows::new(&self.connection));
        }
        let was_stopped = self.deadline.lift();
        self.damage.collect();
        // Ends the state that was read, so that the WAL can be folded back behind it.
        if let Err(error) = self.execute("COMMIT") {
            tracing::warn!(%error, "a read could not be ended");
        }
        (job, if was_stopped { Err(Error::TookTooLong) } else { began })
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

    fn execute(&self, sql: &str) -> Result<(), Error> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}
