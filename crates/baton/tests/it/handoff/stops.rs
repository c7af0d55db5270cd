//! Waits end: when the hub stops, and where a network has as many as it may.

use serde_json::json;

use super::{meanwhile, parked, send_and_wait, stage, waiting};
use crate::it::tenant::{claim, refused, send, succeed, task, text};

#[test]
fn a_hub_that_stops_answers_everybody_who_waits() {
    let (mut hub, tenant, worker) = stage();
    let tasked = send(&tenant.user, "worker", "work");
    let held = claim(&worker, 0, 60);
    let sent = send_and_wait(&tenant.user, "more");
    waiting(&tenant.user, 1);
    // The task it sent is claimed, so that the claims below find nothing.
    claim(&worker, 50, 60);
    let (user, path) = (tenant.user.clone(), format!("/api/tasks/{tasked}?wait_seconds=60"));
    let looking = meanwhile(move || user.get(&path));
    let claiming = worker.clone();
    let claiming = meanwhile(move || claim(&claiming, 50, 60));
    let body = json!({"text": "done", "lease_id": held["lease_id"], "claim_next": {"wait_seconds": 50}});
    waiting(&tenant.user, 2);
    parked(&tenant.user, 1);
    let (replying, path) = (worker, format!("/api/tasks/{tasked}/reply"));
    let replying = meanwhile(move || replying.post(&path, &body));
    parked(&tenant.user, 2);
    assert!(hub.stop().success());
    let sent = sent.join().unwrap();
    assert_eq!((&sent["ended"], &sent["task"]["status"]), (&json!(false), &json!("running")));
    assert_eq!(succeed(&looking.join().unwrap())["task"]["status"], "replied");
    assert_eq!(claiming.join().unwrap()["task"], json!(null));
    assert_eq!(succeed(&replying.join().unwrap()).get("next"), Some(&json!(null)));
    hub.restart();
    assert_eq!(task(&tenant.user, &tasked)["result"], "done");
}

#[test]
fn waiting_calls_end_at_the_limit_of_their_network() {
    let (_hub, tenant, worker) = stage();
    let quotas = format!("/api/networks/{}/quotas", tenant.network_id);
    succeed(&tenant.user.put(&quotas, &json!({"waiting_calls": 1})));
    let sent = send_and_wait(&tenant.user, "work");
    waiting(&tenant.user, 1);
    // A send is not refused for it: it is answered at once.
    let body = json!({"alias": "worker", "task": "more", "wait_seconds": 60});
    let more = succeed(&tenant.user.post("/api/task", &body));
    assert_eq!((&more["ended"], &more["task"]["status"]), (&json!(false), &json!("delivered")));
    let path = format!("/api/tasks/{}?wait_seconds=60", text(&more["task_id"]));
    let answer = refused(&tenant.user.get(&path), 403, "quota_exceeded");
    assert!(text(&answer["message"]).contains("1 waiting calls"), "{answer}");
    let shown = succeed(&tenant.user.get(&quotas));
    let row = shown["quotas"].as_array().unwrap().iter().find(|row| row["quota"] == "waiting_calls").unwrap();
    assert_eq!((&row["used"], &row["limit"]), (&json!(1), &json!(1)));
    super::work_off(&worker, "done");
    assert_eq!(sent.join().unwrap()["ended"], true);
}
