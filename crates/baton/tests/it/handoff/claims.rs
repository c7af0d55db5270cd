//! Claims: several tasks at once, and claims that wait and are given a task by the write that makes it claimable.

use serde_json::{Value, json};

use super::{meanwhile, parked, stage};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, refused, send, succeed, task, text};
use crate::it::tool::call;

#[test]
fn a_claim_takes_as_many_as_it_asks_for_each_under_its_own_lease() {
    let (_hub, tenant, worker) = stage();
    let ids: Vec<_> = (0..5).map(|n| send(&tenant.user, "worker", &format!("task {n}"))).collect();
    let taken = succeed(&worker.post("/api/claim", &json!({"max": 3, "lease_seconds": 30})));
    assert!(taken.get("task").is_none(), "{taken}");
    let held = taken["tasks"].as_array().unwrap();
    let of = |held: &[Value]| held.iter().map(|held| text(&held["task"]["task_id"])).collect::<Vec<_>>();
    assert_eq!(of(held), ids[..3]);
    let mut leases: Vec<_> = held.iter().map(|held| text(&held["lease_id"])).collect();
    leases.sort();
    leases.dedup();
    assert_eq!(leases.len(), 3);
    for held in held {
        assert_eq!(
            (&held["task"]["status"], &held["messages"], &held["artifacts"]),
            (&json!("running"), &json!([]), &json!([]))
        );
        assert!(held["lease_expires_at"].is_string());
        let id = text(&held["task"]["task_id"]);
        succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": held["lease_id"]})));
    }
    let rest = succeed(&worker.post("/api/claim", &json!({"max": 32})));
    assert_eq!(of(rest["tasks"].as_array().unwrap()), ids[3..]);
    let none = succeed(&worker.post("/api/claim", &json!({"max": 1})));
    assert_eq!(none["tasks"], json!([]));
    assert_eq!(claim(&worker, 0, 60), json!({"ok": true, "task": null}), "as before");
}

#[test]
fn a_claim_brings_what_the_sender_added_and_the_reply_clears_it_from_the_inbox() {
    let (_hub, tenant, worker) = stage();
    let id = send(&tenant.user, "worker", "build");
    succeed(&act(&tenant.user, &id, "answer", &json!({"text": "and test"})));
    let held = claim(&worker, 0, 60);
    assert_eq!(held["messages"][0]["content"], "and test", "{held}");
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": held["lease_id"]})));
    assert_eq!(succeed(&worker.get("/api/inbox"))["messages"], json!([]));
}

#[test]
fn a_claim_of_several_stops_where_the_answer_is_full_and_leaves_the_rest_unclaimed() {
    let (_hub, tenant, worker) = stage();
    let filler = "\u{1}".repeat(10_000); // six bytes each as JSON
    let notes = json!({"notes": "n".repeat(15_000)});
    for _ in 0..32 {
        let body = json!({"alias": "worker", "task": filler, "context": filler, "meta": notes});
        succeed(&tenant.user.post("/api/task", &body));
    }
    let mut seen = 0;
    while seen < 32 {
        let answer = worker.post("/api/claim", &json!({"max": 32}));
        assert!(answer.body.len() < 8 << 20);
        let taken = succeed(&answer)["tasks"].as_array().unwrap().len();
        assert!(taken > 0);
        seen += taken;
    }
    assert_eq!(seen, 32);
}

#[test]
fn a_parked_claim_is_given_whatever_becomes_claimable() {
    let (_hub, tenant, worker) = stage();
    tenant.agent("other");
    let wait = || {
        let claiming = worker.clone();
        let claiming = meanwhile(move || claim(&claiming, 50, 5));
        parked(&tenant.user, 1);
        claiming
    };
    // A send.
    let waiting = wait();
    let id = send(&tenant.user, "worker", "work");
    let held = waiting.join().unwrap();
    assert_eq!(held["task"]["task_id"], json!(id));
    // A lease that lapses.
    let waiting = wait();
    let held = waiting.join().unwrap();
    assert_eq!((&held["task"]["task_id"], &held["task"]["attempt"]), (&json!(id), &json!(2)));
    // An answer to a question.
    succeed(&act(&worker, &id, "ask", &json!({"question": "which?", "lease_id": held["lease_id"]})));
    let waiting = wait();
    succeed(&act(&tenant.user, &id, "answer", &json!({"text": "this"})));
    let held = waiting.join().unwrap();
    assert_eq!(held["task"]["task_id"], json!(id));
    succeed(&act(
        &worker,
        &id,
        "reply",
        &json!({"text": "no", "status": "failed", "lease_id": held["lease_id"]}),
    ));
    // A retry.
    let waiting = wait();
    let retried = succeed(&act(&tenant.user, &id, "retry", &json!({})));
    assert_eq!(waiting.join().unwrap()["task"]["task_id"], retried["task_id"]);
    succeed(&act(&tenant.user, &text(&retried["task_id"]), "cancel", &json!({})));
    // A reassignment.
    let elsewhere = send(&tenant.user, "other", "work");
    let waiting = wait();
    succeed(&act(&tenant.user, &elsewhere, "reassign", &json!({"new_alias": "worker"})));
    assert_eq!(waiting.join().unwrap()["task"]["task_id"], json!(elsewhere));
}

#[test]
fn of_two_parked_claims_and_one_task_exactly_one_wins() {
    let (_hub, tenant, worker) = stage();
    for _ in 0..20 {
        let claims: Vec<_> = (0..2)
            .map(|_| {
                let worker = worker.clone();
                meanwhile(move || claim(&worker, 2, 60))
            })
            .collect();
        parked(&tenant.user, 2);
        let id = send(&tenant.user, "worker", "work");
        parked(&tenant.user, 1);
        // Ends the other one's wait.
        let last = send(&tenant.user, "worker", "last");
        let mut won: Vec<_> =
            claims.into_iter().map(|claim| text(&claim.join().unwrap()["task"]["task_id"])).collect();
        won.sort();
        let mut sent = vec![id, last];
        sent.sort();
        assert_eq!(won, sent);
    }
}

#[test]
fn a_parked_claim_whose_token_was_revoked_is_refused_and_the_next_one_has_the_task() {
    let (hub, tenant, worker) = stage();
    let (revoked, token_id) = tenant.mint("worker", "node");
    let first = meanwhile(move || revoked.post("/api/claim", &json!({"wait_seconds": 50})));
    parked(&tenant.user, 1);
    let second = meanwhile(move || claim(&worker, 50, 60));
    parked(&tenant.user, 2);
    succeed(&tenant.user.delete(&format!("/api/auth/tokens/{token_id}")));
    let id = send(&tenant.user, "worker", "work");
    refused(&first.join().unwrap(), 401, "unauthorized");
    assert_eq!(second.join().unwrap()["task"]["task_id"], json!(id));
    assert_eq!(task(&tenant.user, &id)["status"], "running");
    drop(hub);
}

#[test]
fn a_parked_claim_of_a_member_who_was_removed_is_refused_without_a_task() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let (member, registered) = hub.register("bob");
    tenant.admit(&member, "member");
    let body = json!({"network_id": tenant.network_id, "node_name": "worker"});
    let minted = succeed(&member.post("/api/auth/node-token", &body));
    let worker = member.with_token(minted["token"].as_str().unwrap());
    let waiting = meanwhile(move || worker.post("/api/claim", &json!({"wait_seconds": 50})));
    parked(&tenant.user, 1);
    let id = text(&registered["user"]["user_id"]);
    succeed(&tenant.user.delete(&format!("/api/networks/{}/members/{id}", tenant.network_id)));
    // Nobody sends anything: the look every few seconds finds out.
    refused(&waiting.join().unwrap(), 403, "permission_denied");
}

#[test]
fn a_claim_over_mcp_waits_in_the_same_line_and_carries_messages_and_artifacts() {
    let (_hub, tenant, worker) = stage();
    let waiting = meanwhile(move || call(&worker, "claim_task", &json!({"wait_seconds": 50})));
    parked(&tenant.user, 1);
    let id = send(&tenant.user, "worker", "work");
    let held = waiting.join().unwrap();
    assert_eq!(held["task"]["task_id"], json!(id));
    assert_eq!((&held["messages"], &held["artifacts"]), (&json!([]), &json!([])));
}

#[test]
fn a_claim_of_several_that_waits_has_a_task_as_soon_as_there_is_one_and_never_more_than_it_asked_for() {
    let (_hub, tenant, worker) = stage();
    let (other, body) = (worker.clone(), json!({"wait_seconds": 50, "max": 2, "lease_seconds": 30}));
    let waiting = meanwhile(move || succeed(&other.post("/api/claim", &body)));
    parked(&tenant.user, 1);
    let tasks: Vec<_> = (0..5).map(|n| json!({"alias": "worker", "task": format!("task {n}")})).collect();
    let sent = succeed(&tenant.user.post("/api/tasks", &json!({"tasks": tasks})));
    let ids: Vec<_> =
        sent["results"].as_array().unwrap().iter().map(|sent| sent["task_id"].clone()).collect();
    let ids_of = |taken: &Value| -> Vec<Value> {
        taken["tasks"].as_array().unwrap().iter().map(|held| held["task"]["task_id"].clone()).collect()
    };
    let mut taken = ids_of(&waiting.join().unwrap());
    assert!((1..=2).contains(&taken.len()), "{taken:?}");
    let rest = succeed(&worker.post("/api/claim", &json!({"wait_seconds": 50, "max": 32})));
    taken.extend(ids_of(&rest));
    assert_eq!(taken, ids, "each once, the oldest first");
    // One that finds none in its time has an empty list.
    let none = succeed(&worker.post("/api/claim", &json!({"wait_seconds": 1, "max": 2})));
    assert_eq!(none["tasks"], json!([]));
}
