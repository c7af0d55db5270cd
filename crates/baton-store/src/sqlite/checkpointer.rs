//! Folds the WAL back into the database, off the writer's path. Under constant load the log is never wholly folded
//! and would grow for ever; past a bound the rest is folded with the writer waiting, a few milliseconds, and the
//! log begins anew in the same blocks.

use rusqlite::Connection;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::Error;

/// Frames of a page each: 64 MiB.
const BOUND_FRAMES: i64 = 16_384;
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
                if fold(&connection, "PASSIVE") > BOUND_FRAMES {
                    fold(&connection, "RESTART");
                }
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

/// Answers how many frames the log has.
fn fold(connection: &Connection, mode: &str) -> i64 {
    let folded = connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get("log"));
    folded.unwrap_or_else(|error| {
        tracing::warn!(%error, "the WAL could not be folded back");
        0
    })
}
