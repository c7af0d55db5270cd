//! One process owns a data folder at a time. The system drops the lock with the process however it ends, so a
//! file that is left over says nothing; while it is locked it says who holds it.

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// A lock that is held.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
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
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Lock {
    pub(super) fn take(path: &Path) -> Result<Self, LockError> {
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                let mut lock = Self { file };
                lock.tell(&Holder { pid: std::process::id(), address: None })?;
                Ok(lock)
            }
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut text = String::new();
                file.read_to_string(&mut text)?;
                Err(LockError::Held(serde_json::from_str(&text).unwrap_or_default()))
            }
            Err(error) => Err(io::Error::from(error).into()),
        }
    }

    /// Tells others who holds it.
    pub(crate) fn tell(&mut self, holder: &Holder) -> io::Result<()> {
        let line = serde_json::to_string(holder)? + "\n";
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(line.as_bytes())
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
