//! How long to wait before trying again: doubling up to a bound, with jitter, so that many clients of one hub do
//! not all come back at the same moment.

use baton_core::limits;
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(limits::BACKOFF_FIRST_MILLIS as u64);
const LONGEST: Duration = Duration::from_millis(limits::BACKOFF_MAX_MILLIS as u64);

/// Waits that grow until something went well.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The next wait: between half of and the whole of what is due.
    pub(crate) fn next_wait(&mut self) -> Duration {
        let due = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        let half = due / 2;
        half + half.mul_f64(f64::from(random()) / f64::from(u32::MAX))
    }

    /// Something went well.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }
}

/// Jitter needs no good randomness; without any the wait is the shorter one.
fn random() -> u32 {
    let mut bytes = [0; 4];
    let _ = getrandom::fill(&mut bytes);
    u32::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_begin_again_after_a_success() {
        let mut backoff = Backoff::default();
        let mut due = FIRST;
        for _ in 0..40 {
            let wait = backoff.next_wait();
            assert!((due / 2..=due).contains(&wait), "{wait:?} of {due:?}");
            due = (due * 2).min(LONGEST);
        }
        backoff.reset();
        assert!(backoff.next_wait() <= FIRST);
    }
}
