//! What the sender of a task allows its runs: how many there may be, how far apart, and how long each may take.

use crate::bounded::{RetryBackoffSeconds, RunTimeoutSeconds};
use crate::limits;
use crate::refusal::Refusal;

/// The terms of a task's runs beside their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTerms {
    /// How long the task waits after a lapsed lease until it is delivered again.
    pub retry_backoff: RetryBackoffSeconds,
    /// How long a run may take; none for as long as it takes.
    pub run_timeout: Option<RunTimeoutSeconds>,
}

/// How many deliveries of a task there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxAttempts(u32);

impl MaxAttempts {
    /// Takes the number of `field`, or says what its bounds are.
    pub fn parse(field: &'static str, attempts: i64) -> Result<Self, Refusal> {
        match u32::try_from(attempts) {
            Ok(attempts) if (1..=limits::MAX_ATTEMPTS_MAX).contains(&attempts) => Ok(Self(attempts)),
            _ => Err(Refusal::invalid(field, format!("must be 1 to {}", limits::MAX_ATTEMPTS_MAX))),
        }
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl Default for MaxAttempts {
    fn default() -> Self {
        Self(limits::MAX_ATTEMPTS)
    }
}
