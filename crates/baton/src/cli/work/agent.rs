//! The agent: claims a task whenever a slot is free, one claim at a time, until it is told to stop.

use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::attempt::Lease;
use super::drain::Drain;
use super::guard::Guard;
use super::notices;
use super::outage::Outage;
use super::output::Room;
use super::program::Program;
use super::running::Running;
use super::session;
use crate::client::{Client, Error, Token};
use crate::service::claim_task;

/// How long one claim waits for work. Short enough that a connection that died silently is noticed.
const WAIT_SECONDS: u32 = 20;
/// How long a worker that stops waits for its last report to be taken.
const LAST_REPORT_MAX: Duration = Duration::from_secs(2);

/// What was asked for on the command line.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) alias: String,
    pub(super) concurrency: usize,
    pub(super) lease_seconds: u32,
    pub(super) grace: Duration,
    pub(super) room: Room,
    pub(super) once: bool,
    pub(super) program: Program,
}

/// A worker and everything its tasks are handed.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) settings: Settings,
    pub(super) client: Client,
    pub(super) hub: String,
    pub(super) token: Token,
    /// The file of the hub's private CA.
    pub(super) ca: Option<String>,
    pub(super) guard: Guard,
    pub(super) running: Running,
    pub(super) drain: Drain,
}

impl Agent {
    /// Works until it is told to stop, or the hub will not have it.
    pub(super) async fn work(self) -> Result<(), Error> {
        let agent = Arc::new(self);
        let listening = tokio::spawn(listen(agent.clone()));
        let (end, ended) = oneshot::channel();
        let mut shown = tokio::spawn(session::show(agent.clone(), ended));
        let mut attempts = JoinSet::new();
        let outcome = agent.claim_all(&mut attempts).await;
        let running = agent.running.count();
        if running > 0 {
            tracing::info!(running, "no new tasks; running commands finish");
        }
        attempts.join_all().await;
        listening.abort();
        drop(end);
        if timeout(LAST_REPORT_MAX, &mut shown).await.is_err() {
            shown.abort(); // the hub is away, and finds out by the silence
        }
        outcome
    }

    async fn claim_all(self: &Arc<Self>, attempts: &mut JoinSet<()>) -> Result<(), Error> {
        let slots = Arc::new(Semaphore::new(self.settings.concurrency));
        let mut outage = Outage::default();
        loop {
            let next = async {
                // The semaphore is never closed.
                let slot = slots.clone().acquire_owned().await.ok();
                self.claim(&mut outage).await.map(|lease| (slot, lease))
            };
            // A claim that is given up here may just have been granted: then its lease lapses and the task comes back.
            let (slot, lease) = tokio::select! {
                next = next => next?,
                () = self.drain.begun() => return Ok(()),
            };
            let agent = self.clone();
            attempts.spawn(async move {
                lease.work(&agent).await;
                drop(slot);
            });
            if self.settings.once {
                return Ok(());
            }
            while attempts.try_join_next().is_some() {}
        }
    }

    /// The next task, however long it takes to come.
    async fn claim(&self, outage: &mut Outage) -> Result<Lease, Error> {
        let args = claim_task::Args {
            wait_seconds: Some(WAIT_SECONDS.into()),
            lease_seconds: Some(self.settings.lease_seconds.into()),
        };
        loop {
            let asked = Instant::now();
            match self.client.claim(&args).await.map(crate::client::Answer::into_value) {
                Ok(claimed) => {
                    outage.is_over();
                    if let (Some(task), Some(lease_id)) = (claimed.task, claimed.lease_id) {
                        return Ok(Lease { task, lease_id, traceparent: claimed.traceparent });
                    }
                    // A hub that is stopping does not wait.
                    if asked.elapsed() < Duration::from_secs(1) {
                        sleep(outage.wait_quietly()).await;
                    }
                }
                Err(error) if error.is_final() => return Err(error),
                Err(error) => sleep(outage.wait_after(&error)).await,
            }
        }
    }
}

/// Without the stream a cancel is noticed when the lease is extended next.
async fn listen(agent: Arc<Agent>) {
    let error = notices::listen(&agent.client, &agent.settings.alias, &agent.running).await;
    tracing::warn!("cancels are noticed late, the agent's stream is refused: {error}");
}
