//! Two tenants on one hub: nothing the second can call shows a byte the first wrote, and an id of the first is
//! answered like one that does not exist. Every text the first tenant writes has the marker in it.

use serde_json::{Value, json};

use super::http::{Client, Response};
use super::hub::Hub;
use super::tenant::{Tenant, act, claim, send, succeed, task, text};
use super::tool;

const MARKER: &str = "zebra";

/// The first tenant and the ids the second will try.
struct Victim {
    tenant: Tenant,
    user_id: String,
    token_id: String,
    task_id: String,
    lease_id: String,
}

impl Victim {
    /// A tenant with something in every table.
    fn furnish(hub: &Hub) -> Self {
        let tenant = Tenant::register(hub, "zebra-owner");
        let path = format!("/api/networks/{}", tenant.network_id);
        succeed(&tenant.user.put(&path, &json!({"name": "zebra network"})));
        let sender = tenant.agent("zebra-sender");
        let (worker, token_id) = tenant.mint("zebra-worker", "node");
        let mut status = json!({"resume_id": "zebra-resume", "alias": "zebra-worker", "status": "idle"});
        for field in ["server", "hostname", "agent", "project_dir", "version", "model", "output", "task"] {
            status[field] = json!(format!("zebra {field}"));
        }
        assert_eq!(tool::call(&worker, "report_status", &status)["ok"], true);
        let worker_row =
            json!({"hostname": "zebra host", "description": "zebra", "skills": [{"id": "zebra"}]});
        succeed(&worker.put("/api/workers/zebra", &worker_row));
        let replied = send(&sender, "zebra-worker", "zebra work");
        succeed(&act(&worker, &replied, "reply", &json!({"text": "zebra result"})));
        let completed = send(&sender, "zebra-worker", "zebra completion");
        let completion = json!({"alias": "zebra-worker", "task": completed, "result": "zebra result"});
        assert_eq!(tool::call(&worker, "report_completion", &completion)["ok"], true);
        let message = json!({"alias": "zebra-worker", "message": "zebra message"});
        assert_eq!(tool::call(&sender, "send_message", &message)["ok"], true);
        succeed(&sender.post("/api/broadcast", &json!({"message": "zebra broadcast"})));
        let task_id = send(&sender, "zebra-worker", "zebra task in work");
        let claimed = claim(&worker, 0, 60);
        assert_eq!(claimed["task"]["task_id"], json!(task_id));
        let me = succeed(&tenant.user.get("/api/auth/me"));
        let user_id = text(&me["user"]["user_id"]);
        Self { tenant, user_id, token_id, task_id, lease_id: text(&claimed["lease_id"]) }
    }

    fn ids(&self) -> [&str; 5] {
        [&self.tenant.network_id, &self.user_id, &self.token_id, &self.task_id, &self.lease_id]
    }

    /// Everything the tenant itself sees that a stranger must not have changed.
    fn picture(&self) -> (Value, Value, Value) {
        let user = &self.tenant.user;
        let path = format!("/api/networks/{}", self.tenant.network_id);
        (task(user, &self.task_id), user.get(&path).json(), user.get(&format!("{path}/members")).json())
    }
}

/// Ids of the same form that nothing has.
fn missing(ids: [&str; 5]) -> [String; 5] {
    ids.map(|id| {
        format!("{}{}", &id[..id.len() - 6], if id.ends_with("facade") { "decade" } else { "facade" })
    })
}

type Call = (&'static str, String, Option<Value>);

/// Every REST call of section 3 that names something, with these ids.
fn calls_by_id([network, user, token, task, lease]: [&str; 5]) -> Vec<Call> {
    let mut calls: Vec<Call> = vec![
        ("DELETE", format!("/api/auth/tokens/{token}"), None),
        ("POST", "/api/auth/node-token".into(), Some(json!({"network_id": network, "node_name": "spy"}))),
        ("GET", format!("/api/networks/{network}"), None),
        ("PUT", format!("/api/networks/{network}"), Some(json!({"name": "taken over"}))),
        ("DELETE", format!("/api/networks/{network}"), None),
        ("GET", format!("/api/networks/{network}/members"), None),
        (
            "POST",
            format!("/api/networks/{network}/members"),
            Some(json!({"user_id": user, "role": "viewer"})),
        ),
        ("PUT", format!("/api/networks/{network}/members/{user}"), Some(json!({"role": "viewer"}))),
        ("DELETE", format!("/api/networks/{network}/members/{user}"), None),
        ("POST", format!("/api/networks/{network}/invite"), Some(json!({"role": "viewer", "max_uses": 1}))),
        ("GET", format!("/api/networks/{network}/invites"), None),
        ("DELETE", format!("/api/networks/{network}/invites/invite_0011223344556677"), None),
        ("GET", format!("/api/networks/{network}/quotas"), None),
        ("PUT", format!("/api/networks/{network}/quotas"), Some(json!({"delegation_depth": 1}))),
        ("GET", format!("/api/networks/{network}/tokens"), None),
        ("DELETE", format!("/api/networks/{network}/tokens/{token}"), None),
        ("GET", format!("/api/tasks?parent_task_id={task}"), None),
        ("POST", format!("/api/leases/{lease}/extend"), Some(json!({"lease_seconds": 60}))),
        ("GET", format!("/api/tasks/{task}"), None),
        ("GET", format!("/api/tasks/{task}/tree"), None),
        ("GET", format!("/api/tasks?task_id={task}"), None),
        ("GET", format!("/api/task_events?task_id={task}"), None),
        ("GET", format!("/events/network/{network}"), None),
    ];
    for reads in [
        "tasks",
        "task_events",
        "status",
        "agents",
        "messages",
        "completions",
        "stats",
        "overview",
        "work-graph",
    ] {
        calls.push(("GET", format!("/api/{reads}?network_id={network}"), None));
    }
    let work = [
        ("cancel", json!({"reason": "mine"})),
        ("cancel", json!({"reason": "mine", "cascade": true})),
        ("retry", json!({})),
        ("reassign", json!({"new_alias": "spy-worker"})),
        ("reply", json!({"text": "mine", "lease_id": lease})),
        ("ack", json!({})),
    ];
    calls.extend(work.map(|(action, body)| ("POST", format!("/api/tasks/{task}/{action}"), Some(body))));
    let message = json!({"message": "hello", "network_id": network});
    let sends = [
        ("/api/task", json!({"alias": "spy-worker", "task": "x", "network_id": network})),
        ("/api/task", json!({"alias": "spy-worker", "task": "x", "parent_task_id": task})),
        (
            "/api/task",
            json!({"alias": "spy-worker", "task": "x", "parent_task_id": task, "allow_cycle": true}),
        ),
        ("/api/broadcast", message),
    ];
    calls.extend(sends.map(|(path, body)| ("POST", path.to_owned(), Some(body))));
    calls
}

/// Every tool that names something, with these ids.
fn tools_by_id([network, _, _, task, lease]: [&str; 5]) -> Vec<(&'static str, Value)> {
    let mut tools = vec![
        ("get_task", json!({"task_id": task})),
        ("get_task_tree", json!({"task_id": task})),
        ("cancel_task", json!({"task_id": task, "cascade": true})),
        ("get_task", json!({"task_id": task, "network_id": network})),
        ("send_ack", json!({"task_id": task})),
        ("retry_task", json!({"task_id": task})),
        ("cancel_task", json!({"task_id": task})),
        ("cancel_task", json!({"task_id": task, "network_id": network})),
        ("reassign_task", json!({"task_id": task, "new_alias": "spy-worker"})),
        ("send_reply", json!({"in_reply_to": task, "text": "mine"})),
        ("send_reply", json!({"in_reply_to": task, "text": "mine", "network_id": network})),
        ("report_completion", json!({"alias": "spy-worker", "task": task, "result": "mine"})),
        ("ack_inbox", json!({"alias": "spy-worker", "message_id": task})),
        ("extend_lease", json!({"lease_id": lease})),
        ("list_tasks", json!({"network_id": network})),
        ("get_all_status", json!({"network_id": network})),
        ("list_agents", json!({"network_id": network})),
        ("get_completions", json!({"network_id": network})),
        ("get_session_status", json!({"alias": "spy-worker", "network_id": network})),
        ("send_message", json!({"alias": "spy-worker", "message": "x", "network_id": network})),
        ("broadcast", json!({"message": "x", "network_id": network})),
        ("send_task", json!({"alias": "spy-worker", "task": "x", "network_id": network})),
    ];
    let status = json!({"resume_id": "r", "alias": "spy-worker", "status": "idle", "network_id": network});
    tools.push(("report_status", status));
    tools
}

/// An answer with the ids asked for taken out.
fn without(answer: &Response, ids: [&str; 5]) -> (u16, String) {
    let mut body = answer.text();
    for id in ids {
        body = body.replace(id, "ID");
    }
    (answer.status, body)
}

/// The second tenant: a user, an agent and a coordinator.
fn strangers(hub: &Hub) -> Vec<Client> {
    let spy = Tenant::register(hub, "spy-owner");
    let (worker, coordinator) = (spy.agent("spy-worker"), spy.coordinator("spy-coordinator"));
    vec![spy.user, worker, coordinator]
}

#[test]
fn a_foreign_id_is_answered_byte_for_byte_like_a_missing_one() {
    let hub = Hub::start();
    let victim = Victim::furnish(&hub);
    let before = victim.picture();
    let (theirs, none) = (victim.ids(), missing(victim.ids()));
    let none = none.each_ref().map(String::as_str);
    for stranger in strangers(&hub) {
        for ((method, path, body), (_, other_path, other_body)) in
            calls_by_id(theirs).into_iter().zip(calls_by_id(none))
        {
            let answer = without(&stranger.send(method, &path, &[], body.as_ref()), theirs);
            let other = without(&stranger.send(method, &other_path, &[], other_body.as_ref()), none);
            assert_eq!(answer, other, "{method} {path}");
            assert!(!answer.1.contains(MARKER), "{method} {path}: {answer:?}");
        }
        for ((tool, arguments), (_, others)) in tools_by_id(theirs).into_iter().zip(tools_by_id(none)) {
            let answer = without(&tool::raw(&stranger, tool, &arguments), theirs);
            let other = without(&tool::raw(&stranger, tool, &others), none);
            assert_eq!(answer, other, "{tool} {arguments}");
            assert!(!answer.1.contains(MARKER), "{tool} {arguments}: {answer:?}");
        }
    }
    assert_eq!(victim.picture(), before, "a stranger changed something");
}

#[test]
fn no_list_shows_a_byte_of_another_tenant() {
    let hub = Hub::start();
    let _victim = Victim::furnish(&hub);
    let since = "since=2020-01-01T00:00:00Z&limit=500";
    let paths = [
        "/health",
        "/ready",
        "/openapi.json",
        "/metrics",
        "/.well-known/ai-catalog.json",
        "/api/auth/me",
        "/api/auth/tokens",
        "/api/networks",
        "/api/inbox",
        "/api/tasks",
        "/api/tasks?to_name=zebra-worker",
        "/api/tasks?from_name=zebra-sender",
        "/api/task_events",
        "/api/status",
        "/api/agents",
        "/api/stats",
        "/api/tasks?text=zebra",
        "/api/overview",
        "/api/work-graph",
        "/api/session",
        "/api/audit-log",
        "/api/users",
    ];
    let paths = paths.map(str::to_owned).into_iter();
    let paths = paths.chain(["messages", "completions"].map(|list| format!("/api/{list}?{since}")));
    let paths: Vec<String> = paths.collect();
    let tools = [
        ("get_inbox", json!({"alias": "zebra-worker"})),
        ("list_tasks", json!({})),
        ("list_tasks", json!({"alias": "zebra-worker"})),
        ("get_all_status", json!({})),
        ("list_agents", json!({})),
        ("get_session_status", json!({"alias": "zebra-worker"})),
        ("get_completions", json!({})),
        ("claim_task", json!({})),
        ("send_task", json!({"alias": "zebra-worker", "task": "x"})),
        ("send_message", json!({"alias": "zebra-worker", "message": "x"})),
        ("broadcast", json!({"message": "x"})),
    ];
    for stranger in strangers(&hub) {
        for path in &paths {
            let answer = stranger.get(path);
            assert!(answer.status < 500 && !shows_more(&answer, path), "{path}: {}", answer.text());
        }
        for (tool, arguments) in &tools {
            let answer = tool::raw(&stranger, tool, arguments);
            assert!(!shows_more(&answer, &arguments.to_string()), "{tool}: {}", answer.text());
        }
    }
}

/// Whether an answer has the marker anywhere but in an echo of what was asked.
fn shows_more(answer: &Response, asked: &str) -> bool {
    let mut body = answer.text();
    for name in ["zebra-worker", "zebra-sender"].into_iter().filter(|name| asked.contains(name)) {
        body = body.replace(name, "");
    }
    body.contains(MARKER)
}

#[test]
fn a_stream_of_another_tenants_agent_does_not_open() {
    let hub = Hub::start();
    let victim = Victim::furnish(&hub);
    for stranger in strangers(&hub) {
        for path in
            ["/events/zebra-worker".to_owned(), format!("/events/network/{}", victim.tenant.network_id)]
        {
            let answer = stranger.stream(&path, None).expect_err("no stream");
            assert!(matches!(answer.status, 403 | 404), "{path}: {} {}", answer.status, answer.text());
            assert!(!answer.text().contains(MARKER), "{}", answer.text());
        }
    }
}
