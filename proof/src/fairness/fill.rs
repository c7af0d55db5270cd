//! Fills networks through the hub's own door, so that every row and every evidence event is what work leaves behind.

use serde::Deserialize;
use serde_json::json;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

use crate::failure::Failure;
use crate::request::{self, Address, request};
use crate::tenant::{Agent, read};
use crate::trouble::Trouble;
use crate::wire::{Answer, Route, Wire};

const CONNECTIONS: usize = 64;
/// A machine on which it takes longer gets fewer tasks, and the page says how many.
const FILL_MAX: Duration = Duration::from_secs(480);
const KEPT_BYTES: usize = 64 * 1024;
/// After a hub that has enough to do.
const PAUSE: Duration = Duration::from_millis(20);

/// Tasks to be made in one network.
#[derive(Clone)]
pub(super) struct Tasks {
    pub(super) count: usize,
    pub(super) text: String,
    pub(super) sender: Agent,
    pub(super) worker: Agent,
    /// Whether each is answered, as almost all of a network that has worked for long are.
    pub(super) are_answered: bool,
}

#[derive(Deserialize)]
struct Sent {
    task_id: String,
}

/// Makes the tasks; how many there are.
pub(super) async fn fill(address: &Address, tasks: &Tasks) -> Result<usize, Failure> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut filling = JoinSet::new();
    for _ in 0..CONNECTIONS.min(tasks.count) {
        let wire = Wire::new(Route::new(address, Ipv4Addr::LOCALHOST)?);
        filling.spawn(share(wire, address.clone(), tasks.clone(), Arc::clone(&next)));
    }
    let mut made = 0;
    while let Some(filled) = filling.join_next().await {
        made += filled.map_err(Failure::of("the generator"))??;
    }
    Ok(made)
}

/// One connection's share.
async fn share(
    mut wire: Wire,
    address: Address,
    tasks: Tasks,
    next: Arc<AtomicUsize>,
) -> Result<usize, Trouble> {
    let body = json!({"alias": tasks.worker.alias, "task": tasks.text, "ttl_seconds": 86_400});
    let send = request(&address, "POST", "/api/task", Some(&tasks.sender.token), &body);
    let answer = json!({"text": "Done: all figures are in one table."});
    let (mut reply, mut made) = (Vec::new(), 0);
    let begun = Instant::now();
    while next.fetch_add(1, Ordering::Relaxed) < tasks.count && begun.elapsed() < FILL_MAX {
        let sent: Sent = read("a send", &call(&mut wire, "a send", &send).await?.body)?;
        if tasks.are_answered {
            let path = format!("/api/tasks/{}/reply", sent.task_id);
            request::write(&mut reply, &address, "POST", &path, Some(&tasks.worker.token), &answer);
            call(&mut wire, "a reply", &reply).await?;
        }
        made += 1;
    }
    Ok(made)
}

/// Calls until it is neither too early nor too much for the hub.
async fn call(wire: &mut Wire, call: &'static str, bytes: &[u8]) -> Result<Answer, Trouble> {
    loop {
        let answer =
            wire.call(bytes, KEPT_BYTES).await.map_err(|error| Trouble::Connection { call, error })?;
        match answer.status {
            200..300 => return Ok(answer),
            429 | 503 => tokio::time::sleep(PAUSE).await,
            status => {
                let body = String::from_utf8_lossy(&answer.body).into_owned();
                return Err(Trouble::Refused { call, status, body });
            }
        }
    }
}
