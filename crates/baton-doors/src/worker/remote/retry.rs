//! Retries what the store cannot do just now. What a remote agent answered is known only here until it is
//! written: dropping it would lose an answer, or send a task out twice.

use baton_core::limits;
use std::time::Duration;
use tokio::time::{Instant, sleep};

use crate::service::Error;

const FIRST: Duration = Duration::from_millis(limits::REMOTE_POLL_FIRST_MILLIS as u64);
const MAX: Duration = Duration::from_millis(limits::REMOTE_POLL_MAX_MILLIS as u64);

/// Whether the store may do the same thing later.
pub(super) const fn is_transient(error: &Error) -> bool {
    use baton_store::Error as Store;
    matches!(
        error,
        Error::Store(
            Store::Busy | Store::Conflict | Store::Unknown(_) | Store::TookTooLong | Store::Unavailable(_)
        )
    )
}

/// Tries until the store takes it, a rule refuses, or patience ends. Nothing happens twice: a store that answers an error
/// has written nothing, and where it does not know, the second try leaves the same or is refused by a rule.
pub(super) async fn retry<T, F: Future<Output = Result<T, Error>>>(
    what: &'static str,
    patience: Duration,
    mut act: impl FnMut() -> F,
) -> Result<T, Error> {
    let until = Instant::now() + patience;
    let mut wait = FIRST;
    loop {
        match act().await {
            Err(error) if is_transient(&error) && Instant::now() + wait < until => {
                tracing::warn!(worker = "remote", what, %error, "not written yet; tried again");
            }
            done => return done,
        }
        sleep(jittered(wait)).await;
        wait = (wait * 2).min(MAX);
    }
}

/// Between half of and all of a wait, so that many remote tasks do not all ask at once.
pub(super) fn jittered(wait: Duration) -> Duration {
    let jitter = f64::from(u16::from_ne_bytes(crate::random::bytes())) / f64::from(u16::MAX);
    wait / 2 + (wait / 2).mul_f64(jitter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::Refusal;
    use std::cell::Cell;

    async fn tries(patience: Duration, outcome: impl Fn(u32) -> Result<(), Error>) -> (u32, bool) {
        let count = Cell::new(0);
        let done = retry("a test", patience, || {
            count.set(count.get() + 1);
            std::future::ready(outcome(count.get()))
        });
        let is_done = done.await.is_ok();
        (count.get(), is_done)
    }

    #[tokio::test]
    async fn only_what_may_pass_is_tried_again_and_not_for_ever() {
        use baton_store::Error as Store;
        let (long, short) = (Duration::from_secs(60), Duration::from_secs(1));
        let busy_once = |n| if n < 2 { Err(Store::Busy.into()) } else { Ok(()) };
        assert_eq!(tries(long, busy_once).await, (2, true));
        let unknown_once = |n| if n < 2 { Err(Store::Unknown(String::new()).into()) } else { Ok(()) };
        assert_eq!(tries(long, unknown_once).await, (2, true));
        assert_eq!(tries(long, |_| Err(Refusal::LeaseLost.into())).await, (1, false));
        assert_eq!(tries(long, |_| Err(Store::Corrupt(String::new()).into())).await, (1, false));
        let (count, is_done) = tries(short, |_| Err(Store::Unavailable(String::new()).into())).await;
        assert!(!is_done && (2..=4).contains(&count), "{count}");
    }
}
