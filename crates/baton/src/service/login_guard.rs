//! Who may try a password: so many failures a minute per client address, and a growing lock per username and
//! address. In memory and bounded; a restart forgets it. How long a lock is, `baton-core` says.

use baton_core::{MonotonicMillis, Refusal, limits, login_lock_seconds};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::minute_window::MinuteWindow;
use crate::rest::client_of;

/// More locks than this are not remembered.
const LOCKS_MAX_COUNT: usize = 10_000;
/// Failures are forgotten so long after the last lock ended.
const FORGOTTEN_AFTER_MS: i64 = limits::LOGIN_LOCK_MAX_SECONDS as i64 * 1_000;

/// Counts failed logins.
#[derive(Debug)]
pub(crate) struct LoginGuard {
    counts: Mutex<Counts>,
}

#[derive(Debug)]
struct Counts {
    addresses: MinuteWindow<IpAddr>,
    locks: HashMap<LockKey, Lock>,
}

/// What was typed as a username may be a password or a megabyte: only its hash is kept.
type LockKey = ([u8; 32], IpAddr);

#[derive(Debug, Clone, Copy)]
struct Lock {
    failures: u32,
    until: MonotonicMillis,
}

/// One attempt at a username's password from an address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt {
    key: LockKey,
}

impl Attempt {
    pub(crate) fn new(username: &str, address: IpAddr) -> Self {
        Self { key: (Sha256::digest(username).into(), client_of(address)) }
    }

    fn address(&self) -> IpAddr {
        self.key.1
    }
}

impl Default for LoginGuard {
    fn default() -> Self {
        let addresses = MinuteWindow::new(limits::LOGIN_FAILURES_PER_MINUTE);
        Self { counts: Mutex::new(Counts { addresses, locks: HashMap::new() }) }
    }
}

impl LoginGuard {
    /// Lets an attempt through, or says when to come back.
    pub(crate) fn check(&self, attempt: &Attempt, now: MonotonicMillis) -> Result<(), Refusal> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let locked_ms = counts.locks.get(&attempt.key).map_or(0, |lock| lock.until.millis_since(now));
        if let Some(retry_after_ms) = u64::try_from(locked_ms).ok().filter(|ms| *ms > 0) {
            return Err(Refusal::LoginLocked { retry_after_ms });
        }
        match counts.addresses.wait_ms(&attempt.address(), now) {
            Some(retry_after_ms) => Err(Refusal::RateLimited { retry_after_ms }),
            None => Ok(()),
        }
    }

    /// Counts a failure.
    pub(crate) fn failed(&self, attempt: &Attempt, now: MonotonicMillis) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.addresses.count(attempt.address(), now);
        counts.make_room(now);
        let lock = counts.locks.entry(attempt.key).or_insert(Lock { failures: 0, until: now });
        if now.millis_since(lock.until) > FORGOTTEN_AFTER_MS {
            lock.failures = 0;
        }
        lock.failures = lock.failures.saturating_add(1);
        lock.until = now.plus_seconds(login_lock_seconds(lock.failures));
    }

    /// Forgets the failures of a username from an address; those of the address stay.
    pub(crate) fn succeeded(&self, attempt: &Attempt) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).locks.remove(&attempt.key);
    }
}

impl Counts {
    fn make_room(&mut self, now: MonotonicMillis) {
        if self.locks.len() < LOCKS_MAX_COUNT {
            return;
        }
        self.locks.retain(|_, lock| now.millis_since(lock.until) <= FORGOTTEN_AFTER_MS);
        if self.locks.len() >= LOCKS_MAX_COUNT {
            let oldest = self.locks.iter().min_by_key(|(_, lock)| lock.until).map(|(key, _)| *key);
            oldest.and_then(|key| self.locks.remove(&key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn at(seconds: i64) -> MonotonicMillis {
        MonotonicMillis::new(seconds * 1_000)
    }

    #[test]
    fn the_fifth_failure_locks_for_30_seconds_and_the_next_ones_for_twice_as_long() {
        let guard = LoginGuard::default();
        let attempt = Attempt::new("alice", HOME);
        for second in 0..5 {
            assert_eq!(guard.check(&attempt, at(second)), Ok(()));
            guard.failed(&attempt, at(second));
        }
        assert_eq!(guard.check(&attempt, at(5)), Err(Refusal::LoginLocked { retry_after_ms: 29_000 }));
        assert_eq!(guard.check(&Attempt::new("bob", HOME), at(5)), Ok(()), "another username is free");
        let elsewhere = Attempt::new("alice", "192.0.2.1".parse().unwrap());
        assert_eq!(guard.check(&elsewhere, at(5)), Ok(()), "another address is free");
        assert_eq!(guard.check(&attempt, at(34)), Ok(()));
        guard.failed(&attempt, at(34));
        assert_eq!(guard.check(&attempt, at(34)), Err(Refusal::LoginLocked { retry_after_ms: 60_000 }));
    }

    #[test]
    fn success_forgets_the_failures_of_that_username() {
        let guard = LoginGuard::default();
        let attempt = Attempt::new("alice", HOME);
        (0..4).for_each(|second| guard.failed(&attempt, at(second)));
        guard.succeeded(&attempt);
        guard.failed(&attempt, at(5));
        assert_eq!(guard.check(&attempt, at(5)), Ok(()));
    }

    #[test]
    fn the_eleventh_failure_of_an_address_within_a_minute_waits() {
        let guard = LoginGuard::default();
        for n in 0..10 {
            let attempt = Attempt::new(&format!("user{n}"), HOME);
            assert_eq!(guard.check(&attempt, at(n)), Ok(()));
            guard.failed(&attempt, at(n));
        }
        let eleventh = Attempt::new("user10", HOME);
        assert_eq!(guard.check(&eleventh, at(10)), Err(Refusal::RateLimited { retry_after_ms: 50_000 }));
        assert_eq!(guard.check(&eleventh, at(60)), Ok(()));
    }

    #[test]
    fn usernames_without_end_do_not_fill_the_memory() {
        let guard = LoginGuard::default();
        for n in 0..LOCKS_MAX_COUNT + 10 {
            guard.failed(&Attempt::new(&n.to_string(), HOME), MonotonicMillis::new(n as i64));
        }
        assert_eq!(guard.counts.lock().unwrap().locks.len(), LOCKS_MAX_COUNT);
    }
}
