//! One client of the hub that lives a life in two requests: the sender waits for the end in its send, the worker's reply
//! claims the next task. Sender and worker have a connection each, because both wait.

use serde::Deserialize;
use serde_json::json;
use tokio::task::JoinHandle;

use super::{Alive, RESULT, TASK};
use crate::connection::Connection;
use crate::request::{self, Address, request};
use crate::tenant::{Agent, read};
use crate::trouble::Trouble;

/// As long as the hub lets a claim and a send wait.
const CLAIM_WAIT_SECONDS: u32 = 50;
const SEND_WAIT_SECONDS: u32 = 60;

/// A sender, and the worker that answers it for as long as this lives.
pub(super) struct Client {
    connection: Connection,
    send: Vec<u8>,
    worker: JoinHandle<Result<(), Trouble>>,
}

#[derive(Deserialize)]
struct Sent {
    ended: bool,
    task: Ended,
}

#[derive(Deserialize)]
struct Ended {
    result: Option<String>,
}

/// What a claim found; nothing when its wait was over.
#[derive(Deserialize)]
struct Claimed {
    task: Option<Task>,
    lease_id: Option<String>,
}

#[derive(Deserialize)]
struct Task {
    task_id: String,
}

#[derive(Deserialize)]
struct Replied {
    next: Option<Claimed>,
}

impl Client {
    pub(super) async fn open(address: &Address, sender: &Agent, worker: &Agent) -> Result<Self, Trouble> {
        let body = json!({"alias": worker.alias, "task": TASK, "wait_seconds": SEND_WAIT_SECONDS});
        let working = Worker {
            connection: Connection::open(address).await?,
            address: address.clone(),
            token: worker.token.clone(),
        };
        Ok(Self {
            connection: Connection::open(address).await?,
            send: request(address, "POST", "/api/task", Some(&sender.token), &body),
            worker: tokio::spawn(working.work()),
        })
    }
}

impl Alive for Client {
    async fn live(&mut self) -> Result<(), Trouble> {
        tokio::select! {
            answer = self.connection.call("a send", &self.send) => {
                let answer = answer?;
                let sent: Sent = read("a send", answer)?;
                if sent.ended && sent.task.result.as_deref() == Some(RESULT) {
                    return Ok(());
                }
                Err(Trouble::Unexpected { call: "a send", body: String::from_utf8_lossy(answer).into_owned() })
            }
            // A worker only ends by an error, which is why the sender's answer would never come.
            ended = &mut self.worker => match ended {
                Ok(Err(trouble)) => Err(trouble),
                Ok(Ok(())) | Err(_) => Err(Trouble::Unexpected { call: "a worker", body: "it ended".to_owned() }),
            },
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Its connection closes, and the hub forgets the claim that waits on it.
        self.worker.abort();
    }
}

struct Worker {
    connection: Connection,
    address: Address,
    token: String,
}

impl Worker {
    /// Answers whatever comes.
    async fn work(mut self) -> Result<(), Trouble> {
        let wait = json!({"wait_seconds": CLAIM_WAIT_SECONDS});
        let claim = request(&self.address, "POST", "/api/claim", Some(&self.token), &wait);
        let mut bytes = Vec::new();
        let mut claimed: Option<Claimed> = None;
        loop {
            let Some(Claimed { task: Some(task), lease_id: Some(lease_id) }) = claimed.take() else {
                claimed = Some(read("a claim", self.connection.call("a claim", &claim).await?)?);
                continue;
            };
            let path = format!("/api/tasks/{}/reply", task.task_id);
            let body = json!({"text": RESULT, "lease_id": lease_id, "claim_next": wait});
            request::write(&mut bytes, &self.address, "POST", &path, Some(&self.token), &body);
            let replied: Replied = read("a reply", self.connection.call("a reply", &bytes).await?)?;
            claimed = replied.next;
        }
    }
}
