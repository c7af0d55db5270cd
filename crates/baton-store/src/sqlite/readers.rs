//! Threads that read, each with a connection of its own. A read sees one consistent state.

use rusqlite::Connection;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::connection;
use super::damage::Damage;
use super::rows::Rows;
use crate::error::Error;
use crate::job::ReadJob;
use crate::meter::Meter;

/// Reads that may wait.
const QUEUE: usize = 4_096;

type Jobs = Arc<Mutex<Receiver<Box<dyn ReadJob>>>>;

pub(super) struct Readers {
    queue: Mutex<Option<SyncSender<Box<dyn ReadJob>>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    meter: Arc<Meter>,
}

impl Readers {
    pub(super) fn start(
        path: &Path,
        count: usize,
        meter: &Arc<Meter>,
        damage: &Damage,
    ) -> Result<Self, Error> {
        let (queue, jobs) = sync_channel(QUEUE);
        let jobs: Jobs = Arc::new(Mutex::new(jobs));
        let mut threads = Vec::new();
        for number in 0..count.max(1) {
            let connection = connection::open_reader(path)?;
            let (jobs, meter, damage) = (jobs.clone(), meter.clone(), damage.clone());
            let thread = std::thread::Builder::new().name(format!("reader-{number}"));
            let thread = thread.spawn(move || read_all(&connection, &jobs, &meter, &damage));
            threads.push(thread.map_err(|error| Error::Unavailable(error.to_string()))?);
        }
        Ok(Self { queue: Mutex::new(Some(queue)), threads: Mutex::new(threads), meter: meter.clone() })
    }

    pub(super) fn query(&self, job: Box<dyn ReadJob>) -> Result<(), Error> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queue.as_ref().ok_or(Error::Closed)?;
        // Before it is there to be taken.
        self.meter.read_waits();
        queue.try_send(job).map_err(|error| {
            self.meter.read_taken();
            match error {
                TrySendError::Full(_) => Error::Busy,
                TrySendError::Disconnected(_) => Error::Closed,
            }
        })
    }

    pub(super) fn close(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
    }
}

fn read_all(connection: &Connection, jobs: &Jobs, meter: &Meter, damage: &Damage) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        meter.read_taken();
        let began = connection.prepare_cached("BEGIN").and_then(|mut begin| begin.execute([]));
        match began {
            Ok(_) => job.run(Ok(&Rows::new(connection))),
            Err(error) => job.run(Err(error.into())),
        }
        damage.collect();
        // Ends the state that was read, so that the WAL can be folded back behind it.
        if let Err(error) = connection.prepare_cached("COMMIT").and_then(|mut end| end.execute([])) {
            tracing::warn!(%error, "a read could not be ended");
        }
    }
}
