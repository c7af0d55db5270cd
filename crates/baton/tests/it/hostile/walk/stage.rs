//! The hub that is walked over, who walks, and what there is to be named: a network with tasks, tokens and invites, and
//! another of the stranger's own.

use serde_json::{Value, json};

use super::call::Answered;
use super::values::Known;
use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, send, succeed, text};

/// Who walks.
pub(super) const KINDS: [&str; 6] =
    ["nobody", "a stranger", "a viewer", "a member", "a node", "a system admin"];
const NODE: usize = 4;
const USERS: [Option<&str>; 6] = [None, Some("stranger"), Some("viewer"), Some("member"), None, Some(ADMIN)];

/// One route, or one tool.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) method: String,
    pub(super) path: String,
    /// Names in its query.
    pub(super) query: Vec<String>,
    /// The schema of its body, or of a tool's arguments.
    pub(super) body: Option<Value>,
    pub(super) form: String,
    pub(super) tool: Option<String>,
}

impl Operation {
    /// Streamed, however long it is.
    pub(super) fn is_export(&self) -> bool {
        matches!(&*self.path, "/api/evidence/bundle" | "/api/evidence/side-file")
    }

    /// Answers late or never: streams, claims that wait, A2A sends that wait for their task.
    pub(super) fn may_wait(&self) -> bool {
        self.path.starts_with("/events")
            || self.path.contains("/message:")
            || self.path.contains(":subscribe")
            || self.path == "/api/claim"
            || self.path.starts_with("/a2a")
                && self.form.contains("json")
                && self.path.matches('/').count() <= 3
            || self.tool.as_deref() == Some("claim_task")
            || self.path == "/mcp" && self.tool.is_none()
    }

    /// Takes away what the walk stands on, if it is named rightly.
    fn ends_something(&self) -> bool {
        self.method == "DELETE" && matches!(&*self.path, "/api/networks/{network}")
    }
}

pub(super) struct Stage {
    pub(super) hub: Hub,
    pub(super) tenant: Tenant,
    pub(super) known: Known,
    pub(super) operations: Vec<Operation>,
    tokens: Vec<Option<String>>,
}

impl Stage {
    pub(super) fn set() -> Self {
        let hub = Hub::start();
        let tenant = Tenant::register(&hub, "owner");
        let stranger = Tenant::register(&hub, "stranger");
        let mut known = Known::default();
        for (name, role) in [("viewer", "viewer"), ("member", "member")] {
            let (user, answer) = hub.register(name);
            tenant.admit(&user, role);
            known.users.push(text(&answer["user"]["user_id"]));
        }
        let (helper, token) = tenant.mint("helper", "node");
        tenant.agent("bob");
        known.tokens.push(token);
        for number in 0..6 {
            known.tasks.push(send(&tenant.user, "helper", &format!("work {number}")));
        }
        known.tasks.push(send(&helper, "bob", "from an agent"));
        stranger.agent("helper");
        known.tasks.push(send(&stranger.user, "helper", "of another network"));
        let done = json!({"text": "done", "status": "replied"});
        succeed(&helper.post(&format!("/api/tasks/{}/reply", known.tasks[0]), &done));
        let path = format!("/api/networks/{}/invite", tenant.network_id);
        succeed(&tenant.user.post(&path, &json!({"role": "viewer", "max_uses": 1000})));
        let invites = succeed(&tenant.user.get(&format!("/api/networks/{}/invites", tenant.network_id)));
        known.invites.push(text(&invites["invites"][0]["invite_id"]));
        known.networks = vec![tenant.network_id.clone(), stranger.network_id];
        let operations = [routes(&hub), tools(&tenant.user)].concat();
        assert!(operations.len() > 80, "{}", operations.len());
        let mut stage = Self { hub, tenant, known, operations, tokens: vec![None; KINDS.len()] };
        (0..KINDS.len()).for_each(|kind| stage.sign_in(kind));
        stage
    }

    /// What a caller shows. Nobody signs out: made-up logins soon lock out everybody of this address.
    pub(super) fn token(&self, kind: usize, operation: &Operation) -> Option<&str> {
        let signs_out = operation.path == "/api/auth/logout"
            || operation.path == "/api/session" && operation.method == "DELETE";
        self.tokens[kind].as_deref().map(|token| if signs_out { "utok_unknown" } else { token })
    }

    fn sign_in(&mut self, kind: usize) {
        self.tokens[kind] = match USERS[kind] {
            Some(user) => self.hub.login(user, PASSWORD).token,
            None if kind == NODE => self.tenant.agent("helper").token,
            None => None,
        };
    }

    /// Learns ids to name later, and mints a new token for the agent if its own may be gone.
    pub(super) fn note(&mut self, operation: &Operation, answered: &Answered) {
        let answer = answered.json();
        if answered.status == 200
            && let Some(task) = answer["task_id"].as_str()
        {
            self.known.remember_task(task);
        }
        if operation.method == "DELETE" && operation.path.contains("token") && answered.status == 200 {
            self.sign_in(NODE);
        }
    }
}

/// Every route of openapi.json.
fn routes(hub: &Hub) -> Vec<Operation> {
    let api = hub.client().get("/openapi.json").json();
    let mut routes = Vec::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, described) in item.as_object().unwrap() {
            let parameters = described["parameters"].as_array().cloned().unwrap_or_default();
            let content = described["requestBody"]["content"].as_object().cloned().unwrap_or_default();
            // One operation for each form of its body.
            let forms: Vec<_> =
                content.into_iter().map(|(form, body)| (form, Some(body["schema"].clone()))).collect();
            let forms = if forms.is_empty() { vec![(String::new(), None)] } else { forms };
            for (form, body) in forms {
                let operation = Operation {
                    method: method.to_uppercase(),
                    path: path.clone(),
                    query: parameters
                        .iter()
                        .filter(|one| one["in"] == "query")
                        .map(|one| text(&one["name"]))
                        .collect(),
                    body: body.map(|schema| resolved(&api, &schema, 0)),
                    form,
                    tool: None,
                };
                if !operation.ends_something() {
                    routes.push(operation);
                }
            }
        }
    }
    routes
}

/// A schema with what it refers to in its place, as deep as arguments are made up.
fn resolved(api: &Value, schema: &Value, depth: usize) -> Value {
    if depth > 8 {
        return Value::Null;
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/components/schemas/")) {
        return resolved(api, &api["components"]["schemas"][name], depth + 1);
    }
    match schema {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), resolved(api, value, depth + 1))).collect()
        }
        Value::Array(items) => items.iter().map(|item| resolved(api, item, depth + 1)).collect(),
        other => other.clone(),
    }
}

/// Every tool of tools/list.
fn tools(user: &Client) -> Vec<Operation> {
    let headers = [("accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-03-26")];
    let listed = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let answer = user.send("POST", "/mcp", &headers, Some(&listed)).text();
    let line = answer.lines().find_map(|line| line.strip_prefix("data: {")).unwrap();
    let listed: Value = serde_json::from_str(&format!("{{{line}")).unwrap();
    let tool = |tool: &Value| Operation {
        method: "POST".into(),
        path: "/mcp".into(),
        query: Vec::new(),
        body: Some(tool["inputSchema"].clone()),
        form: "application/json".into(),
        tool: Some(text(&tool["name"])),
    };
    let tools: Vec<_> = listed["result"]["tools"].as_array().unwrap().iter().map(tool).collect();
    assert!(tools.len() > 20, "{}", tools.len());
    tools
}
