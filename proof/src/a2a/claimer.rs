//! The agent behind the hub: it claims whatever comes and answers at once, over REST, as any worker would.

use serde::Deserialize;
use serde_json::json;
use std::future::pending;
use tokio::task::JoinSet;

use crate::connection::Connection;
use crate::request::{self, Address, request};
use crate::tenant::{Agent, read};
use crate::trouble::Trouble;

/// As long as the hub lets a claim wait.
const WAIT_SECONDS: u32 = 50;

/// Some claims at the same time, of one agent; they end with this.
pub(super) struct Claimers(JoinSet<Trouble>);

#[derive(Deserialize)]
struct Claimed {
    task: Option<ClaimedTask>,
    lease_id: Option<String>,
}

#[derive(Deserialize)]
struct ClaimedTask {
    task_id: String,
    content: String,
}

impl Claimers {
    pub(super) async fn start(address: &Address, agent: &Agent, count: usize) -> Result<Self, Trouble> {
        let mut claimers = JoinSet::new();
        for _ in 0..count {
            let connection = Connection::open(address).await?;
            claimers.spawn(work(address.clone(), agent.clone(), connection));
        }
        Ok(Self(claimers))
    }

    /// Waits for the first of them that cannot continue.
    pub(super) async fn fail(&mut self) -> Trouble {
        match self.0.join_next().await {
            Some(Ok(trouble)) => trouble,
            // Nothing in a claimer panics, and nobody aborts it.
            _ => pending().await,
        }
    }
}

async fn work(address: Address, agent: Agent, mut connection: Connection) -> Trouble {
    let claim =
        request(&address, "POST", "/api/claim", Some(&agent.token), &json!({"wait_seconds": WAIT_SECONDS}));
    let mut reply = Vec::new();
    loop {
        if let Err(trouble) = answer_next(&address, &agent, &mut connection, &claim, &mut reply).await {
            return trouble;
        }
    }
}

async fn answer_next(
    address: &Address,
    agent: &Agent,
    connection: &mut Connection,
    claim: &[u8],
    reply: &mut Vec<u8>,
) -> Result<(), Trouble> {
    let claimed: Claimed = read("a claim", connection.call("a claim", claim).await?)?;
    let Some(task) = claimed.task else { return Ok(()) };
    let path = format!("/api/tasks/{}/reply", task.task_id);
    let text = task.content.strip_prefix("say ").unwrap_or(&task.content);
    let body = json!({"text": text, "lease_id": claimed.lease_id});
    request::write(reply, address, "POST", &path, Some(&agent.token), &body);
    connection.call("a reply", reply).await.map(|_| ())
}
