//! Passwords and their hashes: Argon2id, computed off the async threads and at most so many at once. Client addresses
//! take turns, and accounts within an address, so that nobody's calls keep others from signing in.
//! What a password must be is in `baton-core`; who may try one is in `login_guard.rs`.

use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use baton_core::{Refusal, Shares, limits};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::client_address::client_of;
use crate::error::Error;
use crate::fair_semaphore::{FairPermit, FairSemaphore};
use crate::random;

/// A name as it was given, which may be a password or a megabyte: only its hash is kept.
type Account = [u8; 32];

/// The requester of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashRequester {
    address: IpAddr,
    account: Account,
}

impl HashRequester {
    /// Somebody at an address who names an account.
    pub fn new(address: IpAddr, account: &str) -> Self {
        Self { address: client_of(address), account: Sha256::digest(account).into() }
    }
}

/// Computes hashes in turn.
#[derive(Debug)]
pub struct Passwords {
    turns: Arc<FairSemaphore<IpAddr, Account>>,
    wait: Duration,
    /// How many were computed, so that a test can see that one was.
    #[cfg(any(test, feature = "fixture"))]
    pub computed: std::sync::atomic::AtomicUsize,
}

impl Default for Passwords {
    fn default() -> Self {
        let at_once = limits::PASSWORD_HASHES_AT_ONCE as u64;
        let shares = Shares {
            total: at_once,
            kept_for_newcomers: 0,
            per_group: at_once,
            per_member: at_once,
            waiting_per_member: limits::PASSWORD_WAITS_PER_ACCOUNT_MAX_COUNT,
            waiting_per_group: limits::PASSWORD_WAITS_PER_ADDRESS_MAX_COUNT,
            waiting: limits::PASSWORD_WAITS_MAX_COUNT,
        };
        Self {
            turns: FairSemaphore::new(shares),
            wait: limits::PASSWORD_WAIT_MAX,
            #[cfg(any(test, feature = "fixture"))]
            computed: std::sync::atomic::AtomicUsize::new(0),
        }
    }
}

impl Passwords {
    /// The hash of a new password, in its own text form.
    pub async fn hash(&self, asker: HashRequester, password: String) -> Result<String, Error> {
        let turn = self.turn(asker).await?;
        off_thread(move || {
            let hash = hash(&password);
            drop(turn);
            hash
        })
        .await
    }

    /// Whether a password is the one of this hash. Without a hash, because there is no such user, it takes as long.
    pub async fn verify(
        &self,
        asker: HashRequester,
        password: String,
        hash: Option<String>,
    ) -> Result<bool, Error> {
        let turn = self.turn(asker).await?;
        off_thread(move || {
            let is_right = verify(&password, hash.as_deref());
            drop(turn);
            is_right
        })
        .await
    }

    /// A turn goes to the thread that computes, so that a caller who hangs up does not free it early.
    async fn turn(&self, asker: HashRequester) -> Result<FairPermit<IpAddr, Account>, Error> {
        let turn = self.turns.take(asker.address, asker.account, 1, self.wait).await;
        let turn = turn.map_err(|_| Refusal::RateLimited { retry_after_ms: limits::RETRY_AFTER_MILLIS })?;
        #[cfg(any(test, feature = "fixture"))]
        self.computed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(turn)
    }
}

/// The hash of a new password, for code without a hub.
pub async fn hash_off_thread(password: String) -> Result<String, Error> {
    off_thread(move || hash(&password)).await
}

async fn off_thread<T: Send + 'static>(
    compute: impl FnOnce() -> Result<T, argon2::password_hash::Error> + Send + 'static,
) -> Result<T, Error> {
    let failed = |text: String| Error::from(baton_store::Error::Panicked(text));
    match tokio::task::spawn_blocking(compute).await {
        Ok(outcome) => outcome.map_err(|error| failed(format!("a password hash: {error}"))),
        Err(error) => Err(failed(format!("a password hash: {error}"))),
    }
}

fn hash(password: &str) -> Result<String, argon2::password_hash::Error> {
    let salt = SaltString::encode_b64(&random::bytes::<16>())?;
    Ok(Argon2::default().hash_password(password.as_bytes(), &salt)?.to_string())
}

fn verify(password: &str, hash: Option<&str>) -> Result<bool, argon2::password_hash::Error> {
    // Who signs in elsewhere has none either.
    let Some(hash) = hash.filter(|hash| !hash.is_empty()) else {
        self::hash(password)?;
        return Ok(false);
    };
    match Argon2::default().verify_password(password.as_bytes(), &PasswordHash::new(hash)?) {
        Ok(()) => Ok(true),
        Err(argon2::password_hash::Error::Password) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn asker(account: &str) -> HashRequester {
        HashRequester::new(HOME, account)
    }

    #[tokio::test]
    async fn a_hash_is_argon2id_salted_and_takes_only_its_own_password() {
        let (passwords, alice) = (Passwords::default(), asker("alice"));
        let one = passwords.hash(alice, "correct horse".into()).await.unwrap();
        let two = passwords.hash(alice, "correct horse".into()).await.unwrap();
        assert!(one.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{one}");
        assert_ne!(one, two);
        assert!(passwords.verify(alice, "correct horse".into(), Some(one.clone())).await.unwrap());
        assert!(!passwords.verify(alice, "correct house".into(), Some(one)).await.unwrap());
    }

    #[tokio::test]
    async fn without_a_user_a_hash_is_computed_all_the_same() {
        let passwords = Passwords::default();
        assert!(!passwords.verify(asker("nobody"), "correct horse".into(), None).await.unwrap());
        assert_eq!(passwords.computed.load(std::sync::atomic::Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_call_that_gets_no_turn_is_told_when_to_come_back() {
        let passwords = Passwords { wait: Duration::ZERO, ..Passwords::default() };
        let mallory = asker("mallory");
        let _turns = [passwords.turn(mallory).await.unwrap(), passwords.turn(mallory).await.unwrap()];
        let outcome = passwords.hash(asker("alice"), "correct horse".into()).await;
        assert!(matches!(outcome, Err(Error::Refused(Refusal::RateLimited { retry_after_ms: 1_000 }))));
    }

    #[tokio::test]
    async fn an_account_that_calls_without_end_is_refused_and_others_have_their_turn() {
        let passwords = Arc::new(Passwords::default());
        let mallory = asker("mallory");
        let first = passwords.turn(mallory).await.unwrap();
        let second = passwords.turn(mallory).await.unwrap();
        let wait_for = |who: HashRequester| {
            let passwords = passwords.clone();
            tokio::spawn(async move { passwords.turn(who).await })
        };
        let flood: Vec<_> = (0..200).map(|_| wait_for(mallory)).collect();
        while passwords.turns.waiting() < limits::PASSWORD_WAITS_PER_ACCOUNT_MAX_COUNT {
            tokio::task::yield_now().await;
        }
        let at_home = wait_for(asker("alice"));
        let elsewhere = wait_for(HashRequester::new("192.0.2.1".parse().unwrap(), "bob"));
        while passwords.turns.waiting() < limits::PASSWORD_WAITS_PER_ACCOUNT_MAX_COUNT + 2 {
            tokio::task::yield_now().await;
        }
        // A free turn goes first to another address, then to another account of the same address.
        drop(first);
        let elsewhere = elsewhere.await.unwrap().unwrap();
        drop(second);
        let at_home = at_home.await.unwrap().unwrap();
        drop((elsewhere, at_home));
        let mut refused = 0;
        for waiting in flood {
            refused += usize::from(waiting.await.unwrap().is_err());
        }
        assert_eq!(refused, 200 - limits::PASSWORD_WAITS_PER_ACCOUNT_MAX_COUNT);
    }
}
