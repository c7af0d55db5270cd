//! Remote agents under an alias: tasks go out over A2A, and what becomes of them there becomes of them here.

mod agent;
mod cancels;
mod ends;
mod keys;
mod outages;
mod questions;
mod reassigns;
mod registering;
mod tls;
mod words;
mod writes;

use serde_json::{Value, json};
use std::time::{Duration, Instant};

use super::history::assert_legal;
use super::http::Client;
use super::hub::{ADMIN, Hub, PASSWORD};
use super::tenant::{Tenant, events, task};

/// A hub that may call this machine.
fn hub() -> Hub {
    Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--allow-outbound", "127.0.0.0/8"])
}

/// Registers a remote agent as `scout`.
fn register(tenant: &Tenant, card_url: &str, credential: Option<&str>) -> Value {
    register_as(tenant, "scout", card_url, credential)
}

fn register_as(tenant: &Tenant, alias: &str, card_url: &str, credential: Option<&str>) -> Value {
    let body = json!({"alias": alias, "card_url": card_url, "credential": credential});
    let path = format!("/api/networks/{}/remotes", tenant.network_id);
    super::tenant::succeed(&tenant.user.post(&path, &body))
}

/// Waits until a task has this status; its row then, with a history that is legal.
fn wait_for_status(reader: &Client, task_id: &str, status: &str) -> Value {
    let deadline = Instant::now() + Duration::from_secs(40);
    loop {
        let row = task(reader, task_id);
        if row["status"] == status {
            assert_legal(&row, &events(reader, task_id));
            return row;
        }
        assert!(Instant::now() < deadline, "{row}");
        std::thread::yield_now();
    }
}
