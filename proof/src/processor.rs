//! The processor time of a process that was started, and waiting until it has nothing left to do.

use std::fs;
use std::time::{Duration, Instant};

use crate::failure::Failure;

const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Below this share of one processor nothing of an attack is left.
const IDLE: f64 = 0.1;

/// Waits until a process is idle; whether it was within this time.
pub(crate) async fn settle(pid: u32, most: Duration) -> Result<bool, Failure> {
    let begun = Instant::now();
    let mut before = seconds(pid)?;
    while begun.elapsed() < most {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = seconds(pid)?;
        if (now - before) / LOOK_EVERY.as_secs_f64() < IDLE {
            return Ok(true);
        }
        before = now;
    }
    Ok(false)
}

/// What it has used so far.
fn seconds(pid: u32) -> Result<f64, Failure> {
    let name = format!("/proc/{pid}/stat");
    let text = fs::read_to_string(&name).map_err(Failure::file(&name))?;
    Ok(of_stat(&text))
}

/// The time in the `stat` of a process or a thread.
pub(crate) fn of_stat(text: &str) -> f64 {
    // The name may hold anything but is the only part in brackets; user and system time are fields 14 and 15.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks: f64 =
        fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    ticks / rustix::param::clock_ticks_per_second() as f64
}
