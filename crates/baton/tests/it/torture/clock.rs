//! The hub's wall clock, moved while it runs: libfaketime (Debian: faketime) reads its offset from a file at every look.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(super) struct Clock {
    library: PathBuf,
    folder: TempDir,
}

impl Clock {
    /// None where libfaketime is not installed.
    pub(super) fn find() -> Option<Self> {
        let places = ["x86_64-linux-gnu/", "aarch64-linux-gnu/", ""];
        let library = |place| PathBuf::from(format!("/usr/lib/{place}faketime/libfaketimeMT.so.1"));
        let library = places.into_iter().map(library).find(|library| library.exists())?;
        let clock = Self { library, folder: tempfile::tempdir().unwrap() };
        clock.set(0);
        Some(clock)
    }

    /// Leases run on monotonic time, which no clock setting moves.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        vec![
            ("LD_PRELOAD".into(), text(&self.library)),
            ("FAKETIME_TIMESTAMP_FILE".into(), text(&self.file())),
            ("FAKETIME_NO_CACHE".into(), "1".into()),
            ("FAKETIME_DONT_FAKE_MONOTONIC".into(), "1".into()),
            ("NO_FAKE_STAT".into(), "1".into()),
        ]
    }

    /// So many seconds off from now on.
    pub(super) fn set(&self, offset_seconds: i64) {
        let new = self.folder.path().join("new");
        std::fs::write(&new, format!("{offset_seconds:+}\n")).unwrap();
        std::fs::rename(new, self.file()).unwrap(); // nobody reads half of it
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("offset")
    }
}
