//! What a node token reaches: its own alias and tasks; a coordinator every task of its network (section 2).

use serde_json::json;

use crate::it::hub::{Hub, PASSWORD};
use crate::it::tenant::{Tenant, act, events, refused, send, succeed, task};
use crate::it::tool::call;

#[test]
fn a_node_reaches_only_tasks_it_sent_or_was_given() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let [sender, worker, other] = ["sender", "worker", "other"].map(|alias| network.agent(alias));
    let task_id = send(&sender, "worker", "work");
    for party in [&sender, &worker] {
        assert_eq!(task(party, &task_id)["content"], "work");
        assert_eq!(events(party, &task_id).len(), 1);
    }
    refused(&other.get(&format!("/api/tasks/{task_id}")), 403, "permission_denied");
    let listed = succeed(&other.get("/api/tasks"));
    assert_eq!(listed["tasks"], json!([]), "{listed}");
    assert_eq!(succeed(&other.get("/api/task_events"))["events"], json!([]));
    for (action, body) in [("cancel", json!({})), ("reply", json!({"text": "x"})), ("ack", json!({}))] {
        refused(&act(&other, &task_id, action, &body), 403, "permission_denied");
    }
    // Its sender may cancel it, but not answer it.
    refused(&act(&sender, &task_id, "reply", &json!({"text": "x"})), 403, "permission_denied");
    succeed(&act(&sender, &task_id, "cancel", &json!({})));
}

#[test]
fn a_node_reads_and_acks_only_its_own_inbox() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (worker, other) = (network.agent("worker"), network.agent("other"));
    let task_id = send(&network.user, "worker", "work");
    let peek = call(&other, "get_inbox", &json!({"alias": "worker"}));
    assert_eq!(peek["error"], "permission_denied");
    let arguments = json!({"alias": "worker", "message_id": task_id});
    assert_eq!(call(&other, "ack_inbox", &arguments)["error"], "permission_denied");
    assert_eq!(call(&worker, "ack_inbox", &arguments), json!({"ok": true}));
    let again = call(&worker, "ack_inbox", &arguments);
    assert_eq!(again["error"], "message not found or already acknowledged");
    assert_eq!(task(&worker, &task_id)["status"], "acked");
}

#[test]
fn a_coordinator_reads_cancels_retries_and_reassigns_every_task_but_answers_none() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let coordinator = network.coordinator("lead");
    let (sender, _worker, _other) =
        (network.agent("sender"), network.agent("worker"), network.agent("other"));
    let task_id = send(&sender, "worker", "work");
    assert_eq!(task(&coordinator, &task_id)["content"], "work");
    refused(&act(&coordinator, &task_id, "reply", &json!({"text": "x"})), 403, "permission_denied");
    let moved = succeed(&act(&coordinator, &task_id, "reassign", &json!({"new_alias": "other"})));
    assert_eq!((&moved["reassigned_from"], &moved["reassigned_to"]), (&json!("worker"), &json!("other")));
    succeed(&act(&coordinator, &task_id, "cancel", &json!({})));
    succeed(&act(&coordinator, &task_id, "retry", &json!({})));
}

#[test]
fn a_coordinator_token_is_minted_only_by_an_owner_or_admin() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (member, _) = hub.register("bob");
    network.admit(&member, "member");
    let body = json!({"network_id": network.network_id, "node_name": "lead", "scope": "coordinator"});
    refused(&member.post("/api/auth/node-token", &body), 403, "permission_denied");
    succeed(&network.user.post("/api/auth/node-token", &body));
}

#[test]
fn node_tokens_never_write_accounts() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let agent = network.coordinator("lead");
    let network_id = &network.network_id;
    let posts = [
        (
            "/api/auth/password".to_owned(),
            json!({"old_password": PASSWORD, "new_password": "another-password"}),
        ),
        ("/api/auth/node-token".to_owned(), json!({"network_id": network_id, "node_name": "x"})),
        ("/api/networks".to_owned(), json!({"name": "x"})),
        (format!("/api/networks/{network_id}/invite"), json!({"role": "viewer", "max_uses": 1})),
        ("/api/networks/join".to_owned(), json!({"invite_code": "inv_00000000000000000000000000000000"})),
    ];
    for (path, body) in posts {
        refused(&agent.post(&path, &body), 403, "user_token_required");
    }
    refused(&agent.delete(&format!("/api/networks/{network_id}")), 403, "user_token_required");
    let rename = agent.put(&format!("/api/networks/{network_id}"), &json!({"name": "x"}));
    refused(&rename, 403, "user_token_required");
}

#[test]
fn a_user_token_that_names_no_network_acts_on_no_task_by_tool() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    network.agent("worker");
    let task_id = send(&network.user, "worker", "work");
    let calls = [
        ("cancel_task", json!({"task_id": task_id})),
        ("retry_task", json!({"task_id": task_id})),
        ("reassign_task", json!({"task_id": task_id, "new_alias": "worker"})),
        ("send_reply", json!({"in_reply_to": task_id, "text": "x"})),
        ("send_ack", json!({"task_id": task_id})),
        ("ack_inbox", json!({"alias": "alice", "message_id": task_id})),
    ];
    for (tool, arguments) in calls {
        let answer = call(&network.user, tool, &arguments);
        assert_eq!(answer["error"], "permission_denied", "{tool}: {answer}");
        assert!(answer["message"].to_string().contains("network_id"), "{tool}: {answer}");
    }
    assert_eq!(task(&network.user, &task_id)["status"], "delivered");
}

#[test]
fn a_user_of_several_networks_has_to_name_one_to_send() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    network.agent("worker");
    send(&network.user, "worker", "one network needs no name");
    succeed(&network.user.post("/api/networks", &json!({"name": "a second"})));
    let answer = network.user.post("/api/task", &json!({"alias": "worker", "task": "x"}));
    refused(&answer, 400, "network_id_required");
}
