//! Folds the WAL back into the database, off the writer's path: a commit never waits for it.

use rusqlite::Connection;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::Error;

const EVERY: Duration = Duration::from_millis(150);

pub(super) struct Checkpointer {
    stop: Mutex<Option<SyncSender<()>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Checkpointer {
    pub(super) fn start(path: &Path) -> Result<Self, Error> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(1))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let (stop, stopped) = sync_channel::<()>(0);
        let thread = std::thread::Builder::new().name("checkpointer".into()).spawn(move || {
            while matches!(stopped.recv_timeout(EVERY), Err(RecvTimeoutError::Timeout)) {
                fold(&connection, "PASSIVE");
            }
            fold(&connection, "TRUNCATE");
        });
        let thread = thread.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { stop: Mutex::new(Some(stop)), thread: Mutex::new(Some(thread)) })
    }

    pub(super) fn close(&self) {
        drop(self.stop.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = thread.join();
        }
    }
}

fn fold(connection: &Connection, mode: &str) {
    let folded = connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()));
    if let Err(error) = folded {
        tracing::warn!(%error, "the WAL could not be folded back");
    }
}
