//! Lives through the hub, over HTTP, a worker of its own for each client, evidence on: by four calls, where the sender
//! sees the answer by asking for the task, or by handoff, where both sides wait in their calls.

use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

use super::handoff_client;
use super::hub_client::Client;
use super::{CLIENTS_MAX, repeat};
use crate::failure::Failure;
use crate::server::hub::{Home, Hub as Server};
use crate::tally::{Tally, together};
use crate::tenant::{Agent, Tenant};
use crate::usage::Usage;

pub(super) const NAME: &str = "baton hub";
pub(super) const HANDOFF: &str = "baton hub, handoff";

/// The hub with its agents.
pub(super) struct Hub {
    server: Server,
    sender: Agent,
    workers: Vec<Agent>,
    _folder: TempDir,
}

impl Hub {
    pub(super) async fn start(binary: &Path, scratch: &Path) -> Result<Self, Failure> {
        let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
        let home = Home::new(folder.path())?;
        let server = home.start(binary)?;
        let user = home.log_in(&server).await?;
        let mut tenant = Tenant::make(&server.address, user).await?;
        let sender = tenant.mint("sender".into()).await?;
        let workers = tenant.agents("worker", CLIENTS_MAX).await?;
        Ok(Self { server, sender, workers, _folder: folder })
    }

    pub(super) async fn lives(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let mut lives = Vec::with_capacity(clients);
        for worker in self.workers.iter().take(clients) {
            let client = Client::open(&self.server.address, &self.sender, worker).await?;
            lives.push(repeat(client, length));
        }
        Ok(together(lives).await)
    }

    pub(super) async fn handoffs(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let mut lives = Vec::with_capacity(clients);
        for worker in self.workers.iter().take(clients) {
            let client = handoff_client::Client::open(&self.server.address, &self.sender, worker).await?;
            lives.push(repeat(client, length));
        }
        Ok(together(lives).await)
    }

    pub(super) fn usage(&self) -> Result<Usage, Failure> {
        Usage::of(self.server.pid())
    }
}
