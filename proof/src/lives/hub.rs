//! Lives through the hub: over HTTP, a connection and a worker of its own for each client, evidence on.
//! The sender sees the answer by asking for the task.

use serde::Deserialize;
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

use super::{Alive, CLIENTS_MAX, RESULT, TASK, repeat};
use crate::connection::Connection;
use crate::failure::Failure;
use crate::request::{self, Address, request};
use crate::server::hub::{Home, Hub as Server};
use crate::tally::{Tally, together};
use crate::tenant::{Agent, Tenant, read};
use crate::trouble::Trouble;

pub(super) const NAME: &str = "baton hub";

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
}

/// One client: a sender and its worker.
struct Client {
    address: Address,
    connection: Connection,
    sender: Agent,
    worker: Agent,
    send: Vec<u8>,
    claim: Vec<u8>,
    /// For the calls whose path is known only during the run.
    next: Vec<u8>,
}

#[derive(Deserialize)]
struct Claimed {
    task: Task,
    lease_id: String,
}

#[derive(Deserialize)]
struct Seen {
    task: Task,
}

#[derive(Deserialize)]
struct Task {
    task_id: String,
    result: Option<String>,
}

impl Client {
    async fn open(address: &Address, sender: &Agent, worker: &Agent) -> Result<Self, Trouble> {
        let task = json!({"alias": worker.alias, "task": TASK});
        Ok(Self {
            connection: Connection::open(address).await?,
            address: address.clone(),
            send: request(address, "POST", "/api/task", Some(&sender.token), &task),
            claim: request(address, "POST", "/api/claim", Some(&worker.token), &json!({})),
            sender: sender.clone(),
            worker: worker.clone(),
            next: Vec::new(),
        })
    }
}

impl Alive for Client {
    async fn live(&mut self) -> Result<(), Trouble> {
        self.connection.call("a send", &self.send).await?;
        let claimed: Claimed = read("a claim", self.connection.call("a claim", &self.claim).await?)?;
        let path = format!("/api/tasks/{}", claimed.task.task_id);
        let body = json!({"text": RESULT, "lease_id": claimed.lease_id});
        let reply = format!("{path}/reply");
        request::write(&mut self.next, &self.address, "POST", &reply, Some(&self.worker.token), &body);
        self.connection.call("a reply", &self.next).await?;
        request::write(&mut self.next, &self.address, "GET", &path, Some(&self.sender.token), &json!({}));
        let answer = self.connection.call("a look", &self.next).await?;
        let seen: Seen = read("a look", answer)?;
        if seen.task.result.as_deref() == Some(RESULT) {
            return Ok(());
        }
        Err(Trouble::Unexpected { call: "a look", body: String::from_utf8_lossy(answer).into_owned() })
    }
}
