//! Who takes part, and for how long.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use super::faults::Faults;
use super::stage::{Grounds, Stage};
use super::{listener, rude, senders, watcher, workers};
use crate::it::random::Random;

/// Everybody plays until the faults are over; those happen on this thread, which alone has the hubs.
pub(super) fn play(grounds: &mut Grounds, stage: &Stage, faults: impl FnOnce(Faults<'_>)) {
    let parts: [fn(&Stage, Random); 14] = [
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
        listener::follow_networks,
        listener::follow_agents,
    ];
    thread::scope(|scope| {
        for (number, part) in parts.into_iter().enumerate() {
            scope.spawn(move || part(stage, Random::nth(stage.seed, number as u64 + 1)));
        }
        // Also if a fault panics: the others would never end.
        let done = catch_unwind(AssertUnwindSafe(|| faults(Faults::begin(grounds, stage))));
        stage.end();
        done.unwrap_or_else(|panic| resume_unwind(panic));
    });
}
