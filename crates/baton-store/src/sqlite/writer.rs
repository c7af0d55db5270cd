//! The one thread that writes. It takes whatever waits, runs each write in a savepoint of one transaction,
//! commits once, rings, and only then answers. If the commit fails, everybody in the batch hears so.

use rusqlite::Connection;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::refused::Refused;
use super::rows::{Rows, Staged};
use super::{Bell, SqliteOptions};
use crate::error::Error;
use crate::job::WriteJob;
use crate::store::Committed;

pub(super) struct Writer {
    queue: Mutex<Option<SyncSender<Box<dyn WriteJob>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        options: SqliteOptions,
        bell: Bell,
        epoch: Arc<AtomicU64>,
        refused: Refused,
    ) -> Result<Self, Error> {
        let (queue, jobs) = sync_channel(options.write_queue);
        let batches = Batches { connection, batch: options.batch, bell, epoch, refused };
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || batches.run(&jobs));
        let thread = thread.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)) })
    }

    pub(super) fn submit(&self, job: Box<dyn WriteJob>) -> Result<(), Error> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queue.as_ref().ok_or(Error::Closed)?;
        queue.try_send(job).map_err(|error| match error {
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
    refused: Refused,
}

impl Batches {
    fn run(&self, jobs: &Receiver<Box<dyn WriteJob>>) {
        while let Ok(first) = jobs.recv() {
            let mut batch = vec![first];
            while batch.len() < self.batch
                && let Ok(job) = jobs.try_recv()
            {
                batch.push(job);
            }
            let committed = self.commit(&mut batch);
            let settled = match committed {
                Ok(hints) => {
                    (self.bell)(hints);
                    Ok(())
                }
                Err(error) => {
                    self.refused.note();
                    tracing::error!(%error, writes = batch.len(), "a batch was not committed");
                    Err(error)
                }
            };
            for job in batch {
                job.settle(settled.clone());
            }
        }
    }

    /// Runs and commits a batch. Whatever goes wrong, no part of it is left.
    fn commit(&self, batch: &mut [Box<dyn WriteJob>]) -> Result<Committed, Error> {
        if !self.connection.is_autocommit() {
            self.execute("ROLLBACK")?; // the last one could not be ended when it failed
        }
        let changes = self.connection.total_changes();
        self.execute("BEGIN IMMEDIATE")?;
        let result = self.run_all(batch).and_then(|done| {
            self.execute("COMMIT")?;
            Ok(done)
        });
        match result {
            Ok((hints, touches_access)) => {
                // A commit of nothing does not ask the disk.
                if self.connection.total_changes() != changes {
                    self.refused.note_taken();
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

    fn run_all(&self, batch: &mut [Box<dyn WriteJob>]) -> Result<(Committed, bool), Error> {
        let mut rows = Rows::new(&self.connection);
        let mut hints = Committed::default();
        let mut touches_access = false;
        for job in batch {
            self.execute("SAVEPOINT write")?;
            let keep = job.run(&mut rows);
            let staged: Staged = std::mem::take(&mut rows.staged);
            if keep {
                staged.gone.iter().for_each(|network| rows.counted.forget(network));
                rows.counted.merge(staged.counts);
                hints.rings.extend(staged.rings);
                hints.changed_tasks.extend(staged.changed_tasks);
                touches_access |= staged.touches_access;
            } else {
                self.execute("ROLLBACK TO write")?;
            }
            self.execute("RELEASE write")?;
        }
        let counted = std::mem::take(&mut rows.counted);
        hints.grown_logs = counted.grown_logs();
        counted.write(&self.connection)?;
        Ok((hints, touches_access))
    }

    fn execute(&self, sql: &str) -> Result<(), Error> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}
