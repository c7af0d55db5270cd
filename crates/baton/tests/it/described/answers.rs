//! One success of every operation, each held against its schema. What is left out is named with its reason.

use serde_json::{Value, json};

use super::seen::Seen;
use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, report, text};

const VERSION: (&str, &str) = ("a2a-version", "1.0");
/// Streams have no end, so no whole answer; their frames are held by the tests of their doors.
const STREAMS: [&str; 6] = [
    "GET /events/{name}",
    "GET /events/network/{network_id}",
    "GET /events/task/{task_id}",
    "POST /a2a/{network_id}/{alias}/message:stream",
    "GET /a2a/{network_id}/{alias}/tasks/{id}:subscribe",
    "POST /a2a/{network_id}/{alias}/tasks/{id}:subscribe",
];

/// A network with two agents, and what has been seen of the hub.
struct Stage {
    seen: Seen,
    hub: Hub,
    tenant: Tenant,
    helper: Client,
    other: Client,
}

impl Stage {
    fn set() -> Self {
        let options = ["--username", ADMIN, "--password", PASSWORD, "--allow-outbound", "127.0.0.0/8"];
        let hub = Hub::start_with(&options);
        let tenant = Tenant::of_admin(&hub);
        let (helper, other) = (tenant.agent("helper"), tenant.agent("other"));
        report(&helper, "helper", "idle");
        Self { seen: Seen::of(&hub), hub, tenant, helper, other }
    }

    /// A call of the admin.
    fn call(&mut self, operation: &str, names: &[&str], body: Option<&Value>) -> Value {
        self.seen.call(&self.tenant.user, operation, names, body)
    }

    fn send(&mut self, task: &str) -> String {
        let body = json!({"alias": "helper", "task": task, "network_id": self.tenant.network_id});
        text(&self.call("POST /api/task", &[], Some(&body))["task_id"])
    }
}

#[test]
fn every_operation_has_a_success_that_fits_its_schema() {
    let mut stage = Stage::set();
    the_hub(&mut stage);
    networks(&mut stage);
    tokens_and_invites(&mut stage);
    consent(&mut stage);
    tasks(&mut stage);
    leases(&mut stage);
    lists(&mut stage);
    artifacts(&mut stage);
    evidence(&mut stage);
    remotes(&mut stage);
    agents(&mut stage);
    sessions(&mut stage);
    accounts(&mut stage);
    let operations = stage.seen.operations();
    let missing = operations.difference(stage.seen.succeeded());
    let missing: Vec<_> = missing.filter(|operation| !STREAMS.contains(&operation.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
    stage.seen.record.hold("rest.txt");
}

fn the_hub(stage: &mut Stage) {
    for operation in [
        "GET /health",
        "GET /ready",
        "GET /openapi.json",
        "GET /metrics",
        "GET /api/evidence/key",
        "GET /.well-known/jwks.json",
        "GET /.well-known/ai-catalog.json",
    ] {
        stage.call(operation, &[], None);
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    stage.call("POST /mcp", &[], Some(&message));
}

fn networks(stage: &mut Stage) {
    let made = stage.call("POST /api/networks", &[], Some(&json!({"name": "second", "description": "x"})));
    let network = text(&made["network_id"]);
    stage.call("GET /api/networks", &[], None);
    stage.call("GET /api/networks/{network}", &[&network], None);
    stage.call("PUT /api/networks/{network}", &[&network], Some(&json!({"name": "renamed"})));
    let only = json!({"network_id": network, "node_name": "only", "scope": "node"});
    stage.call("POST /api/auth/node-token", &[], Some(&only));
    stage.call("PUT /api/networks/{network}", &[&network], Some(&json!({"public_cards": true})));
    stage.call("GET /.well-known/agent-card.json", &[], None);
    stage.call("PUT /api/networks/{network}", &[&network], Some(&json!({"public_cards": false})));
    let registration = json!({"username": "bob", "password": PASSWORD, "email": "bob@example.org"});
    let bob = stage.call("POST /api/auth/register", &[], Some(&registration));
    let user = text(&bob["user"]["user_id"]);
    let member = json!({"user_id": user, "role": "viewer"});
    stage.call("POST /api/networks/{network}/members", &[&network], Some(&member));
    stage.call("GET /api/networks/{network}/members", &[&network], None);
    let invited = stage.hub.client().with_token(bob["token"].as_str().unwrap());
    stage.seen.call(&invited, "GET /api/invitations", &[], None);
    stage.seen.call(&invited, "POST /api/invitations/{network}/decline", &[&network], None);
    stage.call("POST /api/networks/{network}/members", &[&network], Some(&member));
    stage.seen.call(&invited, "POST /api/invitations/{network}/accept", &[&network], None);
    let mint = json!({"network_id": network, "node_name": "handed"});
    stage.call("POST /api/auth/node-token", &[], Some(&mint));
    stage.call("GET /api/networks/{network}/aliases", &[&network], None);
    let path = "PUT /api/networks/{network}/aliases/{alias}";
    stage.call(path, &[&network, "handed"], Some(&json!({"user_id": user})));
    stage.call("GET /api/networks/{network}/quotas", &[&network], None);
    stage.call("PUT /api/networks/{network}/quotas", &[&network], Some(&json!({"inbox": 5_000})));
    stage.call("GET /api/users/{user}/quotas", &[&user], None);
    stage.call("PUT /api/users/{user}/quotas", &[&user], Some(&json!({"networks": 60, "tokens": null})));
    let path = "PUT /api/networks/{network}/members/{user}";
    stage.call(path, &[&network, &user], Some(&json!({"role": "member"})));
    stage.call("DELETE /api/networks/{network}/members/{user}", &[&network, &user], None);
    let invite = json!({"role": "viewer", "max_uses": 2, "expires_days": 1});
    let made = stage.call("POST /api/networks/{network}/invite", &[&network], Some(&invite));
    let bob = stage.hub.client().with_token(bob["token"].as_str().unwrap());
    let join = json!({"invite_code": made["invite_code"]});
    stage.seen.call(&bob, "POST /api/networks/join/preview", &[], Some(&join));
    stage.seen.call(&bob, "POST /api/networks/join", &[], Some(&join));
    let invites = stage.call("GET /api/networks/{network}/invites", &[&network], None);
    let invite = text(&invites["invites"][0]["invite_id"]);
    stage.call("DELETE /api/networks/{network}/invites/{invite}", &[&network, &invite], None);
    stage.call("DELETE /api/networks/{network}", &[&network], None);
    stage.call("GET /api/users", &[], None);
    stage.call("GET /api/audit-log?limit=3", &[], None);
}

fn tokens_and_invites(stage: &mut Stage) {
    let network = stage.tenant.network_id.clone();
    let mint = |name: &str| json!({"network_id": network, "node_name": name});
    let first = stage.call("POST /api/auth/node-token", &[], Some(&mint("first")));
    let second = stage.call("POST /api/auth/node-token", &[], Some(&mint("second")));
    stage.call("GET /api/auth/tokens", &[], None);
    stage.call("GET /api/networks/{network}/tokens", &[&network], None);
    stage.call("DELETE /api/auth/tokens/{token}", &[first["token_id"].as_str().unwrap()], None);
    let second = second["token_id"].as_str().unwrap();
    stage.call("DELETE /api/networks/{network}/tokens/{token}", &[&network, second], None);
}

fn consent(stage: &mut Stage) {
    let uri = "https://client.example/callback";
    let metadata = json!({"client_name": "A client", "redirect_uris": [uri]});
    let client = stage.hub.client().post("/oauth/register", &metadata).json();
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let request = json!({
        "response_type": "code",
        "client_id": client["client_id"],
        "redirect_uri": uri,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    });
    let pairs = request.as_object().unwrap().iter().map(|(name, value)| {
        format!("{name}={}", value.as_str().unwrap().replace(':', "%3A").replace('/', "%2F"))
    });
    let query = pairs.collect::<Vec<_>>().join("&");
    stage.call(&format!("GET /api/oauth/authorization?{query}"), &[], None);
    let network = stage.tenant.network_id.clone();
    let decision = json!({"request": request, "allow": true, "network_id": network, "alias": "hosted"});
    stage.call("POST /api/oauth/authorization", &[], Some(&decision));
}

fn tasks(stage: &mut Stage) {
    let task = stage.send("to be cancelled");
    stage.call("POST /api/tasks/{id}/cancel", &[&task], Some(&json!({"reason": "no longer"})));
    let again = stage.call("POST /api/tasks/{id}/retry", &[&task], None);
    let again = text(&again["task_id"]);
    stage.call("GET /api/tasks/{id}", &[&task], None);
    stage.call("POST /api/tasks/{id}/reassign", &[&again], Some(&json!({"new_alias": "other"})));
    let other = stage.other.clone();
    stage.seen.call(&other, "POST /api/tasks/{id}/ack", &[&again], None);
    let reply = json!({"text": "done", "status": "replied"});
    stage.seen.call(&other, "POST /api/tasks/{id}/reply", &[&again], Some(&reply));
    trees(stage);
    let helper = stage.helper.clone();
    let task = stage.send("to be acknowledged");
    stage.seen.call(&helper, "GET /api/inbox?limit=5", &[], None);
    stage.seen.call(&helper, "POST /api/inbox/{id}/ack", &[&task], None);
    let broadcast = json!({"message": "hello", "network_id": stage.tenant.network_id});
    stage.call("POST /api/broadcast", &[], Some(&broadcast));
}

/// A task with one below it: the tree, a cancel that leaves the child open and one that ends it.
fn trees(stage: &mut Stage) {
    let root = stage.send("to be handed on");
    let network_id = stage.tenant.network_id.clone();
    let part = json!({"alias": "other", "task": "a part", "parent_task_id": root, "network_id": network_id});
    stage.call("POST /api/task", &[], Some(&part));
    stage.call("GET /api/tasks/{id}/tree", &[&root], None);
    let left = stage.call("POST /api/tasks/{id}/cancel", &[&root], Some(&json!({})));
    assert_eq!(left["open_descendants"], 1);
    let ended = stage.call("POST /api/tasks/{id}/cancel", &[&root], Some(&json!({"cascade": true})));
    assert_eq!(ended["cancelled_descendants"], 1);
}

fn leases(stage: &mut Stage) {
    let helper = stage.helper.clone();
    let task = stage.send("to be worked on");
    let claimed = stage.seen.call(&helper, "POST /api/claim", &[], Some(&json!({"lease_seconds": 60})));
    let lease = text(&claimed["lease_id"]);
    let worker =
        json!({"hostname": "host", "concurrency": 2, "description": "Helps", "skills": [{"id": "help"}]});
    stage.seen.call(&helper, "PUT /api/workers/{worker_id}", &["w1"], Some(&worker));
    stage.seen.call(&helper, "PUT /api/workers/{worker_id}", &["w2"], Some(&json!({})));
    stage.call(&format!("GET /api/agents?network_id={}", stage.tenant.network_id), &[], None);
    stage.seen.call(&helper, "DELETE /api/workers/{worker_id}", &["w2"], None);
    stage.seen.call(&helper, "POST /api/leases/{id}/extend", &[&lease], Some(&json!({"progress": 40})));
    let task =
        if claimed["task"]["task_id"] == json!(task) { task } else { text(&claimed["task"]["task_id"]) };
    let progress = json!({"lease_id": lease, "percent": 50, "message": "half way", "output": "one\n"});
    stage.seen.call(&helper, "POST /api/tasks/{id}/progress", &[&task], Some(&progress));
    let shared = json!({"lease_id": lease, "artifact_id": "log", "parts": [{"text": "one"}, {"data": {"n": 1}}, {"raw": "aGk="}]});
    stage.seen.call(&helper, "POST /api/tasks/{id}/artifacts", &[&task], Some(&shared));
    stage.call("GET /api/tasks/{id}", &[&task], None);
    let ask = json!({"question": "which one?", "lease_id": lease});
    stage.seen.call(&helper, "POST /api/tasks/{id}/ask", &[&task], Some(&ask));
    stage.call("POST /api/tasks/{id}/answer", &[&task], Some(&json!({"text": "the left one"})));
    stage.call("GET /api/tasks/{id}", &[&task], None);
    several_at_once(stage, &helper);
}

/// Sends that wait, several tasks in a call, and replies that take the next one along.
fn several_at_once(stage: &mut Stage, helper: &Client) {
    let network_id = stage.tenant.network_id.clone();
    let body = |task: &str| json!({"alias": "helper", "task": task, "network_id": network_id});
    let mut waiting = body("waited for");
    waiting["wait_seconds"] = json!(1);
    stage.call("POST /api/task", &[], Some(&waiting));
    let refused = json!({"alias": "nobody", "task": "x", "network_id": network_id});
    stage.call("POST /api/tasks", &[], Some(&json!({"tasks": [body("one"), refused, body("two")]})));
    let claimed = stage.seen.call(helper, "POST /api/claim", &[], Some(&json!({"max": 2})));
    for (held, next) in
        claimed["tasks"].as_array().unwrap().iter().zip([json!({}), json!({"wait_seconds": 1})])
    {
        let reply = json!({"text": "done", "lease_id": held["lease_id"], "claim_next": next});
        let task = text(&held["task"]["task_id"]);
        stage.seen.call(helper, "POST /api/tasks/{id}/reply", &[&task], Some(&reply));
    }
    stage.seen.call(helper, "POST /api/claim", &[], Some(&json!({"max": 32})));
}

fn lists(stage: &mut Stage) {
    for list in [
        "tasks",
        "task_events",
        "messages",
        "completions",
        "status",
        "agents",
        "stats",
        "overview",
        "work-graph",
    ] {
        stage.call(&format!("GET /api/{list}?network_id={}", stage.tenant.network_id), &[], None);
    }
}

fn artifacts(stage: &mut Stage) {
    let network = format!("network_id={}", stage.tenant.network_id);
    let uploaded = stage.call(&format!("PUT /api/artifacts?{network}"), &[], Some(&json!("bytes")));
    let sha256 = text(&uploaded["artifact"]["sha256"]);
    stage.call(&format!("GET /api/artifacts?{network}"), &[], None);
    stage.call(&format!("GET /api/artifacts/{{sha256}}?{network}"), &[&sha256], None);
    let sent = json!({"alias": "helper", "task": "look", "network_id": stage.tenant.network_id, "artifacts": [{"sha256": sha256}]});
    let id = text(&stage.call("POST /api/task", &[], Some(&sent))["task_id"]);
    let shown = stage.call("GET /api/tasks/{id}", &[&id], None);
    assert_eq!(shown["task"]["artifacts"][0]["sha256"], *sha256);
}

fn evidence(stage: &mut Stage) {
    let network = format!("network_id={}", stage.tenant.network_id);
    let packet = json!({
        "protocol": "a2a", "version": "0.2", "event_type": "task.requested", "timestamp": "2026-01-02T03:04:05Z",
        "agent": {"id": "elsewhere"}, "task": {"id": "t-1", "kind": "delegation"}, "message": {"id": "m"},
    });
    stage.call(&format!("POST /api/evidence/packets?{network}"), &[], Some(&packet));
    for path in ["", "/checkpoint", "/proof?index=0", "/consistency?from=1", "/bundle", "/side-file"] {
        let (path, and) = path.split_once('?').map_or((path, String::new()), |(p, q)| (p, format!("&{q}")));
        stage.call(&format!("GET /api/evidence{path}?{network}{and}"), &[], None);
    }
}

fn remotes(stage: &mut Stage) {
    let network = stage.tenant.network_id.clone();
    let card = format!("{}/a2a/{network}/helper/.well-known/agent-card.json", stage.hub.url());
    let remote = json!({"alias": "scout", "card_url": card, "credential": stage.other.token});
    stage.call("POST /api/networks/{network}/remotes", &[&network], Some(&remote));
    stage.call("GET /api/networks/{network}/remotes", &[&network], None);
    let keys = stage.call("GET /.well-known/jwks.json", &[], None);
    let pin = json!({"pinned_key": keys["keys"][0]["kid"]});
    stage.call("PUT /api/networks/{network}/remotes/{alias}/key", &[&network, "scout"], Some(&pin));
    stage.call("DELETE /api/networks/{network}/remotes/{alias}", &[&network, "scout"], None);
}

fn agents(stage: &mut Stage) {
    let user = stage.tenant.user.clone();
    let base = [stage.tenant.network_id.clone(), "helper".to_owned()];
    let base = base.each_ref().map(String::as_str);
    let message = json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "hello"}]});
    let send = json!({"message": message, "configuration": {"returnImmediately": true}});
    let agent = "/a2a/{network_id}/{alias}";
    let mut call = |operation: &str, more: &[&str], body: Option<&Value>| {
        let (method, path) = operation.split_once(' ').unwrap();
        let names = [&base[..], more].concat();
        stage.seen.call_with(&user, &format!("{method} {agent}{path}"), &names, &[VERSION], body)
    };
    for path in ["GET ", "GET /", "GET /.well-known/agent-card.json", "GET /extendedAgentCard", "GET /tasks"]
    {
        call(path, &[], None);
    }
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}});
    call("POST ", &[], Some(&list));
    call("POST /", &[], Some(&list));
    let task = text(&call("POST /message:send", &[], Some(&send))["task"]["id"]);
    let task = task.as_str();
    call("GET /tasks/{id}", &[task], None);
    let push = json!({"id": "mine", "url": "http://127.0.0.1:9/hook"});
    call("POST /tasks/{id}/pushNotificationConfigs", &[task], Some(&push));
    call("GET /tasks/{id}/pushNotificationConfigs", &[task], None);
    call("GET /tasks/{id}/pushNotificationConfigs/{config_id}", &[task, "mine"], None);
    call("DELETE /tasks/{id}/pushNotificationConfigs/{config_id}", &[task, "mine"], None);
    call("POST /tasks/{id}:cancel", &[task], Some(&json!({})));
}

fn sessions(stage: &mut Stage) {
    let (client, origin) = (stage.hub.client(), stage.hub.url());
    let page = [("origin", origin.as_str()), ("baton-page", "1")];
    let login = json!({"username": "bob", "password": PASSWORD});
    stage.seen.call_with(&client, "POST /api/session", &[], &page, Some(&login));
    let bob = stage.hub.login("bob", PASSWORD);
    stage.seen.call(&bob, "GET /api/session", &[], None);
    let change = json!({"old_password": PASSWORD, "new_password": "another-long-password"});
    stage.seen.call(&bob, "POST /api/session/password", &[], Some(&change));
    let bob = stage.hub.login("bob", "another-long-password");
    stage.seen.call(&bob, "DELETE /api/session", &[], None);
    stage.seen.call(&client, "GET /api/session/options", &[], None);
    let registration = json!({"username": "carol", "password": PASSWORD});
    stage.seen.call_with(&client, "POST /api/session/register", &[], &page, Some(&registration));
}

fn accounts(stage: &mut Stage) {
    let login = json!({"username": "bob", "password": "another-long-password"});
    let answer = stage.call("POST /api/auth/login", &[], Some(&login));
    let bob = stage.hub.client().with_token(answer["token"].as_str().unwrap());
    stage.seen.call(&bob, "GET /api/auth/me", &[], None);
    stage.seen.call(&bob, "PUT /api/auth/me", &[], Some(&json!({"display_name": "Bob"})));
    let change = json!({"old_password": "another-long-password", "new_password": PASSWORD});
    let changed = stage.seen.call(&bob, "POST /api/auth/password", &[], Some(&change));
    let bob = bob.with_token(changed["token"].as_str().unwrap());
    stage.seen.call(&bob, "POST /api/auth/logout", &[], None);
}

#[test]
fn a_route_that_is_not_public_asks_for_a_token() {
    let hub = Hub::start();
    let mut seen = Seen::of(&hub);
    let api = hub.client().get("/openapi.json").json();
    for operation in seen.operations() {
        let (method, path) = operation.split_once(' ').unwrap();
        let security = &api["paths"][path][method.to_lowercase()]["security"];
        let is_public = security.as_array().is_some_and(|keys| keys.contains(&json!({})));
        let answer = hub.client().send(method, &path.replace(['{', '}'], ""), &[], None);
        assert_eq!(answer.status == 401, !is_public, "{operation}: {} {}", answer.status, answer.text());
        seen.check(&operation, &answer);
    }
}
