//! A fault run with a seed: senders, workers and meddlers at several networks while the hub and its workers are killed,
//! its clock jumps, its disk fills up and rude clients hang on it. A ledger outside the hub keeps what was acknowledged;
//! at the end all of it is held against what the hub has.
//!
//! `make torture SECONDS=600 SEED=7` runs it for longer and shows what it does; the same draws follow from the same seed, as
//! far as the kernel lets two runs be alike.

mod actors;
mod call;
mod clock;
mod faults;
mod ledger;
mod rude;
mod senders;
mod stage;
mod verdict;
mod watcher;
mod workers;

use std::time::{Duration, SystemTime};

use stage::Stage;

/// How long the run is that goes with every `make test`.
const SHORT: Duration = Duration::from_secs(12);

/// A number from the environment.
fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().filter(|text| !text.is_empty()).map(|text| text.parse().expect(name))
}

/// Says how to repeat a run that failed, whatever made it fail.
struct Repeat {
    seed: u64,
    seconds: u64,
}

impl Drop for Repeat {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("again: make torture SECONDS={} SEED={}", self.seconds, self.seed);
        }
    }
}

#[test]
fn nothing_acknowledged_is_lost_in_a_run_of_faults() {
    let seed = given("TORTURE_SEED").unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        u64::from(now.subsec_nanos()) + 1
    });
    let run = given("TORTURE_SECONDS").map_or(SHORT, Duration::from_secs);
    println!("seed {seed}, {} seconds", run.as_secs());
    let _repeat = Repeat { seed, seconds: run.as_secs() };
    let (mut grounds, stage) = Stage::set(seed);
    actors::play(&mut grounds, &stage, run);
    verdict::pass(&mut grounds, &stage);
}
