//! Idempotency keys: the first answer again, or a refusal; per network and sender (section 6).

use serde_json::json;
use std::thread;

use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, refused, succeed, text};

#[test]
fn the_same_key_and_arguments_give_the_first_answer_again() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, other) = (network.agent("sender"), network.agent("other"));
    network.agent("worker");
    let body = json!({"alias": "worker", "task": "once", "idempotency_key": "k-1"});
    let (first, second) = (sender.post("/api/task", &body), sender.post("/api/task", &body));
    assert_eq!((first.status, &first.body), (second.status, &second.body));
    let changed = json!({"alias": "worker", "task": "twice", "idempotency_key": "k-1"});
    refused(&sender.post("/api/task", &changed), 409, "idempotency_key_reused");
    // The key is the sender's own.
    let others = succeed(&other.post("/api/task", &changed));
    assert_ne!(others["task_id"], first.json()["task_id"]);
    assert_eq!(succeed(&network.user.get("/api/tasks"))["count"], 2);
}

#[test]
fn sends_with_one_key_at_the_same_moment_make_one_task() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let sender = network.agent("sender");
    network.agent("worker");
    let body = json!({"alias": "worker", "task": "once", "idempotency_key": "k"});
    let ids: Vec<String> = thread::scope(|scope| {
        let sends: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| text(&succeed(&sender.post("/api/task", &body))["task_id"])))
            .collect();
        sends.into_iter().map(|send| send.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}
