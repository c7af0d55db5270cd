//! The memory of a process that was started, as the kernel counts it.

use serde::{Deserialize, Serialize};
use std::fs;

use crate::failure::Failure;

const KIB_PER_MIB: f64 = 1024.0;

/// Resident now and at most so far, in MiB.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// All that is resident: `VmRSS`.
    pub(crate) resident_mib: f64,
    /// Of it, what is the process's own and no file's: `RssAnon`. The rest is pages of its binary and its database,
    /// which the kernel takes back when others need them.
    pub(crate) own_mib: f64,
    /// The most that was resident: `VmHWM`.
    pub(crate) peak_mib: f64,
}

impl Memory {
    pub(crate) fn of(pid: u32) -> Result<Self, Failure> {
        let name = format!("/proc/{pid}/status");
        let status = fs::read_to_string(&name).map_err(Failure::file(&name))?;
        let mib = |field: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(field));
            let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
            let missing = || Failure::of("the kernel")(format!("{name} has no {field}"));
            kib.map(|kib| kib / KIB_PER_MIB).ok_or_else(missing)
        };
        Ok(Self { resident_mib: mib("VmRSS:")?, own_mib: mib("RssAnon:")?, peak_mib: mib("VmHWM:")? })
    }
}
