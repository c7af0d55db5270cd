//! Folds the WAL back into the database, off the writer's path. Under constant load the log is never wholly folded
//! and would grow forever; past a bound the writer folds the rest itself between two batches, a few milliseconds, and
//! the log restarts in the same blocks. It must be the writer: it is never idle long enough for another to get its lock.
//!
//! SQLite syncs the database only when the last page of the log is folded. Under constant load that is the writer, and it would
//! wait for all pages that this thread has written since the log began, tens of megabytes. So they are synced here first.

use baton_core::limits;
use rusqlite::Connection;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::damage::Damage;
use crate::error::Error;

pub(super) struct Checkpointer {
    stop: Mutex<Option<SyncSender<()>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Checkpointer {
    /// `is_long` is set whenever the log has more than `bound` pages.
    pub(super) fn start(
        path: &Path,
        bound: i64,
        is_long: Arc<AtomicBool>,
        damage: Damage,
    ) -> Result<Self, Error> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(limits::WAL_FOLD_LOCKED_MAX)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let database = database_file(path)?;
        let (stop, stopped) = sync_channel::<()>(0);
        let thread = std::thread::Builder::new().name("checkpointer".into()).spawn(move || {
            let mut folder = Folder { connection, database, is_ill: false, damage };
            while matches!(stopped.recv_timeout(limits::WAL_FOLDED_EVERY), Err(RecvTimeoutError::Timeout)) {
                if folder.fold("PASSIVE") > bound {
                    // What came in meanwhile, and meanwhile again: the less is left, the shorter everybody waits while
                    // the writer folds and syncs the rest.
                    folder.sync();
                    for _ in 0..limits::WAL_FURTHER_PASSES_COUNT {
                        folder.fold("PASSIVE");
                        folder.sync();
                    }
                    is_long.store(true, Ordering::Release);
                }
            }
            folder.fold("TRUNCATE");
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

/// The database as a file. It is never closed: with any descriptor of a file the system drops all locks that this process
/// has on it, and those are SQLite's.
fn database_file(path: &Path) -> Result<&'static File, Error> {
    let file = File::open(path).map_err(|error| Error::Unavailable(format!("the database: {error}")))?;
    Ok(Box::leak(Box::new(file)))
}

struct Folder {
    connection: Connection,
    database: &'static File,
    /// The last time failed; reported once, not at every try.
    is_ill: bool,
    damage: Damage,
}

impl Folder {
    /// Has the disk take what was folded.
    fn sync(&self) {
        // An error is found again by SQLite, whose own descriptor the system tells as well; it counts nothing as folded then.
        if let Err(error) = self.database.sync_data() {
            tracing::debug!(%error, "folded pages could not be synced ahead");
        }
    }

    /// Answers how many frames the log has.
    fn fold(&mut self, mode: &str) -> i64 {
        let sql = format!("PRAGMA wal_checkpoint({mode})");
        let folded = self.connection.query_row(&sql, [], |row| row.get("log"));
        if let Err(error) = &folded {
            self.damage.note(error);
        }
        let was_ill = std::mem::replace(&mut self.is_ill, folded.is_err());
        match &folded {
            Err(error) if !was_ill => tracing::warn!(%error, "the WAL could not be folded back"),
            Ok(_) if was_ill => tracing::info!("the WAL is folded back again"),
            _ => {}
        }
        folded.unwrap_or_default()
    }
}
