//! Texts of other users are shown as text, even if they look like HTML.

use serde_json::json;

use super::script::drive;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, act, claim, send_with, succeed};
use crate::it::tool::call;

const SCRIPT: &str = r#"<img src=x onerror="window.ran=1"><script>window.ran=1;alert(1)</script>"#;

#[test]
fn script_in_a_tasks_text_its_result_a_name_or_a_skill_stays_text() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let worker = network.agent("worker");
    let path = format!("/api/networks/{}", network.network_id);
    succeed(&network.user.put(&path, &json!({"name": SCRIPT})));
    succeed(&network.user.put("/api/auth/me", &json!({"display_name": SCRIPT})));
    let body = json!({"alias": "worker", "task": SCRIPT, "context": SCRIPT});
    let ids: Vec<_> = (0..4).map(|_| send_with(&network.user, &body)).collect();
    succeed(&act(&worker, &ids[0], "reply", &json!({"text": SCRIPT})));
    succeed(&act(&worker, &ids[1], "reply", &json!({"text": SCRIPT, "status": "failed"})));
    succeed(&act(&network.user, &ids[2], "cancel", &json!({"reason": SCRIPT})));
    let lease = claim(&worker, 0, 3600)["lease_id"].clone();
    succeed(&act(&worker, &ids[3], "ask", &json!({"question": SCRIPT, "lease_id": lease})));
    let said = json!({
        "resume_id": "worker", "alias": "worker", "status": "working", "task": SCRIPT, "output": SCRIPT, "agent": SCRIPT,
        "model": SCRIPT, "hostname": SCRIPT, "version": SCRIPT, "description": SCRIPT,
        "skills": [{"id": "s", "name": SCRIPT, "description": SCRIPT, "tags": ["s"]}],
    });
    let reported = call(&worker, "report_status", &said);
    assert_eq!(reported["ok"], true, "{reported}");
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id, "tasks": ids,
        "script": SCRIPT,
    });
    drive("words.mjs", &given);
}
