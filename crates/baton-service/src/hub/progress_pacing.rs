//! When progress under a lease may be written next: once a second. A report that comes sooner waits for its turn, so
//! each one that is acknowledged is on the disk, in the order in which they came; one that would wait too long is refused.
//! A lease is known here only after a report under it was written, so strangers leave nothing behind.

use baton_core::{LeaseId, Refusal, TokenId, limits};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

const EVERY: Duration = Duration::from_millis(limits::PROGRESS_EVERY_MILLIS);
const WAIT_MAX: Duration = Duration::from_millis(limits::PROGRESS_WAIT_MAX_MILLIS);

/// Who reports, and under which lease.
pub(super) type Reporter = (TokenId, LeaseId);

/// The turns of all leases.
#[derive(Debug, Default)]
pub struct ProgressPacing {
    /// When each lease has its next turn.
    next: Mutex<HashMap<Reporter, Instant>>,
}

impl ProgressPacing {
    /// Takes a turn: until when to wait for it.
    pub fn take(&self, reporter: &Reporter, now: Instant) -> Result<Instant, Refusal> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(next_at) = next.get_mut(reporter) else { return Ok(now) };
        let turn = now.max(*next_at);
        if turn - now > WAIT_MAX {
            let wait = (turn - now).as_millis();
            return Err(Refusal::RateLimited { retry_after_ms: u64::try_from(wait).unwrap_or(u64::MAX) });
        }
        *next_at = turn + EVERY;
        Ok(turn)
    }

    /// Notes that a report was written; from now on its lease has turns.
    pub fn written(&self, reporter: Reporter, now: Instant) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if next.len() >= limits::PROGRESS_TURNS_MAX_COUNT {
            next.retain(|_, next_at| *next_at > now);
        }
        if next.len() < limits::PROGRESS_TURNS_MAX_COUNT {
            next.entry(reporter).or_insert(now + EVERY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reporter(n: u8) -> Reporter {
        (TokenId::from_random([n; 6]), LeaseId::from_random([n; 16]))
    }

    #[test]
    fn a_report_waits_for_its_turn_and_one_that_would_wait_too_long_is_refused() {
        let (turns, now) = (ProgressPacing::default(), Instant::now());
        assert_eq!(turns.take(&reporter(1), now), Ok(now), "a lease without a written report has no turns");
        turns.written(reporter(1), now);
        let waits: Vec<_> = (0..5).map(|_| turns.take(&reporter(1), now).unwrap() - now).collect();
        assert_eq!(waits, [1, 2, 3, 4, 5].map(Duration::from_secs));
        assert_eq!(turns.take(&reporter(1), now), Err(Refusal::RateLimited { retry_after_ms: 6_000 }));
        assert_eq!(turns.take(&reporter(2), now), Ok(now), "nobody waits for another's");
        let later = now + Duration::from_secs(10);
        assert_eq!(turns.take(&reporter(1), later), Ok(later));
    }

    #[test]
    fn the_leases_that_are_known_are_bounded_and_old_ones_make_room() {
        let (turns, now) = (ProgressPacing::default(), Instant::now());
        let token = TokenId::from_random([0; 6]);
        let lease = |n: u128| (token.clone(), LeaseId::from_random(n.to_be_bytes()));
        let most = limits::PROGRESS_TURNS_MAX_COUNT;
        (0..=most as u128).for_each(|n| turns.written(lease(n), now));
        let count = || turns.next.lock().unwrap().len();
        assert_eq!(count(), most);
        turns.written(lease(u128::MAX), now + EVERY * 2);
        assert_eq!(count(), 1);
    }
}
