//! Whole lives: every connection sends a task, claims it as its worker and replies under the lease.

use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::request::{self, Address, request};
use super::send::task_to;
use super::tally::{Tally, together};
use super::tenant::{Agent, Tenant, read};
use super::trouble::Trouble;

const RESULT: &str = "The table is in the folder; two runs disagree because one of them shared its disk.";

/// Gives every connection a worker of its own, so that it claims what it sent.
pub(super) async fn measure(
    address: &Address,
    tenant: &mut Tenant,
    connections: usize,
    length: Duration,
) -> Result<Tally, Trouble> {
    let sender = tenant.mint("bench-life-sender".into()).await?;
    let workers = tenant.agents("life", connections).await?;
    let mut lives = Vec::with_capacity(connections);
    for worker in workers {
        let connection = Connection::open(address).await?;
        lives.push(Life::new(address, &sender, worker, connection).repeat(length));
    }
    Ok(together(lives).await)
}

struct Life {
    address: Address,
    worker: Agent,
    connection: Connection,
    send: Vec<u8>,
    claim: Vec<u8>,
    reply: Vec<u8>,
}

#[derive(Deserialize)]
struct Claimed {
    task: ClaimedTask,
    lease_id: String,
}

#[derive(Deserialize)]
struct ClaimedTask {
    task_id: String,
}

impl Life {
    fn new(address: &Address, sender: &Agent, worker: Agent, connection: Connection) -> Self {
        let send = task_to(address, sender, &worker.alias);
        let claim = request(address, "POST", "/api/claim", Some(&worker.token), &json!({}));
        Self { address: address.clone(), worker, connection, send, claim, reply: Vec::new() }
    }

    async fn repeat(mut self, length: Duration) -> Tally {
        let mut tally = Tally::default();
        let started = Instant::now();
        while started.elapsed() < length {
            let begun = Instant::now();
            let lived = self.live().await.map(|()| begun.elapsed());
            if tally.note(lived).is_break() {
                break;
            }
        }
        tally
    }

    async fn live(&mut self) -> Result<(), Trouble> {
        self.connection.call("a send", &self.send).await?;
        let claimed: Claimed = read("a claim", self.connection.call("a claim", &self.claim).await?)?;
        let path = format!("/api/tasks/{}/reply", claimed.task.task_id);
        let body = json!({"text": RESULT, "lease_id": claimed.lease_id});
        request::write(&mut self.reply, &self.address, "POST", &path, Some(&self.worker.token), &body);
        self.connection.call("a reply", &self.reply).await?;
        Ok(())
    }
}
