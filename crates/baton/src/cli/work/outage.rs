//! An unreachable hub: reported once when it goes and once when it is back, with growing waits in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::client::{Backoff, Error};

/// Whether the hub answers, as one part of the worker sees it.
#[derive(Debug, Default)]
pub(super) struct Outage {
    backoff: Backoff,
    is_told: Arc<AtomicBool>,
}

impl Outage {
    /// The same for another part that does the same work: what one of them has printed, the others do not repeat.
    pub(super) fn beside(&self) -> Self {
        Self { backoff: Backoff::default(), is_told: self.is_told.clone() }
    }

    /// The hub did not answer, or could not: how long to wait before the next try.
    pub(super) fn wait_after(&mut self, error: &Error) -> Duration {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            tracing::warn!("{error}; trying again until it answers");
        }
        let asked = match error {
            Error::Refused(refused) => refused.retry_after,
            _ => None,
        };
        self.backoff.next_wait().max(asked.unwrap_or_default())
    }

    /// The same, without a word.
    pub(super) fn wait_quietly(&mut self) -> Duration {
        self.backoff.next_wait()
    }

    /// The hub answered.
    pub(super) fn is_over(&mut self) {
        self.backoff.reset();
        if self.is_told.swap(false, Ordering::Relaxed) {
            tracing::info!("the hub answers again");
        }
    }
}
