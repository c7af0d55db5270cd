//! Passwords and their hashes: Argon2id, computed off the async threads and at most so many at once.
//! What a password must be is in `baton-core`; who may try one is in `login_guard.rs`.

use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use baton_core::{Refusal, limits};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::Error;
use crate::hub::random;

/// Calls that may wait for their turn; more are sent away.
const WAITING_MAX_COUNT: usize = 128;
/// How long a call waits for its turn before it is sent away.
const WAIT_MAX: Duration = Duration::from_secs(15);
/// When to come back after that.
const RETRY_AFTER_MS: u64 = 1_000;

/// Computes hashes in turn.
#[derive(Debug)]
pub(crate) struct Passwords {
    waiting: Semaphore,
    turns: Arc<Semaphore>,
    wait: Duration,
    /// How many were computed, so that a test can see that one was.
    #[cfg(test)]
    pub(crate) computed: std::sync::atomic::AtomicUsize,
}

impl Default for Passwords {
    fn default() -> Self {
        Self {
            waiting: Semaphore::new(WAITING_MAX_COUNT),
            turns: Arc::new(Semaphore::new(limits::PASSWORD_HASHES_AT_ONCE)),
            wait: WAIT_MAX,
            #[cfg(test)]
            computed: std::sync::atomic::AtomicUsize::new(0),
        }
    }
}

impl Passwords {
    /// The hash of a new password, in its own text form.
    pub(crate) async fn hash(&self, password: String) -> Result<String, Error> {
        let turn = self.turn().await?;
        off_thread(move || {
            let hash = hash(&password);
            drop(turn);
            hash
        })
        .await
    }

    /// Whether a password is the one of this hash. Without a hash, because there is no such user, it takes as long.
    pub(crate) async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Error> {
        let turn = self.turn().await?;
        off_thread(move || {
            let is_right = verify(&password, hash.as_deref());
            drop(turn);
            is_right
        })
        .await
    }

    /// A turn goes to the thread that computes, so that a caller who hangs up does not free it early.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, Error> {
        let busy = Refusal::RateLimited { retry_after_ms: RETRY_AFTER_MS };
        let Ok(_waiting) = self.waiting.try_acquire() else { return Err(busy.into()) };
        match timeout(self.wait, self.turns.clone().acquire_owned()).await {
            Ok(Ok(turn)) => {
                #[cfg(test)]
                self.computed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                Ok(turn)
            }
            _ => Err(busy.into()),
        }
    }
}

/// The hash of a new password, for whoever has no hub.
pub(super) async fn hash_off_thread(password: String) -> Result<String, Error> {
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
    let Some(hash) = hash else {
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

    #[tokio::test]
    async fn a_hash_is_argon2id_salted_and_takes_only_its_own_password() {
        let passwords = Passwords::default();
        let one = passwords.hash("correct horse".into()).await.unwrap();
        let two = passwords.hash("correct horse".into()).await.unwrap();
        assert!(one.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{one}");
        assert_ne!(one, two);
        assert!(passwords.verify("correct horse".into(), Some(one.clone())).await.unwrap());
        assert!(!passwords.verify("correct house".into(), Some(one)).await.unwrap());
    }

    #[tokio::test]
    async fn without_a_user_a_hash_is_computed_all_the_same() {
        let passwords = Passwords::default();
        assert!(!passwords.verify("correct horse".into(), None).await.unwrap());
        assert_eq!(passwords.computed.load(std::sync::atomic::Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_call_that_gets_no_turn_is_told_when_to_come_back() {
        let passwords = Passwords { wait: Duration::ZERO, ..Passwords::default() };
        let _turns = passwords.turns.clone().acquire_many_owned(2).await.unwrap();
        let outcome = passwords.hash("correct horse".into()).await;
        assert!(matches!(outcome, Err(Error::Refused(Refusal::RateLimited { retry_after_ms: 1_000 }))));
    }
}
