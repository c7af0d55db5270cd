//! Time to live: a delivered task expires within seconds, by the hub, and its sender is notified (section 6).

use serde_json::json;

use crate::it::history::assert_legal;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, events, inbox_task_ids, refused, send_with, task};

#[test]
fn an_unclaimed_task_expires_within_seconds_and_its_sender_hears_of_it() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let mut heard = sender.stream("/events/sender", None).unwrap();
    let task_id = send_with(&sender, &json!({"alias": "worker", "task": "soon", "ttl_seconds": 1}));
    let frame = heard.next_of("new_reply").expect("the sender is notified");
    assert_eq!((&frame.data["in_reply_to"], &frame.data["status"]), (&json!(task_id), &json!("expired")));

    let (row, events) = (task(&network.user, &task_id), events(&network.user, &task_id));
    assert_eq!(row["status"], "expired");
    assert_legal(&row, &events);
    assert_eq!(events.last().unwrap()["actor"], "hub");
    assert!(inbox_task_ids(&worker).is_empty());
    let late = act(&worker, &task_id, "reply", &json!({"text": "late"}));
    assert_eq!(refused(&late, 409, "reply_task_terminal")["task_status"], "expired");
}

#[test]
fn a_time_to_live_is_one_second_to_thirty_days() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    network.agent("worker");
    send_with(&network.user, &json!({"alias": "worker", "task": "x", "ttl_seconds": 2_592_000}));
    for ttl in [0, -1, 2_592_001] {
        let body = json!({"alias": "worker", "task": "x", "ttl_seconds": ttl});
        refused(&network.user.post("/api/task", &body), 400, "invalid input");
    }
}
