//! What a part leaves for the page: its figures, and how busy the machine was with other things just before.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use crate::failure::Failure;

const LOOK: Duration = Duration::from_secs(1);
const STAT: &str = "/proc/stat";

/// The figures of one part.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Left<T> {
    /// The share of the processors that others used before the part began.
    pub(crate) busy: f64,
    pub(crate) figures: T,
}

impl<T: Serialize> Left<T> {
    pub(crate) fn write(&self, folder: &Path, part: &str) -> Result<(), Failure> {
        let file = folder.join(format!("{part}.json"));
        let text = serde_json::to_string_pretty(self).map_err(Failure::of("the figures"))?;
        fs::write(&file, text).map_err(Failure::file(file.display()))
    }
}

impl<T: DeserializeOwned> Left<T> {
    /// None where the part was not run.
    pub(crate) fn read(folder: &Path, part: &str) -> Result<Option<Self>, Failure> {
        let file = folder.join(format!("{part}.json"));
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(Failure::file(file.display()))?,
        };
        serde_json::from_str(&text).map(Some).map_err(|error| Failure::file(file.display())(error.into()))
    }
}

/// Looks for a second at how much of the processors is in use.
pub(crate) async fn busy() -> Result<f64, Failure> {
    let (idle_before, all_before) = ticks()?;
    tokio::time::sleep(LOOK).await;
    let (idle, all) = ticks()?;
    Ok(1.0 - (idle - idle_before) / (all - all_before).max(1.0))
}

/// Idle and all ticks of all processors since the machine started.
fn ticks() -> Result<(f64, f64), Failure> {
    let text = fs::read_to_string(STAT).map_err(Failure::file(STAT))?;
    let line = text.lines().next().unwrap_or_default();
    let ticks: Vec<f64> = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal; what follows is counted in user already.
    let idle = ticks.iter().skip(3).take(2).sum();
    Ok((idle, ticks.iter().take(8).sum()))
}
