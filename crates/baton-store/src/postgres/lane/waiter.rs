//! A write that waits for its turn on a lane, and what several of them need together.

use std::time::Duration;
use tokio::sync::oneshot;

use super::super::scope::{Ask, Needs, key_of};
use crate::batch::{Source, Taken};
use crate::error::Error;
use crate::job::{Outcome, WriteJob};
use crate::parked::ParkedClaim;
use crate::rows::Transaction;

/// A write that waits to be run, with what it was found to need.
pub(crate) struct Waiter {
    pub(super) taken: Taken,
    pub(super) needs: Needs,
    /// How often it was stopped for something it needs.
    pub(super) stops: u32,
    pub(super) is_probe: bool,
}

impl Waiter {
    /// One that was just taken from the queue.
    pub(super) fn new(taken: Taken, is_probe: bool) -> Self {
        Self { taken, needs: Needs::default(), stops: 0, is_probe }
    }

    /// One of a batch that was undone, to be run again.
    pub(super) fn again(taken: Taken, is_probe: bool) -> Self {
        Self { stops: 1, ..Self::new(taken, is_probe) }
    }

    /// A claim that was parked.
    pub(super) fn of_claim(ParkedClaim { share, job }: ParkedClaim) -> Self {
        Self::new(Taken { share, job, took: Duration::ZERO, source: Source::Parked }, false)
    }
}

/// Whoever waits for a probe. It reads the clock, so a transaction is begun for it.
pub(super) struct Probe(pub(super) oneshot::Sender<Result<(), Error>>);

impl WriteJob for Probe {
    fn run(&mut self, tx: &mut dyn Transaction) -> Outcome {
        let _ = tx.time();
        Outcome::Stays
    }

    fn settle(self: Box<Self>, committed: Result<(), Error>) {
        // Nobody needs to know any more.
        let _ = self.0.send(committed);
    }
}

/// What several use cases need.
pub(super) fn together(waiters: &[Waiter]) -> Needs {
    let mut all = Needs::default();
    for waiter in waiters {
        all.networks.extend(waiter.needs.networks.iter().cloned());
        all.new.extend(waiter.needs.new.iter().cloned());
    }
    all.asks = distinct(waiters.iter().flat_map(|waiter| &waiter.needs.asks));
    all
}

/// Each statement once.
pub(super) fn distinct<'a>(asks: impl Iterator<Item = &'a Ask>) -> Vec<Ask> {
    let mut seen = foldhash::HashSet::default();
    asks.filter(|ask| seen.insert(key_of(&ask.sql, &ask.parameters))).cloned().collect()
}
