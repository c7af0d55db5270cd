//! Proofs, checked where they are read.

use serde_json::json;

use super::script::drive;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, act, claim, send, succeed};

#[test]
fn proofs_are_checked_in_the_browser_and_a_changed_byte_is_told() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let worker = network.agent("worker");
    let task_id = send(&network.user, "worker", "to be proved");
    let lease = claim(&worker, 0, 60)["lease_id"].clone();
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "so", "lease_id": lease})));
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id, "task": task_id,
    });
    drive("evidence.mjs", &given);
}

#[test]
fn entries_lead_to_their_tasks_and_are_filtered_and_paged() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    for name in ["worker", "rare"] {
        network.agent(name);
    }
    let task_id = send(&network.user, "rare", "for the rare one");
    for n in 0..40 {
        send(&network.user, "worker", &format!("task {n}"));
    }
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id, "task": task_id,
        "events": 41,
    });
    drive("log.mjs", &given);
}
