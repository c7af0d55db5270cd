//! When a receiver that failed is called again: doubling waits with jitter, up to a bound. One that has failed for
//! a day is no longer waited for: each event is tried once and left, until one arrives again.

use baton_core::{UnixMillis, limits};
use baton_store::rows::PushFailures;

use crate::random;

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The same event again, later.
    Again(PushFailures),
    /// On to the next event.
    GivenUp(PushFailures),
}

/// Between 0 and 1.
pub(super) fn jitter() -> f64 {
    f64::from(u32::from_ne_bytes(random::bytes())) / f64::from(u32::MAX)
}

/// Decides; `jitter` between 0 and 1 makes the wait something between half of and all that is due.
pub(super) fn after_failure(before: PushFailures, now: UnixMillis, jitter: f64) -> Verdict {
    let failures = before.failures.saturating_add(1);
    let since = before.failing_since.unwrap_or(now);
    let trouble = PushFailures { failures, failing_since: Some(since), next_at: None };
    if since.plus_seconds(limits::PUSH_GIVEN_UP_SECONDS) <= now {
        return Verdict::GivenUp(trouble);
    }
    let doubled = i64::from(limits::PUSH_RETRY_FIRST_MILLIS) << before.failures.min(20);
    let due = doubled.min(limits::PUSH_RETRY_MAX_MILLIS.into());
    let wait = due / 2 + (due as f64 / 2.0 * jitter) as i64;
    Verdict::Again(PushFailures { next_at: Some(now.plus_millis(wait)), ..trouble })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_end_after_a_day() {
        let mut now = UnixMillis::new(1_000_000);
        let began = now;
        let mut trouble = PushFailures::default();
        let mut waits = Vec::new();
        loop {
            match after_failure(trouble, now, 1.0) {
                Verdict::Again(next) => {
                    let at = next.next_at.unwrap();
                    waits.push(at.get() - now.get());
                    (trouble, now) = (next, at);
                }
                Verdict::GivenUp(next) => {
                    trouble = next;
                    break;
                }
            }
        }
        assert_eq!(waits[..4], [500, 1000, 2000, 4000]);
        assert_eq!(*waits.last().unwrap(), i64::from(limits::PUSH_RETRY_MAX_MILLIS));
        let lasted = now.get() - began.get();
        let day = i64::from(limits::PUSH_GIVEN_UP_SECONDS) * 1000;
        assert!((day..day + i64::from(limits::PUSH_RETRY_MAX_MILLIS)).contains(&lasted), "{lasted}");
        // The next event is tried once more and left at once.
        assert!(matches!(after_failure(trouble, now, 0.0), Verdict::GivenUp(_)));
    }

    #[test]
    fn jitter_takes_up_to_half_of_a_wait() {
        let now = UnixMillis::new(0);
        for (jitter, wait) in [(0.0, 250), (1.0, 500)] {
            let Verdict::Again(trouble) = after_failure(PushFailures::default(), now, jitter) else {
                panic!()
            };
            assert_eq!(trouble.next_at, Some(UnixMillis::new(wait)));
        }
    }
}
