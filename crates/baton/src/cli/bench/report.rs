//! The figures of a run: an aligned table for people, one line of JSON for scripts.

use serde::Serialize;
use std::fmt;

use super::tally::Tally;

/// One measurement.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    pub(super) per_second: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
}

/// All of a run, in the order the JSON line prints them.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) send: Figures,
    pub(super) life: Figures,
    pub(super) push: Figures,
    pub(super) fdatasync_per_second: f64,
    pub(super) connections: usize,
    /// Before and after the load, of a hub the run started itself; for people only.
    #[serde(skip)]
    pub(super) resident_mib: Option<(f64, f64)>,
    /// The disk's rate before and after the load; for people only.
    #[serde(skip)]
    pub(super) fdatasync_spread: (f64, f64),
}

impl Figures {
    pub(super) fn of(tally: &Tally) -> Self {
        let per_second = tally.latencies.count() as f64 / tally.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        Self {
            per_second: (per_second * 10.0).round() / 10.0,
            p50_ms: tally.latencies.percentile_ms(50),
            p99_ms: tally.latencies.percentile_ms(99),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} connections", self.connections)?;
        writeln!(f, "{:<10}{:>12}{:>10}{:>10}{:>14}", "", "per second", "p50 ms", "p99 ms", "x fdatasync")?;
        for (name, figures) in [("send", &self.send), ("life", &self.life), ("push", &self.push)] {
            let Figures { per_second, p50_ms, p99_ms } = figures;
            let times = per_second / self.fdatasync_per_second;
            writeln!(f, "{name:<10}{per_second:>12.0}{p50_ms:>10.2}{p99_ms:>10.2}{times:>14.2}")?;
        }
        let (before, after) = self.fdatasync_spread;
        let rate = self.fdatasync_per_second;
        writeln!(f, "{:<10}{rate:>12.0}   before {before:.0}, after {after:.0}", "fdatasync")?;
        if let Some((idle, loaded)) = self.resident_mib {
            writeln!(f, "{:<10}{idle:>12.1}   MiB resident when idle, {loaded:.1} after the load", "memory")?;
        }
        Ok(())
    }
}
