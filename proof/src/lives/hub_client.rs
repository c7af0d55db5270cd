//! One client of the hub, a sender and its worker on one connection: sends, claims, replies, and the sender sees the
//! answer by asking for the task. What `lives`, `growth` and `soak` load a hub with.

use serde::Deserialize;
use serde_json::json;

use super::{Alive, RESULT, TASK};
use crate::connection::Connection;
use crate::request::{self, Address, request};
use crate::tenant::{Agent, read};
use crate::trouble::Trouble;

/// One client: a sender and its worker.
pub(crate) struct Client {
    address: Address,
    connection: Connection,
    sender: Agent,
    worker: Agent,
    send: Vec<u8>,
    claim: Vec<u8>,
    /// For the calls whose path is known only during the run.
    next: Vec<u8>,
}

/// A task under a lease.
#[derive(Deserialize)]
pub(crate) struct Claimed {
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
    pub(crate) async fn open(address: &Address, sender: &Agent, worker: &Agent) -> Result<Self, Trouble> {
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

    pub(crate) async fn send(&mut self) -> Result<(), Trouble> {
        self.connection.call("a send", &self.send).await.map(|_| ())
    }

    pub(crate) async fn claim(&mut self) -> Result<Claimed, Trouble> {
        read("a claim", self.connection.call("a claim", &self.claim).await?)
    }

    pub(crate) async fn reply(&mut self, claimed: &Claimed) -> Result<(), Trouble> {
        let path = format!("/api/tasks/{}/reply", claimed.task.task_id);
        let body = json!({"text": RESULT, "lease_id": claimed.lease_id});
        request::write(&mut self.next, &self.address, "POST", &path, Some(&self.worker.token), &body);
        self.connection.call("a reply", &self.next).await.map(|_| ())
    }

    /// The sender's look at a task that was answered.
    async fn see(&mut self, claimed: &Claimed) -> Result<(), Trouble> {
        let path = format!("/api/tasks/{}", claimed.task.task_id);
        request::write(&mut self.next, &self.address, "GET", &path, Some(&self.sender.token), &json!({}));
        let answer = self.connection.call("a look", &self.next).await?;
        let seen: Seen = read("a look", answer)?;
        if seen.task.result.as_deref() == Some(RESULT) {
            return Ok(());
        }
        Err(Trouble::Unexpected { call: "a look", body: String::from_utf8_lossy(answer).into_owned() })
    }
}

impl Alive for Client {
    async fn live(&mut self) -> Result<(), Trouble> {
        self.send().await?;
        let claimed = self.claim().await?;
        self.reply(&claimed).await?;
        self.see(&claimed).await
    }
}
