//! Who may try a password: so many failures a minute per client address, and a growing lock per username and
//! address. Failures are rows (`attempts.rs`), so neither a restart nor a second hub forgets them. They are counted in memory
//! too, bounded in the same way, so that most attempts that are refused cost no read. How long a lock is, `baton-core` says.

use baton_core::{MonotonicMillis, Refusal, UnixMillis, limits, login_lock_seconds};
use baton_evidence::note::SigningKey;
use baton_store::rows::AttemptKey;
use baton_store::{Snapshot, Tenant, Transaction};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::Hub;
use super::attempts::{FORGOTTEN_AFTER_MS, Failures, LOGIN_FAILURES};
use super::client_address::client_of;
use super::minute_window::MinuteWindow;
use crate::error::Error;

/// Counts failed logins.
pub struct LoginGuard {
    counts: Mutex<Counts>,
    /// What the rows' keys are made with.
    secret: Hmac<Sha256>,
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
pub struct Attempt {
    key: LockKey,
}

impl Attempt {
    pub fn new(username: &str, address: IpAddr) -> Self {
        Self { key: (Sha256::digest(username).into(), client_of(address)) }
    }

    fn address(&self) -> IpAddr {
        self.key.1
    }
}

/// The rows that count an attempt.
#[derive(Debug, Clone, Copy)]
pub struct AttemptKeys {
    address: AttemptKey,
    username: AttemptKey,
}

impl AttemptKeys {
    /// Lets an attempt through, or says when to come back.
    pub fn check(&self, rows: &dyn Snapshot, now: UnixMillis) -> Result<(), Error> {
        Failures::check(rows, &self.username, now)?;
        LOGIN_FAILURES.check(rows, &self.address, now)
    }

    /// Counts a failure, and answers how many the username has in a row.
    fn failed(&self, tx: &mut dyn Transaction, now: UnixMillis) -> Result<u32, Error> {
        LOGIN_FAILURES.count(tx, &self.address, now)?;
        Failures::count(tx, &self.username, now)
    }

    /// Forgets the failures of the username from the address; those of the address stay.
    pub fn succeeded(&self, tx: &mut dyn Transaction) -> Result<(), Error> {
        Failures::forget(tx, &self.username)
    }
}

impl LoginGuard {
    /// The rows' keys are made with a secret that is not in the database: what was typed as a username may be a password,
    /// and a copy of the database must not be enough to guess it.
    pub fn new(key: &SigningKey) -> Self {
        let derived = Sha256::new_with_prefix("baton login attempts").chain_update(key.to_text().as_bytes());
        let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
        block[..32].copy_from_slice(&derived.finalize());
        let addresses = MinuteWindow::new(limits::LOGIN_FAILURES_PER_MINUTE);
        Self { counts: Mutex::new(Counts { addresses, locks: HashMap::new() }), secret: Hmac::new(&block) }
    }

    /// The rows of an attempt.
    pub fn keys(&self, attempt: &Attempt) -> AttemptKeys {
        let (username, address) = (attempt.key.0, attempt.address().to_string());
        let keyed = |secret: Hmac<Sha256>| secret.chain_update(&address).finalize().into_bytes().into();
        AttemptKeys {
            address: keyed(self.secret.clone()),
            username: keyed(self.secret.clone().chain_update(username)),
        }
    }

    /// Lets an attempt through, or says when to come back; as far as this hub knows without reading rows.
    pub fn check(&self, attempt: &Attempt, now: MonotonicMillis) -> Result<(), Refusal> {
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

    /// Counts a failure: at once for callers of this hub, and in the rows.
    pub async fn failed(&self, hub: &Hub, store: Tenant<'_>, attempt: &Attempt) -> Result<(), Error> {
        self.count(attempt, hub.clock.monotonic());
        let (keys, now) = (self.keys(attempt), hub.clock.now_without_jumps());
        let failures = store.write(move |tx| keys.failed(tx, now)).await?;
        self.adopt(attempt, failures, hub.clock.monotonic());
        Ok(())
    }

    fn count(&self, attempt: &Attempt, now: MonotonicMillis) {
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

    /// Takes over what the rows say: others may have failed or logged in elsewhere.
    fn adopt(&self, attempt: &Attempt, failures: u32, now: MonotonicMillis) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = counts.locks.get_mut(&attempt.key).filter(|lock| lock.failures != failures) {
            *lock = Lock { failures, until: now.plus_seconds(login_lock_seconds(failures)) };
        }
    }

    /// Forgets the failures of a username from an address; those of the address stay.
    pub fn succeeded(&self, attempt: &Attempt) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).locks.remove(&attempt.key);
    }
}

impl fmt::Debug for LoginGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginGuard").finish_non_exhaustive()
    }
}

impl Counts {
    fn make_room(&mut self, now: MonotonicMillis) {
        if self.locks.len() < limits::ATTEMPTS_KEPT_MAX_COUNT {
            return;
        }
        self.locks.retain(|_, lock| now.millis_since(lock.until) <= FORGOTTEN_AFTER_MS);
        if self.locks.len() >= limits::ATTEMPTS_KEPT_MAX_COUNT {
            let oldest = self.locks.iter().min_by_key(|(_, lock)| lock.until).map(|(key, _)| *key);
            oldest.and_then(|key| self.locks.remove(&key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, test_key};

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn at(seconds: i64) -> MonotonicMillis {
        MonotonicMillis::new(seconds * 1_000)
    }

    #[test]
    fn the_fifth_failure_locks_for_30_seconds_and_the_next_ones_for_twice_as_long() {
        let guard = LoginGuard::new(&test_key());
        let attempt = Attempt::new("alice", HOME);
        for second in 0..5 {
            assert_eq!(guard.check(&attempt, at(second)), Ok(()));
            guard.count(&attempt, at(second));
        }
        assert_eq!(guard.check(&attempt, at(5)), Err(Refusal::LoginLocked { retry_after_ms: 29_000 }));
        assert_eq!(guard.check(&Attempt::new("bob", HOME), at(5)), Ok(()), "another username is free");
        let elsewhere = Attempt::new("alice", "192.0.2.1".parse().unwrap());
        assert_eq!(guard.check(&elsewhere, at(5)), Ok(()), "another address is free");
        assert_eq!(guard.check(&attempt, at(34)), Ok(()));
        guard.count(&attempt, at(34));
        assert_eq!(guard.check(&attempt, at(34)), Err(Refusal::LoginLocked { retry_after_ms: 60_000 }));
    }

    #[test]
    fn success_forgets_the_failures_of_that_username() {
        let guard = LoginGuard::new(&test_key());
        let attempt = Attempt::new("alice", HOME);
        (0..4).for_each(|second| guard.count(&attempt, at(second)));
        guard.succeeded(&attempt);
        guard.count(&attempt, at(5));
        assert_eq!(guard.check(&attempt, at(5)), Ok(()));
    }

    #[test]
    fn the_eleventh_failure_of_an_address_within_a_minute_waits() {
        let guard = LoginGuard::new(&test_key());
        for n in 0..10 {
            let attempt = Attempt::new(&format!("user{n}"), HOME);
            assert_eq!(guard.check(&attempt, at(n)), Ok(()));
            guard.count(&attempt, at(n));
        }
        let eleventh = Attempt::new("user10", HOME);
        assert_eq!(guard.check(&eleventh, at(10)), Err(Refusal::RateLimited { retry_after_ms: 50_000 }));
        assert_eq!(guard.check(&eleventh, at(60)), Ok(()));
    }

    #[test]
    fn usernames_without_end_do_not_fill_the_memory() {
        let guard = LoginGuard::new(&test_key());
        for n in 0..limits::ATTEMPTS_KEPT_MAX_COUNT + 10 {
            guard.count(&Attempt::new(&n.to_string(), HOME), MonotonicMillis::new(n as i64));
        }
        assert_eq!(guard.counts.lock().unwrap().locks.len(), limits::ATTEMPTS_KEPT_MAX_COUNT);
    }

    #[test]
    fn rows_are_found_by_username_and_address_and_say_neither() {
        let guard = LoginGuard::new(&test_key());
        let keys = |name: &str, address: &str| guard.keys(&Attempt::new(name, address.parse().unwrap()));
        let (home, away) = (keys("alice", "192.0.2.1"), keys("alice", "192.0.2.2"));
        assert_ne!(home.username, away.username);
        assert_ne!(home.address, away.address);
        let bob = keys("bob", "192.0.2.1");
        assert_ne!(home.username, bob.username);
        assert_eq!(home.address, bob.address);
        assert_eq!(
            home.username,
            LoginGuard::new(&test_key()).keys(&Attempt::new("alice", "192.0.2.1".parse().unwrap())).username,
            "also after a start"
        );
        let plain: [u8; 32] = Sha256::digest("192.0.2.1").into();
        assert_ne!(home.address, plain);
    }

    #[tokio::test]
    async fn failures_that_another_hub_counted_are_taken_over() {
        let test = TestHub::start();
        let (hub, attempt) = (&test.hub, Attempt::new("alice", HOME));
        let elsewhere = LoginGuard::new(&test_key());
        for _ in 0..4 {
            elsewhere.failed(hub, hub.store_for_anybody(), &attempt).await.unwrap();
        }
        assert_eq!(hub.login_guard.check(&attempt, hub.clock.monotonic()), Ok(()));
        hub.login_guard.failed(hub, hub.store_for_anybody(), &attempt).await.unwrap();
        let here = hub.login_guard.check(&attempt, hub.clock.monotonic());
        assert!(matches!(here, Err(Refusal::LoginLocked { .. })), "{here:?}");
        // The other hub has only four, and finds the fifth in the rows.
        assert_eq!(elsewhere.check(&attempt, hub.clock.monotonic()), Ok(()));
        let (keys, now) = (elsewhere.keys(&attempt), hub.clock.now());
        let there = hub.store.read(move |rows| keys.check(rows, now)).await;
        assert!(matches!(there, Err(Error::Refused(Refusal::LoginLocked { .. }))), "{there:?}");
    }
}
