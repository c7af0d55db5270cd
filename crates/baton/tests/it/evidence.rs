//! The hub's own evidence, over the wire: what each operation leaves in the log, who may read it, and how packets of
//! other systems get in.

mod operations;
mod reading;
mod reported;
mod retired_phrases;
pub(crate) mod storage;
mod words;

use serde_json::{Value, json};
use std::time::{Duration, Instant};

use super::http::Client;
use super::tenant::succeed;

/// A network's log, all of it.
fn log(reader: &Client, network_id: &str) -> Vec<Value> {
    let answer = succeed(&reader.get(&format!("/api/evidence?network_id={network_id}&limit=1000")));
    answer["events"].as_array().unwrap().clone()
}

/// The events about one task.
fn of_task(reader: &Client, task_id: &str) -> Vec<Value> {
    let answer = succeed(&reader.get(&format!("/api/evidence?task_id={task_id}&limit=1000")));
    answer["events"].as_array().unwrap().clone()
}

/// The freeze's object where nothing is visible.
fn no_handoff() -> Value {
    json!({"visible": false, "source_kind": "unknown", "task_ref_visible": false, "message_ref_visible": false})
}

/// The freeze's object of a typed delegation with both references.
fn visible_handoff() -> Value {
    json!({"visible": true, "source_kind": "typed_payload", "task_ref_visible": true, "message_ref_visible": true})
}

/// The size in the newest checkpoint.
fn sealed_size(reader: &Client, network_id: &str) -> u64 {
    let answer = reader.get(&format!("/api/evidence/checkpoint?network_id={network_id}"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text().lines().nth(1).unwrap().parse().unwrap()
}

/// Asks until the checkpoint covers this much.
fn wait_for_seal(reader: &Client, network_id: &str, size: u64) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while sealed_size(reader, network_id) < size {
        assert!(Instant::now() < deadline, "no checkpoint covers {size} events");
        std::thread::yield_now();
    }
}
