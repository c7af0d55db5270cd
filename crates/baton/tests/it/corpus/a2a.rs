//! Every A2A method on both HTTP bindings: one life of a task, and calls that are wrong.

use serde_json::{Value, json};

use super::record::Record;
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, succeed, text};

const VERSION: (&str, &str) = ("a2a-version", "1.0");
const NOBODY: &str = "00000000-0000-4000-8000-000000000000";
const METHODS: [&str; 12] = [
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
    "NoSuchMethod",
];

struct Agent {
    record: Record,
    base: String,
}

impl Agent {
    fn rpc(&mut self, client: &Client, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let path = format!("{}/", self.base);
        let answer = self.record.send(client, ("POST", &path), &[VERSION], Some(&body));
        serde_json::from_slice(&answer.body).unwrap_or(Value::Null)
    }

    fn http(&mut self, client: &Client, method: &str, path: &str, body: Option<&Value>) -> Value {
        let path = format!("{}{path}", self.base);
        let answer = self.record.send(client, (method, &path), &[VERSION], body);
        serde_json::from_slice(&answer.body).unwrap_or(Value::Null)
    }
}

fn message(id: &str, parts: &Value) -> Value {
    json!({"message": {"messageId": id, "role": "ROLE_USER", "parts": parts}, "configuration": {"returnImmediately": true}})
}

#[test]
fn a2a_methods_are_answered_as_recorded() {
    let hub = Hub::start_with(&[
        "--username",
        crate::it::hub::ADMIN,
        "--password",
        crate::it::hub::PASSWORD,
        "--allow-outbound",
        "127.0.0.0/8",
    ]);
    let tenant = Tenant::of_admin(&hub);
    let worker = tenant.agent("worker");
    let stranger = Tenant::register(&hub, "stranger");
    let base = format!("/a2a/{}/worker", tenant.network_id);
    let mut agent = Agent { record: Record::default(), base };
    for path in ["", "/.well-known/agent-card.json", "/extendedAgentCard"] {
        agent.http(&tenant.user, "GET", path, None);
        agent.http(&hub.client(), "GET", path, None);
        agent.http(&stranger.user, "GET", path, None);
    }
    for method in METHODS {
        agent.rpc(&tenant.user, method, &json!({}));
        agent.rpc(&tenant.user, method, &json!({"id": NOBODY, "taskId": NOBODY}));
        agent.rpc(&tenant.user, method, &json!([]));
        agent.rpc(&stranger.user, method, &json!({"id": NOBODY}));
        agent.rpc(&hub.client(), method, &json!({"id": NOBODY}));
    }
    lives(&mut agent, &tenant.user, &worker);
    agent.record.hold("a2a.txt");
}

/// One life to a binding.
fn lives(agent: &mut Agent, user: &Client, worker: &Client) {
    let parts = json!([{"text": "hello"}, {"data": {"n": 1}}, {"raw": "aGk=", "filename": "hi.txt", "mediaType": "text/plain"}]);
    let sent = agent.rpc(user, "SendMessage", &message("m-1", &parts));
    let id = text(&sent["result"]["task"]["id"]);
    work(agent, user, worker, &id);
    let push = json!({"taskId": id, "id": "mine", "url": "http://127.0.0.1:9999/hook"});
    agent.rpc(user, "CreateTaskPushNotificationConfig", &push);
    for method in [
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
    ] {
        agent.rpc(user, method, &json!({"taskId": id, "id": "mine"}));
    }
    agent.rpc(user, "GetTask", &json!({"id": id, "historyLength": 1}));
    agent.rpc(user, "SubscribeToTask", &json!({"id": id}));
    let again = json!({"message": {"messageId": "m-2", "role": "ROLE_USER", "taskId": id, "parts": [{"text": "more"}]}});
    agent.rpc(user, "SendMessage", &again);
    let sent = agent.http(user, "POST", "/message:send", Some(&message("m-3", &json!([{"text": "hello"}]))));
    let id = text(&sent["task"]["id"]);
    agent.http(user, "GET", &format!("/tasks/{id}"), None);
    agent.http(user, "POST", &format!("/tasks/{id}:cancel"), Some(&json!({})));
    agent.http(user, "POST", &format!("/tasks/{id}:cancel"), Some(&json!({})));
    agent.http(user, "GET", "/tasks", None);
    agent.rpc(user, "ListTasks", &json!({"pageSize": 1}));
    agent.rpc(user, "GetExtendedAgentCard", &json!({}));
    for wrong in [json!([]), json!([{}]), json!([{"text": "a", "raw": "aGk="}]), json!([{"raw": "?"}])] {
        agent.rpc(user, "SendMessage", &message("m-4", &wrong));
        agent.http(user, "POST", "/message:send", Some(&message("m-4", &wrong)));
    }
}

/// The worker asks, is answered and ends the task.
fn work(agent: &mut Agent, user: &Client, worker: &Client, id: &str) {
    let lease = claim(worker, 0, 60)["lease_id"].clone();
    agent.rpc(user, "GetTask", &json!({"id": id}));
    succeed(&act(
        worker,
        id,
        "ask",
        &json!({"question": "which?", "options": ["a", "b"], "lease_id": lease}),
    ));
    agent.rpc(user, "GetTask", &json!({"id": id}));
    let answer = json!({"message": {"messageId": "m-a", "role": "ROLE_USER", "taskId": id, "parts": [{"text": "a"}]}, "configuration": {"returnImmediately": true}});
    agent.rpc(user, "SendMessage", &answer);
    let lease = claim(worker, 0, 60)["lease_id"].clone();
    succeed(&act(worker, id, "reply", &json!({"text": "done", "lease_id": lease})));
    agent.rpc(user, "GetTask", &json!({"id": id}));
}
