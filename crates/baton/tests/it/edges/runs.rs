//! What a sender allows the runs of a task: how many, how far apart, and how long each.

use serde_json::{Value, json};

use crate::it::hub::Hub;
use crate::it::tenant::{
    Tenant, act, claim, events, inbox_task_ids, refused, send_with, succeed, task, text,
};
use crate::it::tool;

fn body(tenant: &Tenant, terms: &Value) -> Value {
    let mut body = json!({"alias": "worker", "task": "x", "network_id": tenant.network_id});
    body.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
    body
}

/// The task as it is once something has happened to it after this event.
fn after(tenant: &Tenant, id: &str, event: u32) -> Value {
    let path = format!("/api/tasks/{id}?wait_seconds=60&after={event}");
    succeed(&tenant.user.get(&path))["task"].clone()
}

#[test]
fn a_run_past_its_time_fails_with_run_timeout_and_its_worker_has_lost_the_lease() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let id = send_with(&tenant.user, &body(&tenant, &json!({"run_timeout_seconds": 1})));
    assert_eq!(task(&tenant.user, &id)["run_timeout_seconds"], 1);
    let lease = text(&claim(&worker, 0, 600)["lease_id"]);
    let ended = after(&tenant, &id, 2);
    assert_eq!((&ended["status"], &ended["result"]), (&json!("failed"), &json!("run_timeout")));
    let last = events(&tenant.user, &id).pop().unwrap();
    assert_eq!((&last["actor"], &last["detail"]), (&json!("hub"), &json!("run_timeout")));
    refused(&worker.post(&format!("/api/leases/{lease}/extend"), &json!({})), 409, "lease_lost");
    let inbox = succeed(&tenant.user.get("/api/inbox"));
    assert_eq!(inbox["messages"][0]["content"], "run_timeout", "its sender has it as the reply");
}

#[test]
fn a_task_that_waits_for_input_does_not_time_out_and_has_its_whole_time_after_the_answer() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let slow = send_with(&tenant.user, &body(&tenant, &json!({"run_timeout_seconds": 1})));
    let lease = claim(&worker, 0, 600)["lease_id"].clone();
    succeed(&act(&worker, &slow, "ask", &json!({"question": "?", "lease_id": lease, "keep_lease": true})));
    // Another one that times out meanwhile shows that its time has passed.
    let other = send_with(&tenant.user, &body(&tenant, &json!({"run_timeout_seconds": 1})));
    claim(&worker, 0, 600);
    assert_eq!(after(&tenant, &other, 2)["status"], "failed");
    assert_eq!(task(&tenant.user, &slow)["status"], "waiting_input");
    succeed(&act(&tenant.user, &slow, "answer", &json!({"text": "!"})));
    assert_eq!(after(&tenant, &slow, 4)["result"], "run_timeout");
}

#[test]
fn a_lapsed_task_is_delivered_again_only_when_its_pause_is_over_also_over_a_killed_hub() {
    let mut hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let terms = json!({"retry_backoff_seconds": 3, "max_attempts": 2});
    let id = send_with(&tenant.user, &body(&tenant, &terms));
    claim(&worker, 0, 5);
    let lapsed = after(&tenant, &id, 2);
    assert_eq!((&lapsed["status"], &lapsed["attempt"]), (&json!("delivered"), &json!(2)));
    assert_eq!((&lapsed["max_attempts"], &lapsed["retry_backoff_seconds"]), (&json!(2), &json!(3)));
    assert_eq!(inbox_task_ids(&worker), [""; 0], "it pauses");
    assert_eq!(claim(&worker, 0, 5)["task"], Value::Null);
    hub.kill9();
    hub.restart();
    // A claim that waits gets it when the pause is over.
    let claimed = claim(&worker, 40, 5);
    assert_eq!(claimed["task"]["task_id"], json!(id));
    assert_eq!(after(&tenant, &id, 4)["result"], "lease expired after 2 attempts");
}

#[test]
fn a_pausing_task_can_be_reassigned_and_is_then_delivered_at_once() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let (worker, other) = (tenant.agent("worker"), tenant.agent("other"));
    let id = send_with(&tenant.user, &body(&tenant, &json!({"retry_backoff_seconds": 3600})));
    claim(&worker, 0, 5);
    assert_eq!(after(&tenant, &id, 2)["status"], "delivered");
    succeed(&act(&tenant.user, &id, "reassign", &json!({"new_alias": "other"})));
    assert_eq!(claim(&other, 0, 5)["task"]["task_id"], json!(id));
}

#[test]
fn terms_out_of_bounds_are_refused_and_a_retry_keeps_them() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    for (field, wrong) in [
        ("max_attempts", [0, 11]),
        ("retry_backoff_seconds", [-1, 3_601]),
        ("run_timeout_seconds", [0, 86_401]),
    ] {
        for value in wrong {
            let body = body(&tenant, &json!({field: value}));
            let why = refused(&tenant.user.post("/api/task", &body), 400, "invalid input");
            assert!(text(&why["message"]).contains(field), "{why}");
        }
    }
    let terms = json!({"max_attempts": 1, "retry_backoff_seconds": 7, "run_timeout_seconds": 9});
    let id = text(&tool::call(&tenant.user, "send_task", &body(&tenant, &terms))["task_id"]);
    succeed(&act(&worker, &id, "reply", &json!({"text": "no", "status": "failed"})));
    let again = text(&succeed(&act(&tenant.user, &id, "retry", &json!({})))["retried_to"]);
    let row = task(&tenant.user, &again);
    for (field, value) in terms.as_object().unwrap() {
        assert_eq!(&row[field], value);
    }
}

#[test]
fn a_key_with_other_terms_is_another_send() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let keyed = |terms: Value| {
        let mut body = body(&tenant, &terms);
        body["idempotency_key"] = json!("k");
        tenant.user.post("/api/task", &body)
    };
    let first = succeed(&keyed(json!({"max_attempts": 5})))["task_id"].clone();
    assert_eq!(succeed(&keyed(json!({"max_attempts": 5})))["task_id"], first);
    assert_eq!(keyed(json!({"max_attempts": 6})).status, 409);
}
