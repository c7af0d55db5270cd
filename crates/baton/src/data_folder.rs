//! The folder a hub keeps everything in: the database, the lock that makes one hub its owner, the control socket, the
//! key of its evidence.

mod evidence_key;
mod lock;
mod privacy;

pub(crate) use evidence_key::EvidenceKeyError;
pub(crate) use lock::{Holder, Lock, LockError};

use baton_evidence::note::{SigningKey, VerifierKey};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Where a hub lives.
#[derive(Debug, Clone)]
pub(crate) struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// `~/.baton`; none without a home.
    pub(crate) fn home() -> Option<Self> {
        let home = std::env::var_os("HOME").filter(|home| !home.is_empty())?;
        Some(Self::new(Path::new(&home).join(".baton")))
    }

    /// Makes the folder, for its owner only, if it is not there.
    pub(crate) fn create(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)
    }

    /// Closes the folder, and what a hub has left in it, to other users.
    pub(crate) fn make_private(&self) -> io::Result<()> {
        privacy::close_folder(&self.path)?;
        [self.database(), self.lock_file()].iter().try_for_each(|file| privacy::close_file(file))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("hub.db")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path.join("hub.sock")
    }

    /// Where the bytes of artifacts lie, unless they lie in a bucket.
    pub(crate) fn artifacts(&self) -> PathBuf {
        self.path.join("artifacts")
    }

    pub(crate) fn evidence_key(&self) -> PathBuf {
        self.path.join("evidence.key")
    }

    /// The key to sign with; made if there never was one. `known` is its public half as the database knows it.
    pub(crate) fn ensure_evidence_key(&self, known: Option<&str>) -> Result<SigningKey, EvidenceKeyError> {
        evidence_key::ensure(&self.evidence_key(), known)
    }

    /// The public half of that key, for readers; an error if it is not the one the database knows.
    pub(crate) fn evidence_public_key(
        &self,
        known: Option<&str>,
    ) -> Result<Option<VerifierKey>, EvidenceKeyError> {
        evidence_key::public_half(&self.evidence_key(), known)
    }

    /// Takes the folder for this process, until the lock is dropped.
    pub(crate) fn lock(&self) -> Result<Lock, LockError> {
        Lock::take(&self.lock_file(), &self.database())
    }

    pub(crate) fn lock_file(&self) -> PathBuf {
        self.path.join("hub.lock")
    }

    /// Where a restore puts together what this folder will hold; there only until it has finished.
    pub(crate) fn restoring(&self) -> PathBuf {
        self.path.join("restoring")
    }
}
