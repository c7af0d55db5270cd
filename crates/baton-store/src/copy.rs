//! A copy of everything on its way through an engine: where to, who hears how far it is, who waits for it. A copy that
//! nobody waits for any more is given up.

use std::path::{Path, PathBuf};
use tokio::sync::{oneshot, watch};

use crate::error::Error;

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
pub struct CopyJob {
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
    /// A copy into this file, which is there and empty. One that is not there is not made, and one that has something in
    /// it is left as it is: the copy fails.
    pub fn new(to: PathBuf) -> (Self, Copying) {
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
