//! Who may wait, for what, and what becomes of a wait whose caller may no longer look.

use serde_json::json;

use super::{meanwhile, parked, stage, waiting};
use crate::it::tenant::{Tenant, act, claim, refused, send, succeed, task, text};

#[test]
fn a_viewer_waits_for_a_task_but_sends_and_claims_none() {
    let (hub, tenant, worker) = stage();
    let (viewer, _) = hub.register("viewer");
    tenant.admit(&viewer, "viewer");
    let network_id = &tenant.network_id;
    let id = send(&tenant.user, "worker", "work");
    let body = json!({"alias": "worker", "task": "x", "network_id": network_id, "wait_seconds": 5});
    refused(&viewer.post("/api/task", &body), 403, "permission_denied");
    let bodies = json!({"tasks": [{"alias": "worker", "task": "x", "network_id": network_id}]});
    let sent = succeed(&viewer.post("/api/tasks", &bodies));
    assert_eq!(sent["results"][0]["error"], "permission_denied");
    refused(&viewer.post("/api/claim", &json!({"max": 2})), 403, "network_token_required");
    let path = format!("/api/tasks/{id}?wait_seconds=60&after=1");
    let looking = meanwhile(move || succeed(&viewer.get(&path)));
    waiting(&tenant.user, 1);
    claim(&worker, 0, 60);
    assert_eq!(looking.join().unwrap()["task"]["status"], "running");
}

#[test]
fn a_stranger_waits_for_nothing_and_learns_nothing() {
    let (hub, tenant, _worker) = stage();
    let id = send(&tenant.user, "worker", "work");
    let stranger = Tenant::register(&hub, "mallory");
    let missing = "018f0000-0000-7000-8000-000000000000";
    for path in [&id, missing] {
        refused(
            &stranger.user.get(&format!("/api/tasks/{path}?wait_seconds=60&after=1")),
            404,
            "task_not_found",
        );
    }
    let body = json!({"alias": "worker", "task": "x", "network_id": tenant.network_id, "wait_seconds": 60});
    refused(&stranger.user.post("/api/task", &body), 403, "access denied to requested network");
    let other = stranger.agent("worker");
    let claiming = other.clone();
    let claiming = meanwhile(move || claim(&claiming, 2, 60));
    parked(&tenant.user, 1);
    // The same alias in another network is another agent.
    send(&tenant.user, "worker", "not yours");
    assert_eq!(claiming.join().unwrap()["task"], json!(null));
    let body = json!({"text": "x", "claim_next": {}});
    refused(&act(&other, &id, "reply", &body), 404, "task_not_found");
}

#[test]
fn nobody_without_a_token_gets_any_of_it() {
    let (hub, tenant, _worker) = stage();
    let id = send(&tenant.user, "worker", "work");
    let nobody = hub.client();
    let calls = [
        nobody.post("/api/task", &json!({"alias": "worker", "task": "x", "wait_seconds": 60})),
        nobody.post("/api/tasks", &json!({"tasks": [{"alias": "worker", "task": "x"}]})),
        nobody.get(&format!("/api/tasks/{id}?wait_seconds=60")),
        nobody.post("/api/claim", &json!({"max": 2, "wait_seconds": 50})),
        act(&nobody, &id, "reply", &json!({"text": "x", "claim_next": {}})),
    ];
    for answer in calls {
        assert_eq!(answer.status, 401, "{}", answer.text());
    }
    assert_eq!(task(&tenant.user, &id)["status"], "delivered");
}

#[test]
fn whoever_may_no_longer_look_when_the_wait_is_over_gets_nothing_of_the_task() {
    let (hub, tenant, worker) = stage();
    let (member, registered) = hub.register("bob");
    tenant.admit(&member, "member");
    let network_id = &tenant.network_id;
    let body = json!({"alias": "worker", "task": "secret", "network_id": network_id, "wait_seconds": 60});
    let sending = member.clone();
    let sent = meanwhile(move || sending.post("/api/task", &body));
    waiting(&tenant.user, 1);
    let held = claim(&worker, 50, 60);
    let id = text(&held["task"]["task_id"]);
    let path = format!("/api/tasks/{id}?wait_seconds=60&after=2");
    let looking = meanwhile(move || member.get(&path));
    waiting(&tenant.user, 2);
    let user_id = text(&registered["user"]["user_id"]);
    succeed(&tenant.user.delete(&format!("/api/networks/{network_id}/members/{user_id}")));
    succeed(&act(&worker, &id, "reply", &json!({"text": "the secret", "lease_id": held["lease_id"]})));
    for answer in [sent.join().unwrap(), looking.join().unwrap()] {
        refused(&answer, 404, "task_not_found");
        assert!(!answer.text().contains("secret"));
    }
}

#[test]
fn a_token_that_is_revoked_while_it_waits_gets_nothing_of_the_task() {
    let (_hub, tenant, worker) = stage();
    let (sender, token_id) = tenant.mint("sender", "node");
    let body = json!({"alias": "worker", "task": "secret", "wait_seconds": 60});
    let sent = meanwhile(move || sender.post("/api/task", &body));
    waiting(&tenant.user, 1);
    succeed(&tenant.user.delete(&format!("/api/auth/tokens/{token_id}")));
    super::work_off(&worker, "the secret");
    let answer = sent.join().unwrap();
    refused(&answer, 401, "unauthorized");
}
