//! What the system knows of this process, as far as it is cheap to ask.

use std::time::{SystemTime, UNIX_EPOCH};

/// When the hub was started, by the wall clock.
#[derive(Debug)]
pub struct StartTime(SystemTime);

impl Default for StartTime {
    fn default() -> Self {
        Self(SystemTime::now())
    }
}

impl StartTime {
    pub fn unix_seconds(&self) -> f64 {
        self.0.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as f64 / 1e3
    }
}

/// Resident memory in bytes; none where the system does not report it.
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
