//! A hub that is away: said once when it goes and once when it is back, with growing waits in between.

use std::time::Duration;

use crate::client::{Backoff, Error};

/// Whether the hub answers, as one part of the worker sees it.
#[derive(Debug, Default)]
pub(super) struct Outage {
    backoff: Backoff,
    is_told: bool,
}

impl Outage {
    /// The hub did not answer, or could not: how long to wait before the next try.
    pub(super) fn wait_after(&mut self, error: &Error) -> Duration {
        if !self.is_told {
            tracing::warn!("{error}; trying again until it answers");
            self.is_told = true;
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
        if std::mem::take(&mut self.is_told) {
            tracing::info!("the hub answers again");
        }
    }
}

/// Whether no later try can end otherwise: the hub looked at the call and said no. A hub that is away, busy or
/// broken inside, or something else that answers in its place, may pass.
pub(super) fn is_final(error: &Error) -> bool {
    error.status().is_some_and(|status| status < 500) && !error.is_passing()
}
