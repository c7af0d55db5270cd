//! One process owns a data folder at a time. The system drops the lock with the process however it ends, so a
//! file that is left over says nothing; while it is locked it says who holds it.
//!
//! The file can be removed while it is locked, and the next process would lock a new one. The database cannot be
//! replaced so easily, so it is locked as well. `flock` and the locks that SQLite takes on the same file (`fcntl`) do
//! not see each other on Linux.

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A lock that is held.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    /// The database, once it is there. While SQLite has the file open this must not be closed: with any descriptor of
    /// a file the system drops all `fcntl` locks that the process has on it.
    database: Option<File>,
}

/// Who holds a lock.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Holder {
    pub(crate) pid: u32,
    /// Where it listens, once it does.
    pub(crate) address: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    #[error("held by {0}")]
    Held(Holder),
    /// The lock file is free but another process holds the database.
    #[error("the database is held by another process")]
    DatabaseHeld,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Lock {
    /// Locks the folder, and the database if there is one.
    pub(super) fn take(path: &Path, database: &Path) -> Result<Self, LockError> {
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        if !is_locked(&file)? {
            let mut text = String::new();
            file.read_to_string(&mut text)?;
            return Err(LockError::Held(serde_json::from_str(&text).unwrap_or_default()));
        }
        let mut lock = Self { file, database: None };
        match File::options().read(true).write(true).open(database) {
            Ok(database) => lock.lock_database(database)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        lock.tell(&Holder { pid: std::process::id(), address: None })?;
        Ok(lock)
    }

    /// Makes the database of a new folder, an empty file, and locks it.
    pub(crate) fn ensure_database(&mut self, database: &Path) -> Result<(), LockError> {
        if self.database.is_some() {
            return Ok(());
        }
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(database)?;
        self.lock_database(file)
    }

    fn lock_database(&mut self, file: File) -> Result<(), LockError> {
        if !is_locked(&file)? {
            return Err(LockError::DatabaseHeld);
        }
        self.database = Some(file);
        Ok(())
    }

    /// Tells others who holds it.
    pub(crate) fn tell(&mut self, holder: &Holder) -> io::Result<()> {
        let line = serde_json::to_string(holder)? + "\n";
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(line.as_bytes())
    }
}

/// Locks a file; false if another process holds the lock.
fn is_locked(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.address {
            Some(address) => write!(f, "process {} at {address}", self.pid),
            // Between taking the lock and listening, or a command that works on the database.
            None => write!(f, "process {}, which does not listen yet", self.pid),
        }
    }
}
