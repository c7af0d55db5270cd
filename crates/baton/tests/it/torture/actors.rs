//! Who takes part, and for how long.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::{Duration, Instant};

use super::faults::Faults;
use super::stage::{Grounds, Stage};
use super::{rude, senders, watcher, workers};
use crate::it::random::Random;

/// Everybody plays until the time is over; faults happen on this thread, which alone has the hub.
pub(super) fn play(grounds: &mut Grounds, stage: &Stage, run: Duration) {
    let parts: [fn(&Stage, Random); 12] = [
        senders::run,
        senders::run,
        senders::run,
        workers::run,
        workers::run,
        workers::run,
        workers::run,
        workers::run,
        workers::meddle,
        watcher::run,
        watcher::run,
        rude::run,
    ];
    thread::scope(|scope| {
        for (number, part) in parts.into_iter().enumerate() {
            scope.spawn(move || part(stage, Random::nth(stage.seed, number as u64 + 1)));
        }
        let deadline = Instant::now() + run;
        // Also if a fault panics: the others would never end.
        let done = catch_unwind(AssertUnwindSafe(|| Faults::begin(grounds, stage).until(deadline)));
        stage.end();
        done.unwrap_or_else(|panic| resume_unwind(panic));
    });
}
