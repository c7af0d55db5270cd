//! Background work, in rounds, until the hub stops. A round that fails is logged and tried again,
//! later each time; it takes nothing else down.

mod presence;
mod push;
mod remote;
pub mod span_exporter;

use baton_core::limits;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

use crate::hub::Hub;
use crate::service::accounts::removal;
use crate::service::evidence::{bundling, seal};
use crate::service::{Error, artifacts, old_tasks, sweep};

/// Starts every worker; they have all ended when the set is empty.
pub fn start(hub: &Arc<Hub>) -> JoinSet<()> {
    let mut workers = JoinSet::new();
    let loops = &mut workers;
    keep(loops, hub, "presence", limits::PRESENCE_EVERY, async |hub| presence::round(&hub).await);
    keep(loops, hub, "leases", limits::SWEEP_EVERY, async |hub| sweep::leases(&hub).await);
    keep(loops, hub, "expiry", limits::SWEEP_EVERY, async |hub| sweep::expiry(&hub).await);
    keep(loops, hub, "due tasks", limits::SWEEP_EVERY, async |hub| sweep::due(&hub).await);
    keep(loops, hub, "seal", limits::SEAL_EVERY, async |hub| seal::round(&hub).await);
    keep(loops, hub, "logs of other hubs", limits::LEFT_WORK_EVERY, async |hub| {
        seal::look_at_left(&hub).await
    });
    keep(loops, hub, "entry bundles", limits::BUNDLING_EVERY, async |hub| bundling::round(&hub).await);
    workers_of_the_outside(loops, hub);
    keep(loops, hub, "retention", limits::RETENTION_EVERY, async |hub| sweep::retention(&hub).await);
    keep(loops, hub, "artifacts", limits::RETENTION_EVERY, async |hub| artifacts::sweep::round(&hub).await);
    keep(loops, hub, "browsers", limits::RETENTION_EVERY, async |hub| sweep::browsers(&hub).await);
    keep(loops, hub, "expired tokens", limits::SWEEP_EVERY, async |hub| sweep::tokens(&hub).await);
    keep(loops, hub, "oauth", limits::RETENTION_EVERY, async |hub| sweep::oauth(&hub).await);
    keep(loops, hub, "deleted networks", limits::SWEEP_EVERY, async |hub| removal::round(&hub).await);
    keep(loops, hub, "old tasks", limits::OLD_TASKS_EVERY, async |hub| old_tasks::leave(&hub).await);
    keep(loops, hub, "old frames", limits::RETENTION_EVERY, async |hub| old_tasks::frames_leave(&hub).await);
    workers
}

/// These wait for what happens, each in its own way, and see to their own failures.
fn workers_of_the_outside(workers: &mut JoinSet<()>, hub: &Arc<Hub>) {
    workers.spawn(start_again(hub.clone(), "push", push::run));
    workers.spawn(start_again(hub.clone(), "remote", remote::run));
    workers.spawn(start_again(hub.clone(), "traces", span_exporter::run));
}

/// Runs a worker until it ends by itself. One that panics restarts after a pause: what there is to do follows from
/// the rows.
async fn start_again<R: Future<Output = ()>>(hub: Arc<Hub>, name: &'static str, run: impl Fn(Arc<Hub>) -> R) {
    let mut failures = 0;
    while AssertUnwindSafe(run(hub.clone())).catch_unwind().await.is_err() {
        failures += 1;
        tracing::error!(worker = name, failures, "a worker panicked and is started again");
        tokio::select! {
            () = tokio::time::sleep(pause(limits::BACKGROUND_RESTART_PAUSE, failures)) => {}
            () = hub.shutdown.wait() => return,
        }
    }
}

/// Writes what was left when the last request had ended; called once no more can come.
pub async fn finish(hub: &Hub) {
    if let Err(error) = presence::round(hub).await {
        tracing::warn!(%error, "the last activity times were not written");
    }
    if let Err(error) = seal::round(hub).await {
        tracing::warn!(%error, "the last changes were not sealed; the next start does it");
    }
    span_exporter::flush(hub).await;
}

fn keep<F, R>(workers: &mut JoinSet<()>, hub: &Arc<Hub>, name: &'static str, period: Duration, round: F)
where
    F: Fn(Arc<Hub>) -> R + Send + 'static,
    R: Future<Output = Result<usize, Error>> + Send,
{
    let hub = hub.clone();
    workers.spawn(async move {
        let mut failures = 0;
        loop {
            tokio::select! {
                () = tokio::time::sleep(pause(period, failures)) => {}
                () = hub.shutdown.wait() => return,
            }
            match AssertUnwindSafe(round(hub.clone())).catch_unwind().await {
                Ok(Ok(done)) => {
                    failures = 0;
                    tracing::trace!(worker = name, done, "a round");
                }
                // Logged once, when it was found.
                Ok(Err(Error::Store(baton_store::Error::Damaged(_)))) => failures += 1,
                Ok(Err(error)) => {
                    failures += 1;
                    tracing::warn!(worker = name, failures, %error, "a round failed and is tried again");
                }
                Err(_) => {
                    failures += 1;
                    tracing::error!(worker = name, failures, "a round panicked and is tried again");
                }
            }
        }
    });
}

fn pause(period: Duration, failures: u32) -> Duration {
    if failures == 0 {
        period
    } else {
        (period * 2_u32.pow(failures.min(8))).min(limits::BACKGROUND_PAUSE_MAX.max(period))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::TestHub;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn a_worker_that_panics_is_started_again_until_it_ends_by_itself() {
        let test = TestHub::start();
        let runs = AtomicUsize::new(0);
        start_again(test.hub.clone(), "test", async |_| {
            assert_ne!(runs.fetch_add(1, Ordering::SeqCst), 0, "the first run panics");
        })
        .await;
        assert_eq!(runs.load(Ordering::SeqCst), 2);
    }
}
