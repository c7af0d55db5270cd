//! Direct handoff: waiting sends and looks, several tasks in one call, and claims that wait in the writer. Through the
//! real binary, over REST and MCP.

mod access;
mod arguments;
mod claims;
mod hang_ups;
mod replies;
mod sends;
mod stops;

use serde_json::{Value, json};
use std::thread::JoinHandle;

use super::http::Client;
use super::hub::Hub;
use super::tenant::{Tenant, act, claim, succeed};
use super::work::worker::eventually;

/// A hub, its admin's network, and an agent there.
fn stage() -> (Hub, Tenant, Client) {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let worker = tenant.agent("worker");
    (hub, tenant, worker)
}

/// A figure of the hub.
pub(super) fn figure(admin: &Client, name: &str) -> f64 {
    let page = admin.get("/metrics").text();
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
    line.unwrap_or_else(|| panic!("no {name} in {page}")).parse().unwrap()
}

/// Waits until so many claims are parked.
pub(super) fn parked(admin: &Client, count: usize) {
    eventually("the parked claims", || (figure(admin, "baton_claims_waiting") == count as f64).then_some(()));
}

/// Waits until so many calls wait for a task.
pub(super) fn waiting(admin: &Client, count: usize) {
    eventually("the waiting calls", || (figure(admin, "baton_a2a_waits") == count as f64).then_some(()));
}

/// Calls in a thread of its own.
fn meanwhile<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    std::thread::spawn(call)
}

/// Sends a task and waits for its end in the same call.
fn send_and_wait(from: &Client, task: &str) -> JoinHandle<Value> {
    let (from, body) = (from.clone(), json!({"alias": "worker", "task": task, "wait_seconds": 60}));
    meanwhile(move || succeed(&from.post("/api/task", &body)))
}

/// Takes the next task and replies to it.
fn work_off(worker: &Client, text: &str) -> Value {
    let held = claim(worker, 50, 60);
    let id = held["task"]["task_id"].as_str().unwrap();
    succeed(&act(worker, id, "reply", &json!({"text": text, "lease_id": held["lease_id"]})));
    held
}
