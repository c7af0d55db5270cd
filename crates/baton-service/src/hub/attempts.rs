//! Limited attempts by the rows that count them: what every hub on the database and every start goes by. The guards keep
//! the same in memory only to refuse without asking the store. Times are the wall clock's without its jumps; a time that
//! lies further ahead than the clocks of hubs may differ is from before the clock was set back, and counts no more.

use baton_core::{Refusal, UnixMillis, limits, login_lock_seconds};
use baton_store::rows::{AttemptKey, AttemptKind, AttemptsRow};
use baton_store::{Snapshot, Transaction};

use crate::error::Error;

const MINUTE_MS: i64 = 60_000; // not a limit: a unit
/// Failures are forgotten so long after the last lock ended.
pub(super) const FORGOTTEN_AFTER_MS: i64 = limits::LOGIN_LOCK_MAX_SECONDS as i64 * 1_000;

/// How long ago it was; none if it is from before the clock was set back.
fn age_ms(at: UnixMillis, now: UnixMillis) -> Option<i64> {
    let age = now.get().saturating_sub(at.get());
    (age >= -limits::HUB_CLOCKS_DIFFER_MAX_MILLIS).then_some(age.max(0))
}

/// At most so many attempts of a key within a minute.
#[derive(Debug)]
pub(crate) struct PerMinute {
    kind: AttemptKind,
    limit: u32,
}

/// Failed logins of a client address.
pub(super) const LOGIN_FAILURES: PerMinute =
    PerMinute { kind: AttemptKind::Address, limit: limits::LOGIN_FAILURES_PER_MINUTE };
/// Joins by a token.
pub(super) const JOINS: PerMinute = PerMinute { kind: AttemptKind::Join, limit: limits::JOINS_PER_MINUTE };
/// Registrations of OAuth clients from a client address.
pub(crate) const OAUTH_REGISTRATIONS: PerMinute =
    PerMinute { kind: AttemptKind::OauthClient, limit: limits::OAUTH_REGISTRATIONS_PER_MINUTE };
/// Refreshes of an OAuth client's grant.
pub(crate) const OAUTH_REFRESHES: PerMinute =
    PerMinute { kind: AttemptKind::OauthRefresh, limit: limits::OAUTH_REFRESHES_PER_MINUTE };
/// Failed sign-ins at the issuer from a client address.
pub(crate) const OIDC_SIGN_INS: PerMinute =
    PerMinute { kind: AttemptKind::OidcSignIn, limit: limits::OIDC_SIGN_INS_PER_MINUTE };

impl PerMinute {
    /// Lets an attempt through, or says when to come back.
    pub(crate) fn check(&self, rows: &dyn Snapshot, key: &AttemptKey, now: UnixMillis) -> Result<(), Error> {
        let recent = self.recent(rows, key, now)?;
        let oldest = recent.first().filter(|_| recent.len() >= self.limit as usize);
        match oldest.and_then(|at| age_ms(*at, now)) {
            Some(age) => {
                Err(Refusal::RateLimited { retry_after_ms: (MINUTE_MS - age).unsigned_abs() }.into())
            }
            None => Ok(()),
        }
    }

    /// Counts one.
    pub(crate) fn count(
        &self,
        tx: &mut dyn Transaction,
        key: &AttemptKey,
        now: UnixMillis,
    ) -> Result<(), Error> {
        let mut times = self.recent(tx.as_snapshot(), key, now)?;
        times.push(now);
        if times.len() > self.limit as usize {
            times.remove(0);
        }
        let (count, forgotten_at) = (times.len().try_into().unwrap_or(u32::MAX), now.plus_millis(MINUTE_MS));
        let row = AttemptsRow { count, times, forgotten_at };
        Ok(tx.put_attempts(self.kind, key, &row, limits::ATTEMPTS_KEPT_MAX_COUNT)?)
    }

    /// Those of the last minute, oldest first.
    fn recent(
        &self,
        rows: &dyn Snapshot,
        key: &AttemptKey,
        now: UnixMillis,
    ) -> Result<Vec<UnixMillis>, Error> {
        let mut times = rows.attempts(self.kind, key)?.map(|row| row.times).unwrap_or_default();
        times.retain(|at| age_ms(*at, now).is_some_and(|age| age < MINUTE_MS));
        Ok(times)
    }
}

/// Failures in a row of a username from an address, and the lock they lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failures {
    count: u32,
    /// Milliseconds the lock still has; below zero since it ended.
    left_ms: i64,
}

impl Failures {
    fn find(rows: &dyn Snapshot, key: &AttemptKey, now: UnixMillis) -> Result<Option<Self>, Error> {
        let Some(row) = rows.attempts(AttemptKind::Username, key)? else { return Ok(None) };
        let Some(age) = row.times.last().and_then(|last| age_ms(*last, now)) else { return Ok(None) };
        let left_ms = i64::from(login_lock_seconds(row.count)) * 1_000 - age;
        Ok((left_ms >= -FORGOTTEN_AFTER_MS).then_some(Self { count: row.count, left_ms }))
    }

    /// Lets an attempt through, or says when the lock ends.
    pub(super) fn check(rows: &dyn Snapshot, key: &AttemptKey, now: UnixMillis) -> Result<(), Error> {
        match Self::find(rows, key, now)? {
            Some(Self { left_ms, .. }) if left_ms > 0 => {
                Err(Refusal::LoginLocked { retry_after_ms: left_ms.unsigned_abs() }.into())
            }
            _ => Ok(()),
        }
    }

    /// Counts one more, and answers how many there are in a row.
    pub(super) fn count(tx: &mut dyn Transaction, key: &AttemptKey, now: UnixMillis) -> Result<u32, Error> {
        let before = Self::find(tx.as_snapshot(), key, now)?;
        let count = before.map_or(0, |failures| failures.count).saturating_add(1);
        let forgotten_at = now.plus_seconds(login_lock_seconds(count)).plus_millis(FORGOTTEN_AFTER_MS);
        let row = AttemptsRow { count, times: vec![now], forgotten_at };
        tx.put_attempts(AttemptKind::Username, key, &row, limits::ATTEMPTS_KEPT_MAX_COUNT)?;
        Ok(count)
    }

    /// Forgets them; writes nothing if there are none.
    pub(super) fn forget(tx: &mut dyn Transaction, key: &AttemptKey) -> Result<(), Error> {
        if tx.attempts(AttemptKind::Username, key)?.is_some() {
            tx.delete_attempts(AttemptKind::Username, key)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::TestHub;

    const KEY: AttemptKey = [7; 32];

    fn at(seconds: i64) -> UnixMillis {
        UnixMillis::new(1_700_000_000_000 + seconds * 1_000)
    }

    /// Runs rules in a transaction.
    async fn on_rows(rules: impl Fn(&mut dyn Transaction) -> Result<(), Error> + Send + 'static) {
        TestHub::start().hub.store.write(rules).await.unwrap();
    }

    fn refusal(checked: Result<(), Error>) -> Option<Refusal> {
        match checked {
            Ok(()) => None,
            Err(Error::Refused(refusal)) => Some(refusal),
            Err(error) => panic!("{error:?}"),
        }
    }

    #[tokio::test]
    async fn the_fifth_failure_locks_and_the_next_ones_for_twice_as_long() {
        on_rows(|tx| {
            for second in 0..5 {
                assert_eq!(refusal(Failures::check(tx.as_snapshot(), &KEY, at(second))), None);
                assert_eq!(Failures::count(tx, &KEY, at(second))?, second as u32 + 1);
            }
            let locked = |tx: &mut dyn Transaction, second| {
                refusal(Failures::check(tx.as_snapshot(), &KEY, at(second)))
            };
            assert_eq!(locked(tx, 5), Some(Refusal::LoginLocked { retry_after_ms: 29_000 }));
            assert_eq!(locked(tx, 34), None);
            Failures::count(tx, &KEY, at(34))?;
            assert_eq!(locked(tx, 34), Some(Refusal::LoginLocked { retry_after_ms: 60_000 }));
            assert_eq!(refusal(Failures::check(tx.as_snapshot(), &[8; 32], at(34))), None);
            // A quarter of an hour after the lock has ended they are forgotten.
            assert_eq!(Failures::count(tx, &KEY, at(34 + 60 + 901))?, 1);
            Failures::forget(tx, &KEY)?;
            assert_eq!(Failures::count(tx, &KEY, at(1_000))?, 1);
            Ok(())
        })
        .await;
    }

    #[tokio::test]
    async fn a_full_minute_has_room_again_when_its_oldest_is_a_minute_old() {
        on_rows(|tx| {
            for second in 0..10 {
                assert_eq!(refusal(LOGIN_FAILURES.check(tx.as_snapshot(), &KEY, at(second))), None);
                LOGIN_FAILURES.count(tx, &KEY, at(second))?;
            }
            let wait = |tx: &mut dyn Transaction, second| {
                refusal(LOGIN_FAILURES.check(tx.as_snapshot(), &KEY, at(second)))
            };
            assert_eq!(wait(tx, 10), Some(Refusal::RateLimited { retry_after_ms: 50_000 }));
            assert_eq!(wait(tx, 60), None);
            LOGIN_FAILURES.count(tx, &KEY, at(60))?;
            assert_eq!(wait(tx, 60), Some(Refusal::RateLimited { retry_after_ms: 1_000 }));
            assert_eq!(refusal(JOINS.check(tx.as_snapshot(), &KEY, at(10))), None, "another kind");
            assert_eq!(tx.attempts(AttemptKind::Address, &KEY)?.unwrap().times.len(), 10);
            Ok(())
        })
        .await;
    }

    #[tokio::test]
    async fn a_clock_that_was_set_back_locks_nobody_out_and_one_that_differs_a_little_forgets_nothing() {
        on_rows(|tx| {
            for _ in 0..10 {
                Failures::count(tx, &KEY, at(0))?;
                LOGIN_FAILURES.count(tx, &KEY, at(0))?;
            }
            assert!(Failures::check(tx.as_snapshot(), &KEY, at(-30)).is_err());
            assert!(LOGIN_FAILURES.check(tx.as_snapshot(), &KEY, at(-30)).is_err());
            assert_eq!(Failures::count(tx, &KEY, at(-30))?, 11);
            assert!(Failures::check(tx.as_snapshot(), &KEY, at(-3600)).is_ok());
            assert!(LOGIN_FAILURES.check(tx.as_snapshot(), &KEY, at(-3600)).is_ok());
            Ok(())
        })
        .await;
    }
}
