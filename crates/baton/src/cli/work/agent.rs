//! The agent: every free slot claims a task, until the agent is asked to stop.

use baton_core::limits;
use futures_util::FutureExt;
use futures_util::future::Shared;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::attempt::Lease;
use super::drain::Drain;
use super::guard::Guard;
use super::notices;
use super::outage::Outage;
use super::output::OutputRoom;
use super::program::Program;
use super::run_folder::RunFolder;
use super::running::Running;
use super::{registration, session};
use crate::client::{Client, Error, Token};
use crate::service::claim_task;
use crate::service::skills::Skill;

/// What was asked for on the command line.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) alias: String,
    pub(super) concurrency: usize,
    pub(super) lease_seconds: u32,
    pub(super) grace: Duration,
    /// How long a run may take.
    pub(super) timeout: Option<Duration>,
    /// How often a command that failed is run again.
    pub(super) retries: u32,
    pub(super) room: OutputRoom,
    pub(super) runs: RunFolder,
    pub(super) once: bool,
    pub(super) program: Program,
    /// What the agent is, in a sentence.
    pub(super) description: Option<String>,
    /// What the agent can do.
    pub(super) skills: Vec<Skill>,
}

/// Comes when the worker has ended.
pub(super) type Ended = Shared<oneshot::Receiver<()>>;

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
    /// What was printed about the hub being unreachable.
    pub(super) outage: Outage,
}

impl Agent {
    /// Works until it is asked to stop, or the hub will not have it.
    pub(super) async fn work(self) -> Result<(), Error> {
        let agent = Arc::new(self);
        let listening = tokio::spawn(listen(agent.clone()));
        let (end, ended) = oneshot::channel();
        let mut shown = tokio::spawn(show(agent.clone(), ended.shared()));
        let slots = if agent.settings.once { 1 } else { agent.settings.concurrency };
        let mut filled = JoinSet::new();
        for _ in 0..slots {
            filled.spawn(agent.clone().fill_slot());
        }
        let ended = tokio::select! {
            ended = filled.join_all() => ended,
            never = agent.print_drain() => match never {},
        };
        let outcome = ended.into_iter().collect();
        listening.abort();
        drop(end);
        if timeout(limits::WORK_LAST_REPORT_MAX, &mut shown).await.is_err() {
            shown.abort(); // the hub is away, and finds out by the silence
        }
        outcome
    }

    /// Says that running commands finish, when the worker is asked to stop.
    async fn print_drain(&self) -> Infallible {
        self.drain.begun().await;
        let running = self.running.count();
        if running > 0 {
            tracing::info!(running, "no new tasks; running commands finish");
        }
        std::future::pending().await
    }

    /// Works on one task after the other, until the worker is asked to stop or the hub will not have it. Each slot has its
    /// own claim, so that as many tasks are handed over at once as there are slots free.
    async fn fill_slot(self: Arc<Self>) -> Result<(), Error> {
        let mut outage = self.outage.beside();
        let mut next = None;
        loop {
            let lease = match next.take() {
                // Its lease lapses and the task comes back.
                Some(_) if self.drain.has_begun() => return Ok(()),
                Some(lease) => lease,
                // A claim that is given up here may just have been granted: then its lease lapses and the task comes back.
                None => tokio::select! {
                    lease = self.claim(&mut outage) => lease?,
                    () = self.drain.begun() => return Ok(()),
                },
            };
            next = lease.work(&self).await;
            if self.settings.once {
                return Ok(());
            }
        }
    }

    /// The next task, however long it takes to come.
    async fn claim(&self, outage: &mut Outage) -> Result<Lease, Error> {
        let args = claim_task::BodyArgs {
            wait_seconds: Some(limits::WORK_CLAIM_WAIT_SECONDS.into()),
            lease_seconds: Some(self.settings.lease_seconds.into()),
            max: None,
        };
        loop {
            let asked = Instant::now();
            match self.client.claim(&args).await.map(crate::client::HubResponse::into_value) {
                Ok(claimed) => {
                    outage.is_over();
                    if let Some(lease) = Lease::of(claimed) {
                        return Ok(lease);
                    }
                    // A hub that is stopping does not wait.
                    if asked.elapsed() < limits::CLAIM_NOT_WAITED {
                        sleep(outage.wait_quietly()).await;
                    }
                }
                Err(error) if error.is_final() => return Err(error),
                Err(error) => sleep(outage.wait_after(&error)).await,
            }
        }
    }
}

/// Shows the hub that the worker is there, and whether it is busy, until it has ended.
async fn show(agent: Arc<Agent>, ended: Ended) {
    tokio::join!(registration::keep(agent.clone(), ended.clone()), session::show(agent, ended));
}

/// Without the stream a cancel is noticed when the lease is extended next.
async fn listen(agent: Arc<Agent>) {
    let error = notices::listen(&agent.client, &agent.settings.alias, &agent.running).await;
    tracing::warn!("cancels are noticed late, the agent's stream is refused: {error}");
}
