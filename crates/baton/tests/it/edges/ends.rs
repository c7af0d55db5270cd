//! The ends of a task: final, each with its delivery acked; retry makes a new task (sections 4 and 6).

use serde_json::{Value, json};

use crate::it::history::assert_legal;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, events, inbox_task_ids, refused, send, succeed, task, text};
use crate::it::tool::call;

#[test]
fn every_end_acks_every_open_delivery() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let ends: [(&str, Value); 4] = [
        ("reply", json!({"text": "done"})),
        ("reply", json!({"text": "broken", "status": "failed"})),
        ("reply", json!({"text": "no", "status": "cancelled"})),
        ("cancel", json!({"reason": "no"})),
    ];
    for (action, body) in ends {
        let task_id = send(&network.user, "worker", "work");
        assert_eq!(inbox_task_ids(&worker), std::slice::from_ref(&task_id));
        succeed(&act(&worker, &task_id, action, &body));
        assert!(inbox_task_ids(&worker).is_empty(), "after {action} {body}");
        assert_eq!(claim(&worker, 0, 60)["task"], Value::Null);
        let acked = call(&worker, "ack_inbox", &json!({"alias": "worker", "message_id": task_id}));
        assert_eq!(acked["error"], "message not found or already acknowledged");
    }
    let completed = send(&network.user, "worker", "work");
    let completion = json!({"alias": "worker", "task": completed, "result": "done"});
    assert_eq!(call(&worker, "report_completion", &completion)["task_id"], json!(completed));
    assert!(inbox_task_ids(&worker).is_empty());
}

#[test]
fn a_finished_task_refuses_everything_and_stays_as_it_is() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (worker, _other) = (network.agent("worker"), network.agent("other"));
    let task_id = send(&network.user, "worker", "work");
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    let before = (task(&worker, &task_id), events(&worker, &task_id));
    let reply = act(&worker, &task_id, "reply", &json!({"text": "more"}));
    assert_eq!(refused(&reply, 409, "reply_task_terminal")["task_status"], "replied");
    let cancel = act(&worker, &task_id, "cancel", &json!({}));
    let said = json!({"ok": false, "task_id": task_id, "cancelled": false});
    assert_eq!((cancel.status, cancel.json()), (409, said));
    refused(&act(&worker, &task_id, "retry", &json!({})), 409, "task status is replied, not retryable");
    let reassign = act(&worker, &task_id, "reassign", &json!({"new_alias": "other"}));
    refused(&reassign, 409, "task is terminal (replied)");
    assert_eq!((task(&worker, &task_id), events(&worker, &task_id)), before);
}

#[test]
fn a_second_retry_gives_the_first_ones_new_task_and_the_old_stays() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let task_id = send(&sender, "worker", "work");
    refused(&act(&sender, &task_id, "retry", &json!({})), 409, "task status is delivered, not retryable");
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "broken", "status": "failed"})));
    let before = task(&sender, &task_id);
    let first = succeed(&act(&sender, &task_id, "retry", &json!({})));
    let second = call(&sender, "retry_task", &json!({"task_id": task_id}));
    assert_eq!(first, second);
    assert_eq!((&first["retry_of"], &first["retried_to"]), (&json!(task_id), &first["task_id"]));
    assert_eq!(task(&sender, &task_id), before);
    let new = task(&sender, &text(&first["task_id"]));
    assert_eq!((&new["status"], &new["retry_of"]), (&json!("delivered"), &json!(task_id)));
    assert_eq!((&new["from_name"], &new["content"]), (&json!("sender"), &json!("work")));
    assert_eq!(inbox_task_ids(&worker), [text(&first["task_id"])]);
}

#[test]
fn a_reassigned_task_leaves_one_inbox_for_the_other() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (worker, other) = (network.agent("worker"), network.agent("other"));
    let task_id = send(&network.user, "worker", "work");
    let lease = text(&claim(&worker, 0, 60)["lease_id"]);
    succeed(&act(&network.user, &task_id, "reassign", &json!({"new_alias": "other"})));
    assert!(inbox_task_ids(&worker).is_empty());
    assert_eq!(inbox_task_ids(&other), std::slice::from_ref(&task_id));
    refused(&worker.post(&format!("/api/leases/{lease}/extend"), &json!({})), 409, "lease_lost");
    refused(&act(&worker, &task_id, "reply", &json!({"text": "x"})), 403, "permission_denied");
    succeed(&act(&other, &task_id, "reply", &json!({"text": "done"})));
    assert_legal(&task(&network.user, &task_id), &events(&network.user, &task_id));
}

#[test]
fn a_parent_of_another_network_is_refused_and_a_childs_end_leaves_its_parent_alone() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (worker, helper) = (network.agent("worker"), network.agent("helper"));
    let stranger = Tenant::register(&hub, "bob");
    stranger.agent("worker");
    let parent = send(&network.user, "worker", "work");
    let body = json!({"alias": "worker", "task": "x", "parent_task_id": parent});
    refused(&stranger.user.post("/api/task", &body), 400, "cross_network_parent");
    let body = json!({"alias": "helper", "task": "part", "parent_task_id": parent});
    let child = text(&succeed(&worker.post("/api/task", &body))["task_id"]);
    let before = task(&worker, &parent);
    succeed(&act(&helper, &child, "reply", &json!({"text": "done"})));
    assert_eq!(task(&worker, &parent), before);
    assert_eq!(task(&worker, &child)["kind"], "delegation");
}

#[test]
fn a_delegation_goes_only_from_a_node_to_another() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let body = json!({"alias": "worker", "task": "x", "kind": "delegation"});
    for sender in [&network.user, &worker] {
        refused(&sender.post("/api/task", &body), 400, "invalid input");
    }
}
