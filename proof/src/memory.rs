//! The memory of a process that was started, as the kernel counts it.

use std::fs;

use crate::failure::Failure;

const KIB_PER_MIB: f64 = 1024.0;

/// Resident now and at most so far, in MiB.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) resident_mib: f64,
    pub(crate) peak_mib: f64,
}

impl Memory {
    pub(crate) fn of(pid: u32) -> Result<Self, Failure> {
        let name = format!("/proc/{pid}/status");
        let status = fs::read_to_string(&name).map_err(Failure::file(&name))?;
        let mib = |field: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(field));
            let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
            kib.map(|kib| kib / KIB_PER_MIB).ok_or_else(|| Failure::Server {
                server: "the kernel",
                reason: format!("{name} has no {field}"),
            })
        };
        Ok(Self { resident_mib: mib("VmRSS:")?, peak_mib: mib("VmHWM:")? })
    }
}
