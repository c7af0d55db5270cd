//! The MCP door, called as clients call it: with tools of its own that stand for use cases of every kind.

mod client;
mod fake;
mod page;
mod resources;
mod tasks;
mod waits;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::response::Response;
use baton_core::{SystemRole, limits};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::router_of;
use crate::fixture::{TestHub, json as json_of, request, whole};

struct Client {
    door: Router,
    token: String,
    _hub: TestHub,
}

impl Client {
    async fn connect() -> Self {
        let hub = TestHub::start();
        let token = hub.person("ada", SystemRole::User, &[1]).await;
        Self { door: router_of(&hub.hub, fake::tools()), token, _hub: hub }
    }

    async fn send(&self, request: Request<Body>) -> Response {
        self.door.clone().oneshot(request).await.unwrap()
    }

    fn post(&self, body: impl Into<Body>) -> Request<Body> {
        let mut request = request("POST", "/mcp", &self.token, body);
        let headers: &mut HeaderMap = request.headers_mut();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert("mcp-protocol-version", HeaderValue::from_static("2025-03-26"));
        request
    }

    /// Calls a method and reads the one data line of the answer.
    async fn ask(&self, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let (status, text) = whole(self.send(self.post(message.to_string())).await).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        data_of(&text)
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }
}

/// The JSON of the only `data: ` line.
fn data_of(text: &str) -> Value {
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with("data:")).collect();
    let [line] = lines.as_slice() else { panic!("not one data line: {text}") };
    serde_json::from_str(line.strip_prefix("data: ").unwrap()).unwrap()
}

#[tokio::test]
async fn a_call_without_initialize_is_answered_by_one_data_line() {
    let client = Client::connect().await;
    let answer = client.call("greet", json!({ "alias": "bob" })).await;
    assert_eq!(answer["id"], 7);
    let result = &answer["result"];
    assert_eq!(result["content"][0]["type"], "text");
    assert_eq!(result["content"][0]["text"], r#"{"ok":true,"alias":"bob","actor":"ada"}"#);
    assert_eq!(result["structuredContent"], json!({ "ok": true, "alias": "bob", "actor": "ada" }));
}

#[tokio::test]
async fn every_version_of_a_session_that_starts_with_initialize_is_spoken() {
    let client = Client::connect().await;
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let mut request = client.post(message.to_string());
        request.headers_mut().remove("mcp-protocol-version");
        let (_, text) = whole(client.send(request).await).await;
        assert_eq!(data_of(&text)["result"]["protocolVersion"], version, "{text}");
    }
}

#[tokio::test]
async fn a_refusal_is_an_answer_with_its_code() {
    let client = Client::connect().await;
    let answer = client.call("refuse", json!({})).await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with(r#"{"ok":false,"error":"alias_not_found","message":"#), "{text}");
    assert_eq!(answer["result"]["structuredContent"], serde_json::from_str::<Value>(text).unwrap());
    assert_eq!(answer["result"]["isError"], true, "a model must see that it was refused");
}

#[tokio::test]
async fn arguments_that_break_the_schema_are_named() {
    let client = Client::connect().await;
    let cases = [
        (json!({ "alias": 5 }), "alias"),
        (json!({}), "alias"),
        (json!({ "alias": "bob", "times": "often" }), "times"),
        (json!({ "alias": "bob", "nested": { "deep": 1 } }), "nested.deep"),
        (json!({ "alias": "" }), "alias"), // the use case's own rule
    ];
    for (arguments, field) in cases {
        let answer = client.call("greet", arguments.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{arguments}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with(&format!("{field}: ")), "{answer}");
        assert_eq!(answer["error"]["data"]["field"], field);
    }
}

#[tokio::test]
async fn a_call_of_a_wrong_shape_or_an_unknown_tool_is_invalid_params() {
    let client = Client::connect().await;
    for params in [json!([]), json!({}), json!({ "name": 1 }), json!({ "name": "greet", "arguments": [] })] {
        let answer = client.ask("tools/call", params.clone()).await;
        assert_eq!(
            (&answer["error"]["code"], &answer["id"]),
            (&json!(-32602), &json!(7)),
            "{params}: {answer}"
        );
    }
    let answer = client.call("unheard_of", json!({})).await;
    assert_eq!(answer["error"], json!({ "code": -32602, "message": "unknown tool: unheard_of" }));
    assert_eq!(client.ask("no/such", json!({})).await["error"]["code"], -32601);
}

#[tokio::test]
async fn a_panic_is_answered_and_the_next_call_too() {
    let client = Client::connect().await;
    assert_eq!(client.call("panic", json!({})).await["error"]["code"], -32603);
    assert_eq!(
        client.call("greet", json!({ "alias": "bob" })).await["result"]["structuredContent"]["ok"],
        true
    );
}

#[tokio::test]
async fn without_a_good_token_there_is_one_answer() {
    let client = Client::connect().await;
    let mut missing = client.post("{}");
    missing.headers_mut().remove(header::AUTHORIZATION);
    let wrong = request("POST", "/mcp", "utok_0000", "{}");
    let unknown = request("GET", "/mcp", &format!("ntok_{}", "0".repeat(64)), "");
    let metadata = r#"resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp""#;
    let plain = format!(r#"Bearer realm="baton", {metadata}"#);
    let invalid = format!(r#"Bearer realm="baton", error="invalid_token", {metadata}"#);
    for (request, challenge) in [(missing, &plain), (wrong, &invalid), (unknown, &invalid)] {
        let response = client.send(request).await;
        assert_eq!(response.headers()[header::WWW_AUTHENTICATE], challenge.as_str());
        let (status, text) = whole(response).await;
        assert_eq!(
            (status, text.as_str()),
            (StatusCode::UNAUTHORIZED, r#"{"ok":false,"error":"unauthorized"}"#)
        );
    }
}

#[tokio::test]
async fn bad_json_and_batches_get_their_codes() {
    let client = Client::connect().await;
    let deep = "[".repeat(100_000);
    let cases = [
        ("{\"jsonrpc\":", -32700),
        (deep.as_str(), -32700),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#, -32600),
        ("[]", -32600),
        ("3", -32600),
        (r#"{"id":1,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600),
    ];
    for (body, code) in cases {
        let (status, answer) = json_of(client.send(client.post(body.to_owned())).await).await;
        assert_eq!((status, &answer["error"]["code"]), (StatusCode::BAD_REQUEST, &json!(code)), "{answer}");
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &Value::Null));
    }
    let not_utf8 = client.send(client.post(vec![b'"', 0xff, b'"'])).await;
    assert_eq!(json_of(not_utf8).await.1["error"]["code"], -32700);
}

#[tokio::test]
async fn a_body_over_the_limit_is_413() {
    let client = Client::connect().await;
    let response = client.send(client.post(" ".repeat(limits::JSON_BODY_MAX_BYTES + 1))).await;
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn loose_headers_are_served_and_json_alone_gets_json() {
    let client = Client::connect().await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let bare = request("POST", "/mcp", &client.token, body);
    let (status, text) = whole(client.send(bare).await).await;
    assert_eq!(status, StatusCode::OK);
    assert!(data_of(&text)["result"]["tools"].is_array());
    let mut json_only = request("POST", "/mcp", &client.token, body);
    json_only.headers_mut().insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    let (status, answer) = json_of(client.send(json_only).await).await;
    assert_eq!(status, StatusCode::OK);
    assert!(answer["result"]["tools"].is_array());
}

#[tokio::test]
async fn there_is_no_stream_to_get_and_a_notification_is_accepted() {
    let client = Client::connect().await;
    let get = client.send(request("GET", "/mcp", &client.token, "")).await;
    assert_eq!(get.status(), StatusCode::METHOD_NOT_ALLOWED);
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(client.send(client.post(note)).await.status(), StatusCode::ACCEPTED);
}

#[tokio::test]
async fn the_list_of_tools_costs_a_model_less_than_6000_tokens() {
    let hub = TestHub::start();
    let token = hub.person("ada", SystemRole::User, &[1]).await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let response = super::router(&hub.hub).oneshot(request("POST", "/mcp", &token, body)).await.unwrap();
    let (_, text) = whole(response).await;
    let answer = data_of(&text);
    // What clients put before a model; titles, hints and schemas of answers they keep for themselves.
    let read = |tool: &Value| {
        let words = json!({ "n": tool["name"], "d": tool["description"], "p": tool["inputSchema"] });
        words.to_string().len()
    };
    let read: usize = answer["result"]["tools"].as_array().unwrap().iter().map(read).sum();
    println!("tools/list is {} tokens, of which a model reads {}", text.len() / 4, read / 4);
    assert!(read / 4 < 6_000, "{}", read / 4);
    assert!(text.len() < 100_000, "{}", text.len());
    for tool in answer["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["description"].as_str().is_some_and(|said| !said.is_empty()), "{tool}");
    }
}

#[tokio::test]
async fn bounds_of_the_contract_are_invalid_params() {
    let hub = TestHub::start();
    let token = hub.person("ada", SystemRole::User, &[1]).await;
    let client = Client { door: super::router(&hub.hub), token, _hub: hub };
    let cases = [
        ("send_task", json!({ "alias": "b", "task": "" }), "task"),
        ("send_task", json!({ "alias": "b", "task": "x".repeat(limits::TEXT_MAX_BYTES + 1) }), "task"),
        ("send_task", json!({ "alias": "b", "task": "x", "ttl_seconds": 0 }), "ttl_seconds"),
        ("send_task", json!({ "alias": "b", "task": "x", "ttl_seconds": 1.5 }), "ttl_seconds"),
        ("send_task", json!({ "alias": "b", "task": "x", "priority": "urgent" }), "priority"),
        ("send_task", json!({ "alias": "a b", "task": "x" }), "alias"),
        ("send_reply", json!({ "text": "x", "in_reply_to": "y", "status": "done" }), "status"),
        ("get_inbox", json!({ "alias": "b", "limit": 101 }), "limit"),
        ("claim_task", json!({ "wait_seconds": 51 }), "wait_seconds"),
        ("report_completion", json!({ "alias": "b", "task": "t" }), "result"),
    ];
    for (tool, arguments, field) in cases {
        let answer = client.call(tool, arguments).await;
        assert_eq!(answer["error"]["code"], -32602, "{tool} {field}: {answer}");
        assert_eq!(answer["error"]["data"]["field"], field, "{answer}");
    }
}

#[tokio::test]
async fn the_newest_version_is_spoken_with_what_it_asks_of_a_request() {
    let client = Client::connect().await;
    let version = "2026-07-28";
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "greet", "arguments": { "alias": "bob" }, "_meta": meta });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut request = client.post(message.to_string());
    let headers = request.headers_mut();
    headers.insert("mcp-protocol-version", HeaderValue::from_static(version));
    headers.insert("mcp-method", HeaderValue::from_static("tools/call"));
    headers.insert("mcp-name", HeaderValue::from_static("greet"));
    let (status, text) = whole(client.send(request).await).await;
    assert_eq!(status, StatusCode::OK, "{text}");
    assert_eq!(data_of(&text)["result"]["structuredContent"]["ok"], true, "{text}");
}
