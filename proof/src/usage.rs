//! What a process has used: processor time by thread, bytes written to storage, and of these the bytes of the WAL.

use serde::{Deserialize, Serialize};
use std::fs;

use crate::failure::Failure;
use crate::processor;

/// The hub's thread that writes.
const WRITER: &str = "writer";

/// Used so far, or between two looks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    writer_seconds: f64,
    other_seconds: f64,
    written_bytes: f64,
    wal_bytes: f64,
}

/// What one life took.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct PerLife {
    pub(crate) writer_micros: f64,
    pub(crate) other_micros: f64,
    /// Into the WAL, and from there into the database.
    pub(crate) written_bytes: f64,
    /// Into the WAL alone, as the hub counts it; none in figures of earlier runs.
    #[serde(default)]
    pub(crate) wal_bytes: Option<f64>,
}

impl Usage {
    pub(crate) fn of(pid: u32) -> Result<Self, Failure> {
        let mut usage = Self { written_bytes: written(pid)?, ..Self::default() };
        let threads = format!("/proc/{pid}/task");
        for thread in fs::read_dir(&threads).map_err(Failure::file(&threads))? {
            let thread = thread.map_err(Failure::file(&threads))?.path();
            let (name, stat) = (thread.join("comm"), thread.join("stat"));
            // A thread may have ended since it was listed; its time is gone from the list, and it is not the writer.
            let (Ok(name), Ok(stat)) = (fs::read_to_string(name), fs::read_to_string(stat)) else { continue };
            let seconds = processor::of_stat(&stat);
            match name.trim() {
                WRITER => usage.writer_seconds += seconds,
                _ => usage.other_seconds += seconds,
            }
        }
        Ok(usage)
    }

    /// With what the hub says it has written to its WAL.
    pub(crate) fn with_wal(self, wal_bytes: f64) -> Self {
        Self { wal_bytes, ..self }
    }

    /// Processor time since an earlier look.
    pub(crate) fn seconds_since(self, earlier: Self) -> f64 {
        self.writer_seconds + self.other_seconds - earlier.writer_seconds - earlier.other_seconds
    }

    /// What was used since an earlier look, for each of so many lives.
    pub(crate) fn per_life_since(self, earlier: Self, lives: f64) -> PerLife {
        let micros = |now: f64, before: f64| (now - before) * 1e6 / lives;
        PerLife {
            writer_micros: micros(self.writer_seconds, earlier.writer_seconds),
            other_micros: micros(self.other_seconds, earlier.other_seconds),
            written_bytes: (self.written_bytes - earlier.written_bytes) / lives,
            wal_bytes: Some((self.wal_bytes - earlier.wal_bytes) / lives),
        }
    }
}

fn written(pid: u32) -> Result<f64, Failure> {
    let name = format!("/proc/{pid}/io");
    let text = fs::read_to_string(&name).map_err(Failure::file(&name))?;
    let bytes = text.lines().find_map(|line| line.strip_prefix("write_bytes: ")?.trim().parse().ok());
    bytes.ok_or_else(|| Failure::of("the bytes written")(name))
}
