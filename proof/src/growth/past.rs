//! The hub's wall clock while it is filled: the same load for one day and for a hundred, so that what reads by time
//! finds as much in the last day of both. libfaketime (Debian: libfaketime) takes its offset from a file that moves
//! with the filling.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use crate::failure::Failure;

/// Where it is: Debian's place, or unpacked by scripts/peers.sh.
const LIBRARIES: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "target/tools/faketime/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "target/tools/faketime/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];
pub(super) const TASKS_PER_DAY: usize = 10_000;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// A clock that goes from some days ago to now.
pub(super) struct Past {
    library: PathBuf,
    folder: TempDir,
}

impl Past {
    /// None where libfaketime is not installed.
    pub(super) fn find(scratch: &Path, tasks: usize) -> Result<Option<Self>, Failure> {
        let Some(library) = LIBRARIES.iter().find_map(|file| Path::new(file).canonicalize().ok()) else {
            return Ok(None);
        };
        let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
        let past = Self { library, folder };
        past.set(tasks)?;
        Ok(Some(past))
    }

    /// What the hub is started with. Leases run on monotonic time, which stays.
    pub(super) fn environment(&self) -> [(&'static str, PathBuf); 5] {
        [
            ("LD_PRELOAD", self.library.clone()),
            ("FAKETIME_TIMESTAMP_FILE", self.file()),
            ("FAKETIME_CACHE_DURATION", "1".into()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".into()),
            ("NO_FAKE_STAT", "1".into()),
        ]
    }

    /// So many tasks are still to be made before now, at the rate of every day.
    pub(super) fn set(&self, left: usize) -> Result<(), Failure> {
        let seconds = left as f64 / TASKS_PER_DAY as f64 * SECONDS_PER_DAY;
        let (new, file) = (self.folder.path().join("new"), self.file());
        fs::write(&new, format!("-{seconds:.0}\n")).map_err(Failure::file(new.display()))?;
        // Nobody reads half of it.
        fs::rename(&new, &file).map_err(Failure::file(file.display()))
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("offset")
    }
}
