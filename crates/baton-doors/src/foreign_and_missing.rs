//! A task of another network and one that does not exist: the same answer from the same reads, at every door.

use axum::http::{HeaderValue, StatusCode};
use baton_core::{NetworkRole, SystemRole, TaskId, UnixMillis};
use baton_store::Statements;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::fixture::{TestHub, network, request, user_id, whole};

const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);

/// A hub with `ada`, who owns network 1 with a task for `bob`, and `eve`, who owns network 2.
struct World {
    test: TestHub,
    task: TaskId,
    statements: Statements,
}

impl World {
    async fn new() -> Self {
        let test = TestHub::start();
        let ada = test.person("ada", SystemRole::User, &[1]).await;
        test.agent("ada", 1, "bob").await;
        test.person("eve", SystemRole::User, &[2]).await;
        let statements = Statements::of(&test.folder.path().join("hub.db"));
        let mut world = Self { test, task: TaskId::new(NOW, [1; 10]), statements };
        // Large, so that reading its row would cost something.
        let body = json!({"alias": "bob", "task": "x".repeat(9_000), "network_id": network(1)});
        let (status, sent) = world.call(&ada, "POST", "/api/task", Some(&body)).await;
        assert!(status.is_success(), "{sent}");
        let sent: Value = serde_json::from_str(&sent).unwrap();
        world.task = TaskId::parse(sent["task_id"].as_str().unwrap()).unwrap();
        world
    }

    async fn call(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> (StatusCode, String) {
        let text = body.map(Value::to_string).unwrap_or_default();
        let mut request = request(method, path, token, text);
        let headers = request.headers_mut();
        headers.insert("host", HeaderValue::from_static("127.0.0.1"));
        headers.insert("a2a-version", HeaderValue::from_static("1.0"));
        headers.insert("accept", HeaderValue::from_static("application/json, text/event-stream"));
        if body.is_some() {
            headers.insert("content-type", HeaderValue::from_static("application/json"));
        }
        let peer = axum::extract::ConnectInfo(std::net::SocketAddr::from(([127, 0, 0, 1], 40_000)));
        request.extensions_mut().insert(peer);
        whole(crate::server::router(self.test.hub.clone()).oneshot(request).await.unwrap()).await
    }

    /// The answer about a task, with its id made the same in all answers, and the statements that were run for it.
    async fn asked(&self, token: &str, call: &Call, task: &TaskId) -> (StatusCode, String, Vec<String>) {
        let (method, path, body) = call.about(task);
        let _before = self.statements.take();
        let (status, answer) = self.call(token, method, &path, body.as_ref()).await;
        (status, answer.replace(task.as_str(), "TASK"), self.statements.take())
    }
}

/// A call about one task: `TASK` stands for its id.
struct Call(&'static str, &'static str, Option<Value>);

impl Call {
    fn about(&self, task: &TaskId) -> (&'static str, String, Option<Value>) {
        let fill = |text: &str| {
            text.replace("TASK", task.as_str())
                .replace("OWN", network(2).as_str())
                .replace("OTHERS", network(1).as_str())
        };
        let body = self.2.as_ref().map(|body| serde_json::from_str(&fill(&body.to_string())).unwrap());
        (self.0, fill(self.1), body)
    }
}

fn tool(name: &str, arguments: &Value) -> Call {
    let params = json!({"name": name, "arguments": arguments});
    Call("POST", "/mcp", Some(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})))
}

fn calls() -> Vec<Call> {
    let message = json!({"messageId": "m", "role": "ROLE_USER", "taskId": "TASK", "parts": [{"text": "x"}]});
    let receiver = json!({"url": "https://198.51.100.7/hook"});
    vec![
        Call("GET", "/api/tasks/TASK", None),
        Call("GET", "/api/tasks?task_id=TASK", None),
        Call("GET", "/api/tasks?parent_task_id=TASK", None),
        Call("GET", "/api/task_events?task_id=TASK", None),
        Call("GET", "/api/evidence?task_id=TASK", None),
        Call("GET", "/api/evidence?task_id=TASK&network_id=OWN", None),
        Call("GET", "/api/evidence/bundle?task_id=TASK", None),
        Call("GET", "/api/evidence/side-file?task_id=TASK", None),
        Call("POST", "/api/tasks/TASK/cancel", Some(json!({"reason": "x"}))),
        Call("POST", "/api/tasks/TASK/retry", Some(json!({}))),
        Call("POST", "/api/tasks/TASK/reassign", Some(json!({"new_alias": "x"}))),
        Call("POST", "/api/tasks/TASK/reply", Some(json!({"text": "x", "status": "replied"}))),
        Call("POST", "/api/tasks/TASK/ack", Some(json!({}))),
        Call("POST", "/api/tasks/TASK/ask", Some(json!({"question": "x"}))),
        Call("POST", "/api/tasks/TASK/messages", Some(json!({"text": "x"}))),
        Call("POST", "/api/inbox/TASK/ack", Some(json!({}))),
        Call(
            "POST",
            "/api/task",
            Some(json!({"alias": "x", "task": "x", "network_id": "OWN", "parent_task_id": "TASK"})),
        ),
        Call("GET", "/a2a/OTHERS/bob/tasks/TASK", None),
        Call("GET", "/a2a/OTHERS/bob/tasks/TASK:subscribe", None),
        Call("POST", "/a2a/OTHERS/bob/tasks/TASK:cancel", Some(json!({}))),
        Call("POST", "/a2a/OTHERS/bob/message:send", Some(json!({"message": message}))),
        Call("GET", "/a2a/OTHERS/bob/tasks/TASK/pushNotificationConfigs", None),
        Call("GET", "/a2a/OTHERS/bob/tasks/TASK/pushNotificationConfigs/x", None),
        Call("POST", "/a2a/OTHERS/bob/tasks/TASK/pushNotificationConfigs", Some(receiver)),
        Call("DELETE", "/a2a/OTHERS/bob/tasks/TASK/pushNotificationConfigs/x", None),
        Call("GET", "/a2a/OWN/mole/tasks/TASK", None),
        tool("get_task", &json!({"task_id": "TASK"})),
        tool("get_evidence", &json!({"task_id": "TASK"})),
        tool("cancel_task", &json!({"task_id": "TASK", "network_id": "OWN"})),
        tool("send_ack", &json!({"task_id": "TASK"})),
    ]
}

#[tokio::test]
async fn a_foreign_task_costs_the_same_reads_as_a_missing_one() {
    let world = World::new().await;
    let missing = TaskId::new(NOW, [9; 10]);
    let eve = world.test.person("ivy", SystemRole::User, &[3]).await;
    let mole = world.test.agent("eve", 2, "mole").await;
    // A viewer elsewhere: a member of something, but not of the task's network.
    let vic = world.test.person("vic", SystemRole::User, &[]).await;
    world
        .test
        .write(|tx| {
            tx.touch_access();
            tx.put_member(&network(2), &user_id("vic"), NetworkRole::Viewer, None, NOW)
        })
        .await;
    for (who, token) in
        [("a stranger", eve), ("an agent of another network", mole), ("a viewer of another", vic)]
    {
        // What is remembered of a caller is learnt by the first call.
        world.call(&token, "GET", "/api/tasks", None).await;
        for call in calls() {
            // So are roles, by the writer, the caller's in the task's network and in none.
            for task in [&world.task, &missing] {
                world.asked(&token, &call, task).await;
            }
            let foreign = world.asked(&token, &call, &world.task).await;
            let none = world.asked(&token, &call, &missing).await;
            assert_eq!(foreign.2, none.2, "{who}: {} {}: {} {}", call.0, call.1, foreign.0, foreign.1);
            assert_eq!((foreign.0, foreign.1), (none.0, none.1), "{who}: {} {}", call.0, call.1);
        }
    }
}

#[tokio::test]
async fn the_recorder_tells_reads_apart() {
    let world = World::new().await;
    let ada = world.test.person("amy", SystemRole::Admin, &[]).await;
    world.call(&ada, "GET", "/api/tasks", None).await;
    let call = Call("GET", "/api/tasks/TASK", None);
    let seen = world.asked(&ada, &call, &world.task).await;
    let none = world.asked(&ada, &call, &TaskId::new(NOW, [9; 10])).await;
    assert_eq!((seen.0, none.0), (StatusCode::OK, StatusCode::NOT_FOUND));
    assert!(none.2.len() >= 2 && seen.2.len() > none.2.len(), "{:?} {:?}", seen.2, none.2);
}
