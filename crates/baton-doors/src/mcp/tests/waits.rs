//! Calls that wait: for several tasks, and with a sign of life to a caller that asked for one.

use baton_core::SystemRole;
use rmcp::model::{CallToolRequestParams, ProgressNotificationParam};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::client::{call, connect, connect_as};
use crate::fixture::TestHub;
use crate::mcp::handler::Handler;
use crate::mcp::{router, router_with, tools};

#[tokio::test]
async fn a_call_waits_for_one_or_all_of_several_tasks() {
    let test = TestHub::start();
    test.person("ada", SystemRole::User, &[1]).await;
    let token = test.agent("ada", 1, "bob").await;
    let client = connect(&test, router(&test.hub), &token).await;
    let mut ids = Vec::new();
    for task in ["one", "two"] {
        ids.push(
            call(&client, "send_task", json!({ "alias": "bob", "task": task })).await["task_id"].clone(),
        );
    }
    let look = call(&client, "wait_for_task", json!({ "task_ids": ids, "wait_seconds": 0 })).await;
    assert_eq!((&look["done"], &look["tasks"][1]["status"]), (&json!(false), &json!("delivered")), "{look}");
    let reply = |id: &Value| json!({ "text": "done", "in_reply_to": id });
    let any = call(&client, "wait_for_task", json!({ "task_ids": ids, "until": "any", "wait_seconds": 60 }));
    let (any, _) = tokio::join!(any, call(&client, "send_reply", reply(&ids[0])));
    assert_eq!((&any["done"], &any["tasks"][0]["result"]), (&json!(true), &json!("done")), "{any}");
    let all = call(&client, "wait_for_task", json!({ "task_ids": ids, "wait_seconds": 60 }));
    let (all, _) = tokio::join!(all, call(&client, "send_reply", reply(&ids[1])));
    let ended: Vec<_> = all["tasks"].as_array().unwrap().iter().map(|task| task["ended"].clone()).collect();
    assert_eq!((&all["done"], ended), (&json!(true), vec![json!(true); 2]), "{all}");
}

#[tokio::test]
async fn a_task_out_of_sight_is_not_waited_for() {
    let test = TestHub::start();
    test.person("ada", SystemRole::User, &[1]).await;
    test.person("eve", SystemRole::User, &[2]).await;
    let (bob, mallory) = (test.agent("ada", 1, "bob").await, test.agent("eve", 2, "mallory").await);
    let id = {
        let client = connect(&test, router(&test.hub), &bob).await;
        call(&client, "send_task", json!({ "alias": "bob", "task": "one" })).await["task_id"].clone()
    };
    std::fs::remove_file(test.folder.path().join("mcp.sock")).unwrap();
    let client = connect(&test, router(&test.hub), &mallory).await;
    for ids in [json!([id]), json!(["00000000-0000-4000-8000-000000000000"])] {
        let mut wait = CallToolRequestParams::new("wait_for_task");
        wait.arguments = json!({ "task_ids": ids, "wait_seconds": 60 }).as_object().cloned();
        let refused = client.call_tool(wait).await.unwrap();
        assert_eq!(refused.is_error, Some(true));
        assert_eq!(refused.structured_content.unwrap()["error"], "task_not_found");
    }
    assert_eq!(test.hub.streams.wait_count(), 0);
}

/// Passes on the progress it receives.
struct ProgressSink(UnboundedSender<ProgressNotificationParam>);

impl ClientHandler for ProgressSink {
    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        // The test may have seen enough.
        let _ = self.0.send(params);
    }
}

#[tokio::test]
async fn a_call_that_waits_for_several_tasks_tells_how_many_have_ended() {
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
    let mut ids = Vec::new();
    for task in ["one", "two"] {
        ids.push(call("send_task", json!({ "alias": "bob", "task": task })).await["task_id"].clone());
    }
    let reply = |id: &Value| json!({ "text": "done", "in_reply_to": id });
    let working = async {
        call("send_reply", reply(&ids[0])).await;
        let first = told.recv().await.unwrap();
        call("send_reply", reply(&ids[1])).await;
        first
    };
    let waiting = call("wait_for_task", json!({ "task_ids": ids, "wait_seconds": 60 }));
    let (answer, first) = tokio::join!(waiting, working);
    assert_eq!(answer["done"], true);
    assert_eq!((first.progress, first.total), (50.0, Some(100.0)));
    assert_eq!(first.message.as_deref(), Some("1 of 2 tasks have ended or ask for input"));
}

#[tokio::test]
async fn a_claim_that_waits_says_so_now_and_then() {
    let test = TestHub::start();
    test.person("ada", SystemRole::User, &[1]).await;
    let token = test.agent("ada", 1, "bob").await;
    let mut handler = Handler::new(test.hub.clone(), tools::all());
    handler.silence = Duration::from_millis(5);
    let (tell, mut told) = unbounded_channel();
    let client = connect_as(ProgressSink(tell), &test, router_with(&test.hub, &handler), &token).await;
    let call = async |tool: &'static str, arguments: Value| {
        let mut call = CallToolRequestParams::new(tool);
        call.arguments = arguments.as_object().cloned();
        client.call_tool(call).await.unwrap().structured_content.unwrap()
    };
    let sending = async {
        let (first, second) = (told.recv().await.unwrap(), told.recv().await.unwrap());
        call("send_task", json!({ "alias": "bob", "task": "now" })).await;
        (first, second)
    };
    let (claimed, (first, second)) = tokio::join!(call("claim_task", json!({ "wait_seconds": 50 })), sending);
    assert_eq!(claimed["task"]["content"], "now");
    assert!(first.progress < second.progress, "{first:?} {second:?}");
    assert_eq!(first.message.as_deref(), Some("waiting"));
}
