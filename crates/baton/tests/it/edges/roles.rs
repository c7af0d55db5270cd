//! Roles in a network: what a viewer may, what each may grant, what removal ends (section 2).

use serde_json::json;

use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, refused, send, succeed, task, text};
use crate::it::tool::call;

/// A network with a member of each role below its owner.
fn staffed(hub: &Hub) -> (Tenant, [(Client, String); 3]) {
    let network = Tenant::register(hub, "owner");
    let staff = ["admin", "member", "viewer"].map(|role| {
        let (user, registered) = hub.register(&format!("the-{role}"));
        network.admit(&user, role);
        (user, text(&registered["user"]["user_id"]))
    });
    (network, staff)
}

#[test]
fn a_viewer_reads_everything_and_writes_nothing() {
    let hub = Hub::start();
    let (network, [_, _, (viewer, _)]) = staffed(&hub);
    network.agent("worker");
    let task_id = send(&network.user, "worker", "work");
    let network_id = &network.network_id;
    for reads in ["tasks", "task_events", "status", "messages", "completions", "stats"] {
        succeed(&viewer.get(&format!("/api/{reads}?network_id={network_id}")));
    }
    assert_eq!(task(&viewer, &task_id)["content"], "work");
    let body = json!({"alias": "worker", "task": "x", "network_id": network_id});
    refused(&viewer.post("/api/task", &body), 403, "permission_denied");
    let body = json!({"message": "x", "network_id": network_id});
    refused(&viewer.post("/api/broadcast", &body), 403, "permission_denied");
    let body = json!({"network_id": network_id, "node_name": "x"});
    refused(&viewer.post("/api/auth/node-token", &body), 403, "no write access to this network");
    let acts = [
        ("cancel", json!({})),
        ("retry", json!({})),
        ("reassign", json!({"new_alias": "worker"})),
        ("reply", json!({"text": "x"})),
    ];
    for (action, body) in acts {
        refused(&act(&viewer, &task_id, action, &body), 403, "permission_denied");
    }
    let cancel = call(&viewer, "cancel_task", &json!({"task_id": task_id, "network_id": network_id}));
    assert_eq!(cancel["error"], "permission_denied");
    assert_eq!(task(&viewer, &task_id)["status"], "delivered");
}

#[test]
fn roles_are_granted_only_below_ones_own() {
    let hub = Hub::start();
    let (network, [(admin, admin_id), (member, member_id), _]) = staffed(&hub);
    let invite = format!("/api/networks/{}/invite", network.network_id);
    let ask = |role: &str| json!({"role": role, "max_uses": 1});
    succeed(&network.user.post(&invite, &ask("admin")));
    refused(&admin.post(&invite, &ask("admin")), 403, "permission_denied");
    succeed(&admin.post(&invite, &ask("member")));
    refused(&member.post(&invite, &ask("viewer")), 403, "permission_denied");
    assert!(network.user.post(&invite, &ask("owner")).status >= 400);

    let members = format!("/api/networks/{}/members", network.network_id);
    let member_path = format!("{members}/{member_id}");
    refused(&admin.put(&member_path, &json!({"role": "viewer"})), 403, "permission_denied");
    succeed(&network.user.put(&member_path, &json!({"role": "viewer"})));
    succeed(&admin.delete(&member_path));
    assert!(network.user.put(&format!("{members}/{admin_id}"), &json!({"role": "owner"})).status >= 400);
}

#[test]
fn an_invite_never_changes_a_members_role() {
    let hub = Hub::start();
    let (network, [(admin, _), ..]) = staffed(&hub);
    let path = format!("/api/networks/{}/invite", network.network_id);
    let invite = succeed(&network.user.post(&path, &json!({"role": "viewer", "max_uses": 1})));
    admin.post("/api/networks/join", &json!({"invite_code": invite["invite_code"]}));
    let members = succeed(&network.user.get(&format!("/api/networks/{}/members", network.network_id)));
    let roles: Vec<_> = members["members"].as_array().unwrap().iter().map(|row| text(&row["role"])).collect();
    assert_eq!(roles.iter().filter(|role| *role == "admin").count(), 1, "{members}");
}

#[test]
fn removing_a_member_ends_that_members_tokens_for_the_network_at_once() {
    let hub = Hub::start();
    let (network, [_, (member, member_id), _]) = staffed(&hub);
    let body = json!({"network_id": network.network_id, "node_name": "worker"});
    let minted = succeed(&member.post("/api/auth/node-token", &body));
    let worker = member.with_token(minted["token"].as_str().unwrap());
    succeed(&worker.get("/api/inbox"));
    succeed(&network.user.delete(&format!("/api/networks/{}/members/{member_id}", network.network_id)));
    refused(&worker.get("/api/inbox"), 401, "unauthorized");
    refused(&member.get(&format!("/api/networks/{}", network.network_id)), 404, "network not found");
}

#[test]
fn a_system_admin_cancels_in_any_network_by_naming_it_and_by_path() {
    let hub = Hub::start();
    let (network, admin) = (Tenant::register(&hub, "alice"), hub.admin());
    network.agent("worker");
    let (by_name, by_path) = (send(&network.user, "worker", "one"), send(&network.user, "worker", "two"));
    let unnamed = call(&admin, "cancel_task", &json!({"task_id": by_name}));
    assert_eq!(unnamed["error"], "permission_denied");
    assert!(text(&unnamed["message"]).contains("network_id"), "{unnamed}");
    let arguments = json!({"task_id": by_name, "network_id": network.network_id});
    assert_eq!(call(&admin, "cancel_task", &arguments)["cancelled"], true);
    succeed(&act(&admin, &by_path, "cancel", &json!({})));
    for task_id in [by_name, by_path] {
        let row = task(&network.user, &task_id);
        assert_eq!((&row["status"], &row["result"]), (&json!("cancelled"), &json!("cancelled by admin")));
    }
    let audit = succeed(&admin.get("/api/audit-log"));
    assert!(audit.to_string().contains(&network.network_id), "the admin's visit is audited: {audit}");
}

#[test]
fn a_system_admins_look_into_an_inbox_or_a_session_of_others_is_audited() {
    let hub = Hub::start();
    let (network, admin) = (Tenant::register(&hub, "alice"), hub.admin());
    network.agent("worker");
    send(&network.user, "worker", "secret");
    for (tool, what) in [("get_inbox", "inbox"), ("get_session_status", "session")] {
        let arguments = json!({"alias": "worker", "network_id": network.network_id});
        assert_eq!(call(&admin, tool, &arguments)["ok"], true);
        let audit = succeed(&admin.get("/api/audit-log"));
        let is_read =
            |entry: &serde_json::Value| entry["action"] == "network.read" && entry["detail"] == what;
        assert!(audit["entries"].as_array().unwrap().iter().any(is_read), "{tool}: {audit}");
        let missing = json!({"alias": "worker", "network_id": "net_000000000001"});
        assert_eq!(call(&admin, tool, &missing)["error"], "network not found");
    }
}

#[test]
fn a_network_id_of_another_form_is_one_that_does_not_exist() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    for network_id in ["nonsense", "net_zz", "net_0123456789ab"] {
        let body = json!({"alias": "worker", "task": "x", "network_id": network_id});
        refused(&network.user.post("/api/task", &body), 403, "access denied to requested network");
        refused(&worker.post("/api/task", &body), 403, "permission_denied");
        let cancelled =
            call(&network.user, "cancel_task", &json!({"task_id": "x", "network_id": network_id}));
        assert_eq!(cancelled, json!({"ok": false, "task_id": "x", "cancelled": false}));
    }
}
