//! The work graph.

use serde_json::json;

use super::script::drive;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, act, send, succeed};

#[test]
fn the_graph_shows_who_sent_tasks_to_whom_leads_to_them_and_claims_nothing_more() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (planner, coder) = (network.agent("planner"), network.agent("coder"));
    send(&network.user, "planner", "plan it");
    let ends = [Some("replied"), Some("replied"), Some("failed"), None];
    for end in ends {
        let task_id = send(&planner, "coder", "write it");
        if let Some(status) = end {
            succeed(&act(&coder, &task_id, "reply", &json!({"text": "so", "status": status})));
        }
    }
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token,
    });
    drive("graph.mjs", &given);
}
