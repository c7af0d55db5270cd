//! Durable sends: every connection sends one task after the other, each answered once it is on the disk.

use serde_json::json;
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::request::{Address, request};
use super::tally::{Tally, together};
use super::tenant::{Agent, Tenant};
use super::trouble::Trouble;

/// What a task of the run says: about as much as a real one.
const TASK: &str = "Read the three reports in the folder of last week, take out every figure about latency, put them \
    into one table with the machine, the date and the number of connections, and say in two sentences which of them \
    disagree and why you think so. Leave out the runs that were stopped early.";

/// The bytes of a send to an agent.
pub(super) fn task_to(address: &Address, sender: &Agent, alias: &str) -> Vec<u8> {
    request(address, "POST", "/api/task", Some(&sender.token), &json!({"alias": alias, "task": TASK}))
}

/// Sends to as many aliases as there are connections.
pub(super) async fn measure(
    address: &Address,
    tenant: &mut Tenant,
    connections: usize,
    length: Duration,
) -> Result<Tally, Trouble> {
    let sender = tenant.mint("bench-send-sender".into()).await?;
    let workers = tenant.agents("send", connections).await?;
    let mut senders = Vec::with_capacity(connections);
    for worker in &workers {
        let connection = Connection::open(address).await?;
        senders.push(send(connection, task_to(address, &sender, &worker.alias), length));
    }
    Ok(together(senders).await)
}

async fn send(mut connection: Connection, request: Vec<u8>, length: Duration) -> Tally {
    let mut tally = Tally::default();
    let started = Instant::now();
    while started.elapsed() < length {
        let begun = Instant::now();
        let sent = connection.call("a send", &request).await.map(|_| begun.elapsed());
        if tally.note(sent).is_break() {
            break;
        }
    }
    tally
}
