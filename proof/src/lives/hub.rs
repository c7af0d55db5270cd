//! Lives through the hub, over HTTP, a worker of its own for each client, evidence on: by four calls, where the sender
//! sees the answer by asking for the task, or by handoff, where both sides wait in their calls.

use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

use super::handoff_client;
use super::hub_client::Client;
use super::{CLIENTS_MAX, repeat};
use crate::failure::Failure;
use crate::metrics::Metrics;
use crate::server::hub::{Home, Hub as Server};
use crate::tally::{Tally, together};
use crate::tenant::{Agent, Tenant};
use crate::usage::Usage;

/// Between two looks at what a hub that is to come to rest uses.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// A hub at rest uses at most this share of a core.
const AT_REST: f64 = 0.03;
/// A hub that never comes to rest is measured as it is.
const REST_MAX: Duration = Duration::from_secs(20);

pub(super) const NAME: &str = "baton hub";
pub(super) const HANDOFF: &str = "baton hub, handoff";

/// The hub with its agents.
pub(crate) struct Hub {
    pub(crate) server: Server,
    /// A token of its admin.
    pub(crate) user: String,
    /// A sender and a worker for each client.
    pairs: Vec<(Agent, Agent)>,
    folder: TempDir,
}

impl Hub {
    /// A hub on SQLite with one network.
    pub(crate) async fn start(binary: &Path, scratch: &Path) -> Result<Self, Failure> {
        Self::start_on(binary, scratch, None, 1).await
    }

    /// A hub on this store, with its clients spread over so many networks.
    pub(crate) async fn start_on(
        binary: &Path,
        scratch: &Path,
        store: Option<&str>,
        networks: usize,
    ) -> Result<Self, Failure> {
        let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
        let home = Home::new(folder.path())?;
        let environment: Vec<_> = store.map(|url| ("BATON_STORE", url.into())).into_iter().collect();
        let server = home.start_in(binary, &environment)?;
        let user = home.log_in(&server).await?;
        let mut tenants = Vec::with_capacity(networks);
        for _ in 0..networks {
            let mut tenant = Tenant::make(&server.address, user.clone()).await?;
            let sender = tenant.mint("sender".into()).await?;
            tenants.push((tenant, sender));
        }
        let mut pairs = Vec::with_capacity(CLIENTS_MAX);
        for number in 0..CLIENTS_MAX {
            let (tenant, sender) = &mut tenants[number % networks];
            pairs.push((sender.clone(), tenant.mint(format!("bench-worker-{number}")).await?));
        }
        Ok(Self { server, user, pairs, folder })
    }

    pub(crate) async fn lives(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let mut lives = Vec::with_capacity(clients);
        for (sender, worker) in self.pairs.iter().take(clients) {
            let client = Client::open(&self.server.address, sender, worker).await?;
            lives.push(repeat(client, length));
        }
        Ok(together(lives).await)
    }

    pub(crate) async fn handoffs(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let mut lives = Vec::with_capacity(clients);
        for (sender, worker) in self.pairs.iter().take(clients) {
            let client = handoff_client::Client::open(&self.server.address, sender, worker).await?;
            lives.push(repeat(client, length));
        }
        Ok(together(lives).await)
    }

    /// Its data folder.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Waits until the hub has done what its last turn left for later (evidence is compressed, pages are folded), so that
    /// nobody else's turn pays for it, and the hub's own figures of what a life takes have it.
    pub(crate) async fn rest(&self) -> Result<(), Failure> {
        let begun = Instant::now();
        let look = || Usage::of(self.server.pid());
        let mut before = look()?;
        while begun.elapsed() < REST_MAX {
            tokio::time::sleep(LOOK_EVERY).await;
            let after = look()?;
            if after.seconds_since(before) <= AT_REST * LOOK_EVERY.as_secs_f64() {
                break;
            }
            before = after;
        }
        Ok(())
    }

    pub(super) async fn usage(&self) -> Result<Usage, Failure> {
        let metrics = Metrics::read(&self.server.address, &self.user).await?;
        Ok(Usage::of(self.server.pid())?.with_wal(metrics.figure("baton_wal_written_bytes_total")?))
    }
}
