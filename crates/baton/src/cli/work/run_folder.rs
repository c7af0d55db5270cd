//! Where a worker keeps what its commands read: a folder of its own under `~/.baton/runs`, gone when the worker ends. A
//! worker that was killed leaves its folder behind; the next one to start on the machine removes it. A lock tells the two
//! apart, because the system drops it with the process.

use baton_core::limits;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use crate::data_folder::DataFolder;

const PREFIX: &str = "worker-";
const LOCK: &str = "lock";

/// A worker's own folder.
#[derive(Debug)]
pub(super) struct RunFolder {
    folder: TempDir,
    _lock: File,
}

impl RunFolder {
    /// Creates one in the home folder, or among the system's temporary files if there is no home that can be written to.
    pub(super) fn open() -> io::Result<Self> {
        let at_home = DataFolder::home().map(|home| home.path().join("runs"));
        match at_home.map(|runs| Self::open_in(&runs)) {
            Some(Ok(folder)) => Ok(folder),
            Some(Err(_)) | None => {
                let user = rustix::process::getuid().as_raw();
                Self::open_in(&std::env::temp_dir().join(format!("baton-runs-{user}")))
            }
        }
    }

    fn open_in(runs: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(runs)?;
        // A process creates or removes a folder alone: one that is not locked yet must not look left behind.
        let gate = File::create(runs.join(LOCK))?;
        flock(&gate, FlockOperation::LockExclusive)?;
        remove_left_behind(runs)?;
        let private = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix(PREFIX).permissions(private).tempdir_in(runs)?;
        let lock = File::create(folder.path().join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Self { folder, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of workers that are gone.
fn remove_left_behind(runs: &Path) -> io::Result<()> {
    let mut removed = 0;
    for entry in runs.read_dir()? {
        let entry = entry?;
        let is_workers = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if removed == limits::RUN_FOLDERS_REMOVED_COUNT || !is_workers || is_held(&entry.path())? {
            continue;
        }
        std::fs::remove_dir_all(entry.path())?;
        removed += 1;
    }
    Ok(())
}

/// Whether the worker of a folder still runs.
fn is_held(folder: &Path) -> io::Result<bool> {
    let lock: PathBuf = folder.join(LOCK);
    let file = match File::open(lock) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(false),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(runs: &Path) -> usize {
        runs.read_dir().unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count()
    }

    #[test]
    fn a_folder_goes_with_its_worker_and_one_left_behind_with_the_next_start() {
        let home = tempfile::tempdir().unwrap();
        let runs = home.path().join("runs");
        let (first, second) = (RunFolder::open_in(&runs).unwrap(), RunFolder::open_in(&runs).unwrap());
        assert_eq!(folders(&runs), 2, "a worker that runs keeps its folder");
        // As a kill leaves it: the folder is there, and nobody has its lock.
        let left = first.folder.keep();
        std::fs::write(left.join("messages.json"), "{}").unwrap();
        drop(first._lock);
        drop(second);
        assert_eq!(folders(&runs), 1);
        let third = RunFolder::open_in(&runs).unwrap();
        assert!(!left.exists() && third.path().exists());
        assert_eq!(third.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        drop(third);
        assert_eq!(folders(&runs), 0);
    }
}
