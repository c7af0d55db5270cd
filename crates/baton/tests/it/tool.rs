//! Tools called as any script would: one raw JSON-RPC call over POST /mcp, no `initialize`, the answer on a `data: ` line.

use serde_json::{Value, json};

use super::http::{self, Client, Response};

/// What a tool answered.
pub(crate) fn call(client: &Client, tool: &str, arguments: &Value) -> Value {
    let response = rpc(client, tool, arguments);
    let text = response["result"]["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{tool} {arguments} was answered {response}"));
    let answer: Value = serde_json::from_str(text).unwrap();
    assert_eq!(response["result"]["structuredContent"], answer, "{tool}: the text and the object differ");
    answer
}

/// The whole JSON-RPC response, for calls that break the schema.
pub(crate) fn rpc(client: &Client, tool: &str, arguments: &Value) -> Value {
    let answer = raw(client, tool, arguments);
    assert_eq!(answer.status, 200, "{tool}: {}", answer.text());
    let text = answer.text();
    let line = text.lines().find_map(|line| line.strip_prefix("data: {"));
    let line = line.unwrap_or_else(|| panic!("{tool}: no data line in {text:?}"));
    serde_json::from_str(&format!("{{{line}")).unwrap()
}

/// The HTTP answer as it came.
pub(crate) fn raw(client: &Client, tool: &str, arguments: &Value) -> Response {
    http::raw(client.address, &request(client, tool, arguments))
}

/// The bytes of such a call.
pub(crate) fn request(client: &Client, tool: &str, arguments: &Value) -> Vec<u8> {
    let headers = [("accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-03-26")];
    let params = json!({"name": tool, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    client.request("POST", "/mcp", &headers, Some(&body.to_string()))
}
