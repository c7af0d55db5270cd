//! The Agents page.

use serde_json::json;

use super::script::drive_with;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, act, claim, send, succeed, text};

#[test]
fn the_agents_page_lists_agents_that_only_claim_and_follows_what_they_do() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (claims, works) = (network.agent("claims"), network.agent("works"));
    for (id, host) in [("w1", "first-machine"), ("w2", "second-machine")] {
        let body = json!({"hostname": host, "concurrency": 2, "description": "Writes code"});
        succeed(&works.put(&format!("/api/workers/{id}"), &body));
    }
    for status in ["replied", "failed"] {
        send(&network.user, "claims", "ended");
        let held = claim(&claims, 0, 600);
        let body = json!({"text": "x", "status": status, "lease_id": held["lease_id"]});
        succeed(&act(&claims, &text(&held["task"]["task_id"]), "reply", &body));
    }
    send(&network.user, "claims", "the task in work");
    send(&network.user, "claims", "waits");
    let held = claim(&claims, 0, 600);
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
    });
    drive_with("agents.mjs", &given, |_| {
        let body = json!({"text": "done", "lease_id": held["lease_id"]});
        succeed(&act(&claims, &text(&held["task"]["task_id"]), "reply", &body));
    });
}
