//! A reply that takes the next task: committed whatever the claim finds.

use serde_json::json;

use super::{meanwhile, parked, stage};
use crate::it::tenant::{act, claim, refused, send, succeed, task, text};
use crate::it::tool::{call, rpc};

#[test]
fn a_reply_takes_the_next_task_or_says_that_there_is_none() {
    let (_hub, tenant, worker) = stage();
    let (one, two) = (send(&tenant.user, "worker", "one"), send(&tenant.user, "worker", "two"));
    let held = claim(&worker, 0, 60);
    let body = json!({"text": "done", "lease_id": held["lease_id"], "claim_next": {"lease_seconds": 30}});
    let replied = succeed(&act(&worker, &one, "reply", &body));
    assert_eq!((&replied["task_id"], &replied["status"]), (&json!(one), &json!("replied")));
    let next = &replied["next"];
    assert_eq!((&next["ok"], &next["task"]["task_id"]), (&json!(true), &json!(two)));
    assert_eq!((&next["messages"], &next["artifacts"]), (&json!([]), &json!([])));
    let body = json!({"text": "done", "lease_id": next["lease_id"], "claim_next": {}});
    let replied = succeed(&act(&worker, &two, "reply", &body));
    assert_eq!(replied.get("next"), Some(&json!(null)));
    // Without the wish there is no word of it.
    let three = send(&tenant.user, "worker", "three");
    assert!(succeed(&act(&worker, &three, "reply", &json!({"text": "x"}))).get("next").is_none());
}

#[test]
fn a_reply_counts_though_the_next_task_cannot_be_read() {
    let (mut hub, tenant, worker) = stage();
    let (one, two) = (send(&tenant.user, "worker", "one"), send(&tenant.user, "worker", "two"));
    let held = claim(&worker, 0, 60);
    assert!(hub.stop().success());
    hub.was_damaged = true;
    let database = rusqlite::Connection::open(hub.data_dir().join("hub.db")).unwrap();
    let damage = "UPDATE tasks SET ttl_seconds = -1 WHERE task_id = ?1";
    assert_eq!(database.execute(damage, [&two]).unwrap(), 1);
    drop(database);
    hub.restart();
    let body = json!({"text": "done", "lease_id": held["lease_id"], "claim_next": {}});
    let replied = succeed(&act(&worker, &one, "reply", &body));
    assert_eq!((&replied["status"], replied.get("next")), (&json!("replied"), Some(&json!(null))));
    assert_eq!(task(&tenant.user, &one)["result"], "done");
}

#[test]
fn the_claim_of_a_reply_is_parked_while_the_reply_is_there_for_everybody() {
    let (_hub, tenant, worker) = stage();
    let one = send(&tenant.user, "worker", "one");
    let held = claim(&worker, 0, 60);
    let body = json!({"text": "done", "lease_id": held["lease_id"], "claim_next": {"wait_seconds": 50}});
    let (replying, path) = (worker.clone(), one.clone());
    let replying = meanwhile(move || succeed(&act(&replying, &path, "reply", &body)));
    parked(&tenant.user, 1);
    assert_eq!(task(&tenant.user, &one)["result"], "done");
    let two = send(&tenant.user, "worker", "two");
    let replied = replying.join().unwrap();
    assert_eq!((&replied["status"], &replied["next"]["task"]["task_id"]), (&json!("replied"), &json!(two)));
}

#[test]
fn a_reply_that_is_refused_claims_nothing_and_one_whose_claim_is_refused_counts() {
    let (_hub, tenant, worker) = stage();
    let (one, two) = (send(&tenant.user, "worker", "one"), send(&tenant.user, "worker", "two"));
    claim(&worker, 0, 60);
    let stale =
        json!({"text": "late", "lease_id": "lease_00000000000000000000000000000000", "claim_next": {}});
    refused(&act(&worker, &one, "reply", &stale), 409, "lease_lost");
    assert_eq!(task(&tenant.user, &two)["status"], "delivered");
    // A user has no tasks to claim: nothing is done.
    let body = json!({"text": "done", "claim_next": {}});
    refused(&act(&tenant.user, &one, "reply", &body), 403, "network_token_required");
    assert_eq!(task(&tenant.user, &one)["status"], "running");
    // A network without room to wait has none for the claim; the reply counts.
    let quotas = format!("/api/networks/{}/quotas", tenant.network_id);
    let held = claim(&worker, 0, 60);
    succeed(&tenant.user.put(&quotas, &json!({"waiting_claims": 0})));
    let body = json!({"text": "done", "lease_id": held["lease_id"], "claim_next": {"wait_seconds": 5}});
    let replied = succeed(&act(&worker, &two, "reply", &body));
    assert_eq!((&replied["status"], replied.get("next")), (&json!("replied"), Some(&json!(null))));
    assert_eq!(text(&task(&tenant.user, &two)["result"]), "done");
}

#[test]
fn a_reply_over_mcp_takes_the_next_task_too() {
    let (_hub, tenant, worker) = stage();
    let one = send(&tenant.user, "worker", "one");
    let held = call(&worker, "claim_task", &json!({}));
    let mut reply = json!({"text": "done", "in_reply_to": one, "lease_id": held["lease_id"],
        "claim_next": {"wait_seconds": 50, "lease_seconds": 30}});
    let (replying, body) = (worker.clone(), reply.clone());
    let replying = meanwhile(move || call(&replying, "send_reply", &body));
    parked(&tenant.user, 1);
    let two = send(&tenant.user, "worker", "two");
    let replied = replying.join().unwrap();
    assert_eq!((&replied["status"], &replied["next"]["task"]["task_id"]), (&json!("replied"), &json!(two)));
    reply["in_reply_to"] = json!(two);
    reply["lease_id"] = replied["next"]["lease_id"].clone();
    reply["claim_next"] = json!({});
    let replied = call(&worker, "send_reply", &reply);
    assert_eq!((&replied["ok"], replied.get("next")), (&json!(true), Some(&json!(null))));
    let refused = rpc(&worker, "send_reply", &json!({"text": "hello", "alias": "worker", "claim_next": {}}));
    assert_eq!(
        refused["error"]["code"],
        json!(-32602),
        "only a reply that ends a task brings the next: {refused}"
    );
}
