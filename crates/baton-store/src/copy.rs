//! Backups of a running hub. They are not part of [`Store`](crate::Store), because each engine makes them in its own way:
//! the code that opens an engine hands the hub what makes its backups. A copy on its way through an engine knows its file, who
//! receives its progress and who waits for it; one that nobody waits for any more is given up.

use std::path::{Path, PathBuf};
use tokio::sync::{oneshot, watch};

use crate::error::Error;

/// What makes backups of a running hub.
pub trait Backup: Send + Sync + 'static {
    /// Copies everything as it is at one moment into a file, which exists and is empty; between the writes, so that none
    /// waits for it. A missing file is not created, and one with something in it is left as it is: the copy fails.
    fn copy(&self, to: PathBuf) -> Result<Copying, Error>;
}

/// How far a copy is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyProgress {
    /// Pages that are copied.
    pub pages: u64,
    /// Of so many; it may grow on the way.
    pub of: u64,
}

/// A copy as engines see it.
#[derive(Debug)]
pub(crate) struct CopyJob {
    to: PathBuf,
    progress: watch::Sender<CopyProgress>,
    caller: oneshot::Sender<Result<(), Error>>,
}

/// A copy as its caller sees it; dropped, it is given up.
#[derive(Debug)]
pub struct Copying {
    /// How far it is.
    pub progress: watch::Receiver<CopyProgress>,
    /// How it ended.
    pub done: oneshot::Receiver<Result<(), Error>>,
}

impl CopyJob {
    pub(crate) fn new(to: PathBuf) -> (Self, Copying) {
        let (progress, heard) = watch::channel(CopyProgress::default());
        let (caller, done) = oneshot::channel();
        (Self { to, progress, caller }, Copying { progress: heard, done })
    }

    pub(crate) fn to(&self) -> &Path {
        &self.to
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.caller.is_closed()
    }

    pub(crate) fn tell(&self, progress: CopyProgress) {
        self.progress.send_replace(progress);
    }

    pub(crate) fn settle(self, done: Result<(), Error>) {
        // A caller who went away has given it up.
        let _ = self.caller.send(done);
    }
}
