//! Resources, what watches them, and prompts; and what is not offered.

use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderValue, Request};
use baton_core::SystemRole;
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::time::Duration;
use tower::ServiceExt;

use super::Client;
use crate::fixture::{TestHub, node, request};
use crate::mcp::router;

const NEWEST: &str = "2026-07-28";

/// An agent `bob` and the door as it is.
async fn agent() -> (Client, Client) {
    let test = TestHub::start();
    test.person("ada", SystemRole::User, &[1]).await;
    test.person("eve", SystemRole::User, &[2]).await;
    let (bob, mallory) = (test.agent("ada", 1, "bob").await, test.agent("eve", 2, "mallory").await);
    let door = router(&test.hub);
    let stranger_hub = TestHub::start();
    let stranger = Client { door: door.clone(), token: mallory, _hub: stranger_hub };
    (Client { door, token: bob, _hub: test }, stranger)
}

async fn read(client: &Client, uri: &str) -> Value {
    client.ask("resources/read", json!({ "uri": uri })).await
}

fn contents(answer: &Value) -> Value {
    let content = &answer["result"]["contents"][0];
    assert_eq!(content["mimeType"], "application/json", "{answer}");
    serde_json::from_str(content["text"].as_str().unwrap()).unwrap()
}

async fn send(client: &Client) -> Value {
    client.call("send_task", json!({ "alias": "bob", "task": "x" })).await["result"]["structuredContent"]
        ["task_id"]
        .clone()
}

#[tokio::test]
async fn a_task_the_inbox_and_the_agents_can_be_read() {
    let (bob, mallory) = agent().await;
    let id = send(&bob).await;
    let uri = format!("baton://task/{}", id.as_str().unwrap());
    assert_eq!(contents(&read(&bob, &uri).await)["task"]["content"], "x");
    assert_eq!(contents(&read(&bob, "baton://inbox").await)["messages"][0]["task_id"], id);
    assert_eq!(contents(&read(&bob, "baton://agents").await)["agents"][0]["alias"], "bob");
    let listed = bob.ask("resources/list", json!({})).await;
    let uris: Vec<_> =
        listed["result"]["resources"].as_array().unwrap().iter().map(|one| &one["uri"]).collect();
    assert_eq!(uris, ["baton://inbox", "baton://agents"]);
    let templates = bob.ask("resources/templates/list", json!({})).await;
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "baton://task/{id}");
    // Out of sight, unknown and nonsense are the same.
    for (reader, uri) in [
        (&mallory, uri.as_str()),
        (&bob, "baton://task/00000000-0000-4000-8000-000000000000"),
        (&bob, "baton://nothing"),
        (&bob, "file:///etc/passwd"),
    ] {
        let answer = read(reader, uri).await;
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
        assert_eq!(answer["error"]["message"], "resource not found");
    }
}

#[tokio::test]
async fn prompts_are_listed_and_filled_in() {
    let (bob, _) = agent().await;
    let listed = bob.ask("prompts/list", json!({})).await;
    let names: Vec<_> =
        listed["result"]["prompts"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["delegate", "triage-inbox"]);
    let arguments = json!({ "task": "paint the fence", "agent": "painter" });
    let delegate = bob.ask("prompts/get", json!({ "name": "delegate", "arguments": arguments })).await;
    let text = delegate["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("paint the fence") && text.contains("`painter`"), "{text}");
    assert!(bob.ask("prompts/get", json!({ "name": "triage-inbox" })).await["result"]["messages"].is_array());
    for params in [json!({ "name": "delegate" }), json!({ "name": "unheard-of" })] {
        assert_eq!(bob.ask("prompts/get", params).await["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn what_is_not_offered_is_an_unknown_method() {
    let (bob, _) = agent().await;
    let hello = json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let offered = bob.ask("initialize", hello).await["result"]["capabilities"].clone();
    assert_eq!(offered, json!({ "tools": {}, "resources": {}, "prompts": {} }));
    let argument = json!({ "ref": { "type": "ref/prompt", "name": "delegate" }, "argument": { "name": "agent", "value": "b" } });
    for (method, params) in [
        ("completion/complete", argument),
        ("logging/setLevel", json!({ "level": "info" })),
        ("resources/subscribe", json!({ "uri": "baton://inbox" })),
    ] {
        assert_eq!(bob.ask(method, params).await["error"]["code"], -32601, "{method}");
    }
}

/// A request of the newest revision.
fn newest(client: &Client, method: &str, mut params: Value) -> Request<Body> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({ "jsonrpc": "2.0", "id": 9, "method": method, "params": params });
    let mut request = request("POST", "/mcp", &client.token, message.to_string());
    request.headers_mut().insert("mcp-protocol-version", HeaderValue::from_static(NEWEST));
    request.headers_mut().insert("mcp-method", HeaderValue::from_str(method).unwrap());
    request
}

/// An open subscription.
struct Subscription(BodyDataStream);

impl Subscription {
    async fn open(client: &Client, uris: &[&str]) -> Self {
        let params = json!({ "notifications": { "resourceSubscriptions": uris } });
        let response =
            client.door.clone().oneshot(newest(client, "subscriptions/listen", params)).await.unwrap();
        assert_eq!(response.status(), 200);
        Self(response.into_body().into_data_stream())
    }

    /// The next message; none when the stream is over.
    async fn next(&mut self) -> Option<Value> {
        loop {
            let chunk =
                tokio::time::timeout(Duration::from_secs(20), self.0.next()).await.expect("it is silent")?;
            let text = String::from_utf8(chunk.unwrap().to_vec()).unwrap();
            if let Some(data) = text.lines().find_map(|line| line.strip_prefix("data: {")) {
                return Some(serde_json::from_str(&format!("{{{data}")).unwrap());
            }
        }
    }

    /// The resource that the next notification names.
    async fn changed(&mut self) -> String {
        let message = self.next().await.unwrap();
        assert_eq!(message["method"], "notifications/resources/updated", "{message}");
        message["params"]["uri"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_subscription_tells_that_a_resource_changed_and_ends_with_its_token() {
    let (bob, _) = agent().await;
    let id = send(&bob).await;
    let uri = format!("baton://task/{}", id.as_str().unwrap());
    let mut open = Subscription::open(&bob, &["baton://inbox", &uri, "baton://nothing"]).await;
    let accepted = open.next().await.unwrap();
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged", "{accepted}");
    let named = &accepted["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(*named, json!(["baton://inbox", uri]), "{accepted}");
    // Each once, for what came before the bells were listened to.
    assert_eq!([open.changed().await, open.changed().await], ["baton://inbox".to_owned(), uri.clone()]);
    assert_eq!(bob._hub.hub.streams.open_count(), 1);
    bob.call("send_ack", json!({ "task_id": id })).await;
    assert_eq!(open.changed().await, uri);
    send(&bob).await;
    assert_eq!(open.changed().await, "baton://inbox");
    bob._hub.revoke(&bob.token).await;
    // Any ring will do; without one it is noticed within seconds.
    bob._hub.add_frames(1, &node("bob"), vec!["{}".into()]).await;
    let last = loop {
        match open.next().await {
            Some(message) if message.get("method").is_some() => {}
            last => break last,
        }
    };
    assert_eq!(last.unwrap()["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    assert_eq!(bob._hub.hub.streams.open_count(), 0);
}

#[tokio::test]
async fn a_strangers_task_is_acknowledged_as_any_other_and_never_changes() {
    let (bob, mallory) = agent().await;
    let id = send(&bob).await;
    let uri = format!("baton://task/{}", id.as_str().unwrap());
    let mut open = Subscription::open(&mallory, &[&uri, "baton://inbox"]).await;
    assert!(open.next().await.unwrap()["params"]["notifications"]["resourceSubscriptions"].is_array());
    assert_eq!(open.changed().await, "baton://inbox");
    bob.call("send_ack", json!({ "task_id": id })).await;
    bob.call("cancel_task", json!({ "task_id": id })).await;
    mallory.call("send_task", json!({ "alias": "mallory", "task": "own" })).await;
    assert_eq!(open.changed().await, "baton://inbox", "its own inbox, and not the task");
}

#[tokio::test]
async fn a_subscription_to_the_agents_tells_that_one_reported_and_that_one_was_given_work() {
    const AGENTS: &str = "baton://agents";
    let (bob, _) = agent().await;
    let mut open = Subscription::open(&bob, &[AGENTS]).await;
    open.next().await.unwrap();
    assert_eq!(open.changed().await, AGENTS, "for what came before the bells were listened to");
    let report = json!({ "resume_id": "r", "alias": "bob", "status": "idle", "description": "Paints" });
    assert!(bob.call("report_status", report).await["result"]["structuredContent"]["ok"] == true);
    assert_eq!(open.changed().await, AGENTS);
    assert_eq!(contents(&read(&bob, AGENTS).await)["agents"][0]["description"], "Paints");
    send(&bob).await;
    assert_eq!(open.changed().await, AGENTS);
    assert_eq!(contents(&read(&bob, AGENTS).await)["agents"][0]["queue"], 1);
}
