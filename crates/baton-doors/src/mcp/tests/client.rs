//! The official SDK's own client, over a unix socket so that no HTTP client has to be built for it.

use axum::Router;
use axum::http::{HeaderName, HeaderValue};
use baton_core::SystemRole;
use rmcp::model::{CallToolRequestParams, ProgressNotificationParam};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};
use std::collections::HashSet;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::fake;
use crate::fixture::TestHub;
use crate::mcp::{router, router_of};

pub(super) type Client<H = ()> = RunningService<RoleClient, H>;

/// A client with this token, at this door.
pub(super) async fn connect(test: &TestHub, door: Router, token: &str) -> Client {
    connect_as((), test, door, token).await
}

/// The same with what handles notifications.
pub(super) async fn connect_as<H: ClientHandler>(
    handler: H,
    test: &TestHub,
    door: Router,
    token: &str,
) -> Client<H> {
    let socket = test.folder.path().join("mcp.sock");
    let listener = tokio::net::UnixListener::bind(&socket).unwrap();
    // Ends with the test's runtime.
    tokio::spawn(async move { axum::serve(listener, door).await });
    let mut config = StreamableHttpClientTransportConfig::with_uri("http://localhost/mcp");
    let bearer = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
    config.custom_headers.insert(HeaderName::from_static("authorization"), bearer);
    let path = socket.to_str().unwrap();
    handler.serve(StreamableHttpClientTransport::from_unix_socket_with_config(path, config)).await.unwrap()
}

/// The object a tool answers; its text says the same.
pub(super) async fn call(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let mut call = CallToolRequestParams::new(tool);
    call.arguments = arguments.as_object().cloned();
    let result = client.call_tool(call).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
    let text = &result.content[0].as_text().unwrap().text;
    let answer = result.structured_content.unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), answer);
    answer
}

#[tokio::test]
async fn the_official_client_lists_the_tools_and_calls_one() {
    let test = TestHub::start();
    let token = test.person("ada", SystemRole::User, &[1]).await;
    let client = connect(&test, router_of(&test.hub, fake::tools()), &token).await;
    let names: Vec<_> = client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["greet", "refuse", "panic"]);
    let answer = call(&client, "greet", json!({ "alias": "bob" })).await;
    assert_eq!(answer, json!({ "ok": true, "alias": "bob", "actor": "ada" }));
    let failed = client.call_tool(CallToolRequestParams::new("greet")).await.unwrap_err().to_string();
    assert!(failed.contains("alias: is required"), "{failed}");
}

/// Passes on the progress it receives.
struct ProgressSink(UnboundedSender<ProgressNotificationParam>);

impl ClientHandler for ProgressSink {
    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.send(params).unwrap();
    }
}

#[tokio::test]
async fn the_official_client_receives_progress_while_it_waits_for_a_task() {
    let test = TestHub::start();
    test.person("ada", SystemRole::User, &[1]).await;
    let token = test.agent("ada", 1, "bob").await;
    let (tell, mut told) = unbounded_channel();
    let client = connect_as(ProgressSink(tell), &test, router(&test.hub), &token).await;
    let call = async |tool: &'static str, arguments: Value| {
        let mut call = CallToolRequestParams::new(tool);
        call.arguments = arguments.as_object().cloned();
        client.call_tool(call).await.unwrap().structured_content.unwrap()
    };
    call("send_task", json!({ "alias": "bob", "task": "x" })).await;
    let claimed = call("claim_task", json!({ "lease_seconds": 60 })).await;
    let (id, lease) = (&claimed["task"]["task_id"], &claimed["lease_id"]);
    let working = async {
        let report = json!({ "task_id": id, "lease_id": lease, "percent": 30, "message": "reading" });
        call("report_progress", report).await;
        let first = told.recv().await.unwrap();
        call("report_progress", json!({ "task_id": id, "lease_id": lease, "percent": 60 })).await;
        let second = told.recv().await.unwrap();
        call("send_reply", json!({ "text": "done", "in_reply_to": id, "lease_id": lease })).await;
        [first, second]
    };
    let waiting = call("get_task", json!({ "task_id": id, "wait_seconds": 60 }));
    let (answer, progress) = tokio::join!(waiting, working);
    assert_eq!(answer["task"]["result"], "done");
    assert_eq!(progress.each_ref().map(|told| told.progress), [30.0, 60.0]);
    assert!(
        progress.iter().all(|told| told.message.as_deref() == Some("reading") && told.total == Some(100.0))
    );
    assert!(told.try_recv().is_err(), "nothing comes twice");
}

/// One agent that sends itself work, so that every tool has something to do.
#[tokio::test]
async fn the_official_client_calls_every_tool() {
    let test = TestHub::start();
    test.person("ada", SystemRole::User, &[1]).await;
    let token = test.agent("ada", 1, "bob").await;
    test.agent("ada", 1, "carol").await;
    let client = connect(&test, router(&test.hub), &token).await;
    let listed = client.list_all_tools().await.unwrap();
    let mut called = HashSet::new();
    let mut ask = async |tool: &'static str, arguments: Value| {
        called.insert(tool.to_owned());
        let answer = call(&client, tool, arguments).await;
        assert_eq!(answer["ok"], true, "{tool}: {answer}");
        answer
    };
    let task_of = |answer: &Value| answer["task_id"].clone();

    ask("report_status", json!({ "status": "idle" })).await;
    let acked = task_of(&ask("send_task", json!({ "alias": "bob", "task": "one" })).await);
    ask("send_ack", json!({ "task_id": acked })).await;
    ask("report_completion", json!({ "alias": "bob", "task": acked, "result": "done" })).await;
    ask("send_task", json!({ "alias": "bob", "task": "two", "kind": "request" })).await;
    let claimed = ask("claim_task", json!({ "lease_seconds": 5 })).await;
    ask("extend_lease", json!({ "lease_id": claimed["lease_id"], "progress": 50 })).await;
    let report =
        json!({ "task_id": claimed["task"]["task_id"], "lease_id": claimed["lease_id"], "percent": 60 });
    ask("report_progress", report).await;
    ask("send_reply", json!({ "text": "no", "in_reply_to": claimed["task"]["task_id"], "status": "failed" }))
        .await;
    let again = task_of(&ask("retry_task", json!({ "task_id": claimed["task"]["task_id"] })).await);
    ask("reassign_task", json!({ "task_id": again, "new_alias": "carol" })).await;
    ask("cancel_task", json!({ "task_id": again, "reason": "enough" })).await;
    let message = ask("send_message", json!({ "alias": "bob", "message": "hello" })).await;
    ask("ack_inbox", json!({ "alias": "bob", "message_id": message["message_id"] })).await;
    ask("get_inbox", json!({ "alias": "bob" })).await;
    ask("broadcast", json!({ "message": "all" })).await;
    ask("get_task", json!({ "task_id": acked })).await;
    ask("wait_for_task", json!({ "task_ids": [acked] })).await;
    ask("get_task_tree", json!({ "task_id": acked })).await;
    ask("list_tasks", json!({})).await;
    ask("get_all_status", json!({})).await;
    ask("get_session_status", json!({ "alias": "bob" })).await;
    ask("list_agents", json!({})).await;
    ask("get_completions", json!({})).await;
    ask("get_evidence", json!({ "task_id": acked })).await;
    let asked =
        task_of(&ask("send_task", json!({ "alias": "bob", "task": "three", "priority": "high" })).await);
    ask("claim_task", json!({})).await;
    ask("ask_sender", json!({ "task_id": asked, "question": "which?" })).await;
    ask("answer_task", json!({ "task_id": asked, "text": "this" })).await;

    assert_eq!(called, listed.into_iter().map(|tool| tool.name.into_owned()).collect());
}
