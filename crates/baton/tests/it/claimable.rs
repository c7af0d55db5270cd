//! What holds after any fault: every task that is open can be claimed by its agent, or comes to an end by itself.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::http::Client;
use super::tenant::{Tenant, succeed, text};

/// Longer than any lease that is still held, and what the hub needs to hand out all that is open.
const PATIENCE: Duration = Duration::from_secs(90);

/// The agent takes all tasks to it that nobody has ended. What others hold comes back when its lease lapses.
pub(crate) fn every_open_task_can_be_claimed(network: &Tenant, alias: &str, agent: &Client) {
    let deadline = Instant::now() + PATIENCE;
    let mut taken = BTreeSet::new();
    loop {
        let open = open_tasks(network, alias);
        let left: Vec<_> = open.difference(&taken).collect();
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "these tasks of {alias} cannot be claimed: {left:?}");
        let body = json!({"wait_seconds": 2, "lease_seconds": 600, "max": 32});
        let claimed = succeed(&agent.post("/api/claim", &body));
        for held in claimed["tasks"].as_array().unwrap() {
            let id = text(&held["task"]["task_id"]);
            assert!(taken.insert(id), "it was claimed before, and its lease still runs: {held}");
        }
    }
}

/// The ids of the tasks that wait for the agent, or that somebody holds.
fn open_tasks(network: &Tenant, alias: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for status in ["delivered", "running"] {
        let mut cursor = String::new();
        loop {
            let of = format!("network_id={}&to_name={alias}&status={status}", network.network_id);
            let page = succeed(&network.user.get(&format!("/api/tasks?{of}&limit=200{cursor}")));
            ids.extend(page["tasks"].as_array().unwrap().iter().map(|row| text(&row["task_id"])));
            match &page["next_cursor"] {
                Value::String(next) => cursor = format!("&cursor={next}"),
                _ => break,
            }
        }
    }
    ids
}
