//! Arguments that are not taken: named, and nothing is done.

use serde_json::{Value, json};

use super::stage;
use crate::it::tenant::{act, claim, refused, send, succeed, task};
use crate::it::tool::rpc;

fn field(answer: &crate::it::http::Response) -> Value {
    refused(answer, 400, "invalid input")["details"][0]["field"].clone()
}

#[test]
fn bad_values_are_named_and_nothing_is_done() {
    let (_hub, tenant, worker) = stage();
    let user = &tenant.user;
    for wait in [json!(61), json!(-1), json!("5"), json!(1.5)] {
        let body = json!({"alias": "worker", "task": "x", "wait_seconds": wait});
        assert_eq!(field(&user.post("/api/task", &body)), "wait_seconds", "{wait}");
    }
    let many = |count: usize| json!({"tasks": vec![json!({"alias": "worker", "task": "x"}); count]});
    for body in [many(0), many(101), json!({}), json!({"tasks": {}})] {
        assert_eq!(field(&user.post("/api/tasks", &body)), "tasks");
    }
    assert_eq!(succeed(&user.get("/api/tasks"))["tasks"], json!([]), "nothing was sent");
    let id = send(user, "worker", "x");
    for (query, name) in [
        ("wait_seconds=61", "wait_seconds"),
        ("wait_seconds=-1", "wait_seconds"),
        ("wait_seconds=soon", "wait_seconds"),
        ("after=-1", "after"),
        ("after=last", "after"),
        ("wait_seconds=1&after=1.5", "after"),
    ] {
        assert_eq!(field(&user.get(&format!("/api/tasks/{id}?{query}"))), name, "{query}");
    }
    for (body, name) in [
        (json!({"max": 0}), "max"),
        (json!({"max": 33}), "max"),
        (json!({"max": -1}), "max"),
        (json!({"max": "2"}), "max"),
        (json!({"max": 2, "wait_seconds": 51}), "wait_seconds"),
        (json!({"max": 2, "lease_seconds": 4}), "lease_seconds"),
    ] {
        assert_eq!(field(&worker.post("/api/claim", &body)), name, "{body}");
    }
    assert_eq!(task(user, &id)["status"], "delivered", "nothing was claimed");
    claim(&worker, 0, 60);
    for (next, name) in [
        (json!({"wait_seconds": 51}), "claim_next.wait_seconds"),
        (json!({"lease_seconds": 3601}), "claim_next.lease_seconds"),
        (json!({"wait": 5}), "claim_next.wait"),
        (json!({"max": 2}), "claim_next.max"),
        (json!(true), "claim_next"),
    ] {
        let body = json!({"text": "done", "claim_next": next});
        assert_eq!(field(&act(&worker, &id, "reply", &body)), name, "{next}");
    }
    assert_eq!(task(user, &id)["status"], "running", "nothing was replied");
    for (tool, arguments) in [
        ("send_task", json!({"alias": "worker", "task": "x", "wait_seconds": 61})),
        ("get_task", json!({"task_id": id, "wait_seconds": 61})),
        ("get_task", json!({"task_id": id, "after": -1})),
        ("claim_task", json!({"wait_seconds": 51})),
    ] {
        let answer = rpc(&worker, tool, &arguments);
        assert_eq!(answer["error"]["code"], -32602, "{tool} {arguments}: {answer}");
    }
}
