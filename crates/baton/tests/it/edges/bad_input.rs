//! Bad input on every endpoint: a clear error with the documented code, and the hub continues (section 3).

use baton_core::limits;
use serde_json::{Value, json};

use crate::it::http::{Client, Response, raw};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, refused, send, succeed};
use crate::it::tool::rpc;

const NO_TASK: &str = "01890000-0000-7000-8000-000000000000";

/// Every endpoint that takes a body, with one that it accepts or refuses for other reasons than its form.
fn bodies(network_id: &str, task_id: &str) -> Vec<(&'static str, String, Value)> {
    let on = |action: &str| format!("/api/tasks/{task_id}/{action}");
    vec![
        ("POST", "/api/auth/register".into(), json!({"username": "x", "password": "y"})),
        ("POST", "/api/auth/login".into(), json!({"username": "x", "password": "y"})),
        ("PUT", "/api/auth/me".into(), json!({"display_name": "x", "email": "y"})),
        ("POST", "/api/auth/password".into(), json!({"old_password": "x", "new_password": "y"})),
        ("POST", "/api/auth/node-token".into(), json!({"network_id": network_id, "node_name": "x"})),
        ("POST", "/api/networks".into(), json!({"name": "x"})),
        ("PUT", format!("/api/networks/{network_id}"), json!({"name": "x"})),
        ("POST", format!("/api/networks/{network_id}/members"), json!({"user_id": "u", "role": "member"})),
        ("POST", format!("/api/networks/{network_id}/invite"), json!({"role": "member", "max_uses": 1})),
        ("POST", "/api/networks/join".into(), json!({"invite_code": "inv_0"})),
        ("POST", "/api/task".into(), json!({"alias": "worker", "task": "x"})),
        ("POST", on("cancel"), json!({"reason": "x"})),
        ("POST", on("reassign"), json!({"new_alias": "x"})),
        ("POST", on("reply"), json!({"text": "x"})),
        ("POST", "/api/claim".into(), json!({"wait_seconds": 0})),
        ("POST", "/api/leases/00000000/extend".into(), json!({"lease_seconds": 60})),
        ("POST", "/api/broadcast".into(), json!({"message": "x"})),
    ]
}

/// A JSON error: ok is false, error is a text.
fn assert_clear(answer: &Response, what: &str) {
    let body = answer.json();
    assert!(body["ok"] == false && body["error"].is_string(), "{what}: {} {body}", answer.status);
}

#[test]
fn wrong_types_and_bodies_are_refused_with_the_documented_codes() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let task_id = send(&network.user, "worker", "work");
    for (method, path, body) in bodies(&network.network_id, &task_id) {
        let is_workers = path.contains("claim") || path.contains("leases");
        let client = if is_workers { &worker } else { &network.user };
        for field in body.as_object().unwrap().keys() {
            let mut wrong = body.clone();
            wrong[field] = json!({"not": ["what", "was", "asked"]});
            let answer = client.send(method, &path, &[], Some(&wrong));
            refused(&answer, 400, "invalid input");
            assert!(answer.text().contains(field.as_str()), "{path} names {field}: {}", answer.text());
        }
        refused(&send_text(client, method, &path, "application/json", b"{\"a\":"), 400, "invalid JSON");
        refused(
            &send_text(client, method, &path, "application/json", b"{\"a\":\"\xff\xfe\"}"),
            400,
            "invalid JSON",
        );
        let answer = send_text(client, method, &path, "text/plain", body.to_string().as_bytes());
        assert_eq!(answer.status, 415, "{path}: {}", answer.text());
        let large = format!("{{\"a\":\"{}\"}}", "x".repeat(limits::JSON_BODY_MAX_BYTES));
        let answer = send_text(client, method, &path, "application/json", large.as_bytes());
        assert_eq!(answer.status, 413, "{path}: {}", answer.text());
        assert_clear(&answer, &path);
    }
    assert_eq!(hub.client().get("/health").status, 200);
}

fn send_text(client: &Client, method: &str, path: &str, kind: &str, body: &[u8]) -> Response {
    let token = client.token.as_deref().unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
         content-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        client.address,
        body.len()
    );
    raw(client.address, &[head.as_bytes(), body].concat())
}

#[test]
fn missing_fields_are_named() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    network.agent("worker");
    let task_id = send(&network.user, "worker", "work");
    let missing = [
        ("/api/task".to_owned(), json!({"alias": "worker"}), "task"),
        ("/api/task".to_owned(), json!({"task": "x"}), "alias"),
        (format!("/api/tasks/{task_id}/reply"), json!({}), "text"),
        (format!("/api/tasks/{task_id}/reassign"), json!({}), "new_alias"),
        ("/api/broadcast".to_owned(), json!({}), "message"),
        ("/api/networks".to_owned(), json!({}), "name"),
        ("/api/networks/join".to_owned(), json!({}), "invite_code"),
    ];
    for (path, body, field) in missing {
        let said = refused(&network.user.post(&path, &body), 400, "invalid input");
        assert!(said["details"].to_string().contains(field), "{path}: {said}");
    }
    let answer = network.user.post("/api/auth/node-token", &json!({"node_name": "x"}));
    refused(&answer, 400, "network_id and node_name required");
}

#[test]
fn texts_over_their_bounds_are_refused() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    network.agent("worker");
    let user = &network.user;
    let task_id = send(user, "worker", "work");
    let long = |count: usize| "ä".repeat(count);
    // Two bytes each.
    let most = limits::TEXT_MAX_BYTES / 2;
    let too_long = [
        ("/api/task".to_owned(), json!({"alias": "worker", "task": long(most + 1)})),
        ("/api/task".to_owned(), json!({"alias": "worker", "task": ""})),
        ("/api/task".to_owned(), json!({"alias": long(201), "task": "x"})),
        ("/api/task".to_owned(), json!({"alias": "worker", "task": "x", "kind": "NOT A KIND"})),
        ("/api/task".to_owned(), json!({"alias": "worker", "task": "x", "priority": "urgent"})),
        ("/api/task".to_owned(), json!({"alias": "worker", "task": "x", "meta": {"m": "x".repeat(17_000)}})),
        (format!("/api/tasks/{task_id}/reply"), json!({"text": long(most + 1)})),
        (format!("/api/tasks/{task_id}/reply"), json!({"text": ""})),
        (format!("/api/tasks/{task_id}/reply"), json!({"text": "x", "status": "expired"})),
        (format!("/api/tasks/{task_id}/cancel"), json!({"reason": long(1_001)})),
        ("/api/broadcast".to_owned(), json!({"message": long(most + 1)})),
    ];
    for (path, body) in too_long {
        refused(&user.post(&path, &body), 400, "invalid input");
    }
    succeed(&user.post("/api/task", &json!({"alias": "worker", "task": long(most)})));
}

#[test]
fn bad_queries_are_refused() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let paths = [
        "/api/tasks?limit=0",
        "/api/tasks?limit=201",
        "/api/tasks?limit=many",
        "/api/tasks?status=sleeping",
        "/api/tasks?cursor=%00",
        "/api/task_events?limit=501",
        "/api/messages?since=yesterday",
        "/api/messages?limit=501",
        "/api/completions?since=2026-13-01",
    ];
    for path in paths {
        let answer = network.user.get(path);
        assert_eq!(answer.status, 400, "{path}: {}", answer.text());
        assert_clear(&answer, path);
    }
    for since in ["2026-01-01%2000:00:00", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00%2B01:00"] {
        succeed(&network.user.get(&format!("/api/messages?since={since}")));
    }
}

#[test]
fn unknown_things_are_404() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let user = &network.user;
    refused(&user.get(&format!("/api/tasks/{NO_TASK}")), 404, "task_not_found");
    refused(&user.get("/api/tasks/not-a-uuid"), 404, "task_not_found");
    let acts = [
        ("cancel", json!({})),
        ("retry", json!({})),
        ("reassign", json!({"new_alias": "x"})),
        ("reply", json!({"text": "x"})),
        ("ack", json!({})),
    ];
    for (action, body) in acts {
        refused(&user.post(&format!("/api/tasks/{NO_TASK}/{action}"), &body), 404, "task_not_found");
    }
    refused(&user.post("/api/task", &json!({"alias": "nobody", "task": "x"})), 404, "alias_not_found");
    refused(&user.get("/api/networks/net_000000000000"), 404, "network not found");
    refused(&user.delete("/api/auth/tokens/tok_000000000000"), 404, "token not found");
    assert_eq!(user.get("/api/no-such-path").status, 404);
    assert_eq!(hub.client().get("/no-such-path").status, 404);
    assert_eq!(user.delete("/api/task").status, 405);
}

#[test]
fn malformed_tokens_are_all_the_same_401() {
    let hub = Hub::start();
    let paths = [
        "/api/tasks",
        "/api/status",
        "/api/agents",
        "/api/messages",
        "/api/networks",
        "/api/auth/me",
        "/events/x",
        "/api/inbox",
    ];
    let values = [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Basic eDp5",
        "Bearer utok_",
        "Bearer utok_zz",
        "Bearer ntok_00",
    ];
    let expected = br#"{"ok":false,"error":"unauthorized"}"#;
    for path in paths {
        let answer = hub.client().get(path);
        assert_eq!((answer.status, answer.body.as_slice()), (401, expected.as_slice()), "{path}");
        for value in values {
            let answer = hub.client().send("GET", path, &[("authorization", value)], None);
            assert_eq!(
                (answer.status, answer.body.as_slice()),
                (401, expected.as_slice()),
                "{path} {value:?}"
            );
        }
    }
    let request = format!("GET /api/tasks HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer ", hub.address());
    let request = [request.as_bytes(), b"\xff\xfe\r\nconnection: close\r\n\r\n"].concat();
    assert!(matches!(raw(hub.address(), &request).status, 400 | 401));
    // A token in the URL is none.
    let (user, _) = hub.register("alice");
    let path = format!("/api/tasks?token={}", user.token.unwrap());
    assert_eq!(hub.client().get(&path).status, 401);
}

#[test]
fn tool_arguments_that_break_the_schema_name_the_field() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let wrong = [
        ("send_task", json!({"alias": "worker"}), "task"),
        ("send_task", json!({"alias": 7, "task": "x"}), "alias"),
        ("send_task", json!({"alias": "worker", "task": "x", "ttl_seconds": "soon"}), "ttl_seconds"),
        ("send_task", json!({"alias": "worker", "task": "x".repeat(limits::TEXT_MAX_BYTES + 1)}), "task"),
        ("report_status", json!({"resume_id": "r", "alias": "worker", "status": "sleepy"}), "status"),
        ("send_reply", json!({"text": "x", "in_reply_to": NO_TASK, "status": "expired"}), "status"),
        ("cancel_task", json!({}), "task_id"),
        ("get_inbox", json!({"alias": "worker", "limit": 101}), "limit"),
        ("list_tasks", json!({"limit": 0}), "limit"),
        ("claim_task", json!({"lease_seconds": 4}), "lease_seconds"),
        ("extend_lease", json!({}), "lease_id"),
    ];
    for (tool, arguments, field) in wrong {
        let response = rpc(&worker, tool, &arguments);
        assert_eq!(response["error"]["code"], -32602, "{tool}: {response}");
        assert!(response["error"].to_string().contains(field), "{tool} names {field}: {response}");
    }
}

#[test]
fn a_half_sent_body_takes_nobody_elses_turn() {
    use std::io::Write;
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    network.agent("worker");
    let mut half = crate::it::http::connect(hub.address());
    let token = network.user.token.clone().unwrap();
    let head = format!(
        "POST /api/task HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: 500\r\n\r\n{{\"alias\":",
        hub.address()
    );
    half.write_all(head.as_bytes()).unwrap();
    send(&network.user, "worker", "goes through meanwhile");
    drop(half);
    assert_eq!(succeed(&network.user.get("/api/tasks"))["count"], 1);
}
