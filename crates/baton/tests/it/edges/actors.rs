//! Who acted is what the token says: every event carries the right actor, in order (sections 2 and 6).

use serde_json::{Value, json};

use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, events, report, send, succeed};
use crate::it::tool::call;

fn story(events: &[Value]) -> Vec<(&str, &str)> {
    events
        .iter()
        .map(|event| (event["to_status"].as_str().unwrap(), event["actor"].as_str().unwrap()))
        .collect()
}

#[test]
fn events_name_the_user_or_the_alias_that_acted() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));

    let replied = send(&sender, "worker", "one");
    succeed(&act(&worker, &replied, "ack", &json!({})));
    report(&worker, "worker", "idle");
    let working = json!({"resume_id": "worker", "alias": "worker", "status": "working", "task": replied});
    assert_eq!(call(&worker, "report_status", &working)["ok"], true);
    succeed(&act(&worker, &replied, "reply", &json!({"text": "done"})));
    let expected =
        [("delivered", "sender"), ("acked", "worker"), ("running", "worker"), ("replied", "worker")];
    assert_eq!(story(&events(&network.user, &replied)), expected);

    let cancelled = send(&network.user, "worker", "two");
    assert_eq!(claim(&worker, 0, 60)["task"]["task_id"], json!(cancelled));
    succeed(&act(&network.user, &cancelled, "cancel", &json!({"reason": "enough"})));
    let events = events(&network.user, &cancelled);
    assert_eq!(story(&events), [("delivered", "alice"), ("running", "worker"), ("cancelled", "alice")]);
    assert_eq!(events[2]["network_id"], json!(network.network_id));
}

#[test]
fn an_ack_of_an_acked_task_changes_nothing() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let task_id = send(&network.user, "worker", "work");
    let first = call(&worker, "send_ack", &json!({"task_id": task_id}));
    assert_eq!(first, json!({"ok": true, "task_id": task_id, "updated": 1}));
    let second = call(&worker, "send_ack", &json!({"task_id": task_id}));
    assert_eq!(second, json!({"ok": true, "task_id": task_id, "updated": 0}));
    assert_eq!(events(&worker, &task_id).len(), 2);
}
