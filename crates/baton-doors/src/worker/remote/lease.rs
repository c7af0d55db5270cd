//! Extends the lease of a task that is out, and reports when it is lost.

use baton_core::{Caller, LeaseId, TaskId, limits};
use std::time::Duration;
use tokio::time::Instant;

use super::agent::Remote;
use crate::service::{Error, extend_lease};

/// A lease is kept well before it lapses.
const KEEP: Duration = Duration::from_secs(limits::REMOTE_LEASE_SECONDS as u64 / 3);

/// Keeps the lease until it is lost.
pub(super) async fn keep_lease(remote: &Remote, caller: &Caller, lease: &LeaseId, task: &TaskId) {
    let mut bell = remote.hub.bells.listen_to_task(task);
    let mut keep_at = Instant::now() + KEEP;
    // It may have been lost before anybody listened, so it is looked for before the first ring too.
    while is_held(remote, lease).await {
        tokio::select! {
            () = tokio::time::sleep_until(keep_at) => {
                let args = extend_lease::PathArgs::default();
                let kept = extend_lease::run_on_path(&remote.hub, caller, lease.as_str().to_owned(), args);
                keep_at = Instant::now() + match kept.await {
                    Ok(_) => KEEP,
                    Err(Error::Refused(_)) => return,
                    Err(error) => {
                        tracing::warn!(worker = "remote", %error, "a lease was not kept this time");
                        limits::STORE_RETRY_AFTER
                    }
                };
            }
            () = bell.wait() => {}
        }
    }
}

/// A store that cannot say leaves it open: when the lease is to be kept it must.
async fn is_held(remote: &Remote, lease: &LeaseId) -> bool {
    let lease = lease.clone();
    let held = remote.hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.lease(&lease)?.is_some()) });
    !matches!(held.await, Ok(false))
}
