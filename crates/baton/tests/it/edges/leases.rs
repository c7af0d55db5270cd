//! Leases: stale ones, lapse and redelivery, and how a worker learns of a cancel (section 4).

use serde_json::{Value, json};

use crate::it::history::assert_legal;
use crate::it::hub::Hub;
use crate::it::tenant::{
    LongestWait, Tenant, act, claim, events, inbox_task_ids, refused, send, succeed, task, text,
};
use crate::it::tool::call;

#[test]
fn a_lapsed_lease_gives_the_task_to_the_next_claim_and_the_old_lease_is_stale() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let task_id = send(&network.user, "worker", "work");
    let first = claim(&worker, 0, 5);
    assert_eq!((&first["task"]["task_id"], &first["task"]["attempt"]), (&json!(task_id), &json!(1)));
    assert!(inbox_task_ids(&worker).is_empty(), "a claimed task is hidden");
    assert_eq!(claim(&worker, 0, 5)["task"], Value::Null);

    // The worker falls silent; another claim of the same alias waits and gets the task when the lease lapses.
    let second = claim(&worker, 50, 60);
    assert_eq!((&second["task"]["task_id"], &second["task"]["attempt"]), (&json!(task_id), &json!(2)));
    assert_ne!(first["lease_id"], second["lease_id"]);

    let stale = json!({"text": "late", "lease_id": first["lease_id"]});
    refused(&act(&worker, &task_id, "reply", &stale), 409, "lease_lost");
    let extend = format!("/api/leases/{}/extend", text(&first["lease_id"]));
    refused(&worker.post(&extend, &json!({})), 409, "lease_lost");
    assert_eq!(task(&worker, &task_id)["status"], "running");
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done", "lease_id": second["lease_id"]})));

    let (row, events) = (task(&network.user, &task_id), events(&network.user, &task_id));
    assert_legal(&row, &events);
    let steps: Vec<_> = events.iter().map(|event| text(&event["to_status"])).collect();
    assert_eq!(steps, ["delivered", "running", "delivered", "running", "replied"]);
    assert_eq!(events[2]["actor"], "hub");
}

#[test]
fn a_worker_learns_of_a_cancel_when_it_extends() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let task_id = send(&network.user, "worker", "work");
    let lease_id = claim(&worker, 0, 60)["lease_id"].clone();
    let extended = call(&worker, "extend_lease", &json!({"lease_id": lease_id, "progress": 40}));
    assert!(extended["lease_expires_at"].is_string(), "{extended}");
    succeed(&act(&network.user, &task_id, "cancel", &json!({})));
    assert_eq!(call(&worker, "extend_lease", &json!({"lease_id": lease_id}))["error"], "lease_lost");
}

#[test]
fn a_claim_that_waits_is_woken_by_a_send() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let waiting = worker.clone();
    let longest = LongestWait::begin(&network.agent("idle"));
    let waiter = std::thread::spawn(move || claim(&waiting, 50, 60));
    let task_id = send(&network.user, "worker", "work");
    assert_eq!(waiter.join().unwrap()["task"]["task_id"], json!(task_id));
    assert!(longest.still_waits(), "it was woken, and did not wait to the end");
}

#[test]
fn claims_come_in_the_order_of_priority_then_age() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    for (task, priority) in [("c", "low"), ("b", "normal"), ("a", "high"), ("b2", "normal")] {
        succeed(
            &network.user.post("/api/task", &json!({"alias": "worker", "task": task, "priority": priority})),
        );
    }
    let claimed: Vec<_> = (0..4).map(|_| text(&claim(&worker, 0, 60)["task"]["content"])).collect();
    assert_eq!(claimed, ["a", "b", "b2", "c"]);
}

#[test]
fn leases_and_waits_have_bounds() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let bodies = [
        json!({"lease_seconds": 4}),
        json!({"lease_seconds": 3601}),
        json!({"wait_seconds": 51}),
        json!({"wait_seconds": -1}),
    ];
    for body in bodies {
        refused(&worker.post("/api/claim", &body), 400, "invalid input");
    }
    refused(&network.user.post("/api/claim", &json!({})), 403, "network_token_required");
}

#[test]
fn a_claim_that_waits_with_a_revoked_token_gets_nothing() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (worker, token_id) = network.mint("worker", "node");
    network.agent("worker"); // the alias outlives the token
    let waiting = std::thread::spawn(move || worker.post("/api/claim", &json!({"wait_seconds": 30})));
    // Whether the claim came before the revocation or after it, the answer is the same.
    succeed(&network.user.delete(&format!("/api/auth/tokens/{token_id}")));
    let task_id = send(&network.user, "worker", "for another");
    let claimed = waiting.join().unwrap();
    refused(&claimed, 401, "unauthorized");
    assert_eq!(task(&network.user, &task_id)["status"], "delivered");
}
