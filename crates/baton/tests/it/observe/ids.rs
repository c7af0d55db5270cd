//! A request's id: the caller's own if it is plain, in the answer and in every line the log says of it.

use crate::it::hub::{ADMIN, Hub, PASSWORD};
use serde_json::json;

#[test]
fn a_plain_request_id_is_taken_over_and_any_other_is_not() {
    let hub = Hub::start();
    let ask = |id: &str| {
        let answer = hub.client().send("GET", "/health", &[("x-request-id", id)], None);
        answer.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(ask("trace-7f.22_B"), "trace-7f.22_B");
    let is_own = |id: &str| id.len() == 17 && id.starts_with('#');
    for id in ["two words", "a=b", "\"quoted\"", "#0", &"x".repeat(65)] {
        let called = ask(id);
        assert!(is_own(&called) && called != id, "{id}");
    }
    // A number is a caller's as well as any other word.
    assert_eq!(ask("7"), "7");
    assert!(is_own(hub.client().get("/health").header("x-request-id").unwrap()));
}

#[test]
fn every_line_of_a_request_has_its_id_also_of_a_tool_call() {
    let options = ["--username", ADMIN, "--password", PASSWORD, "--log", "json"];
    let mut hub = Hub::start_with_env(&options, &[("BATON_LOG", "debug,rmcp=error")]);
    let admin = hub.admin();
    admin.send("GET", "/api/networks", &[("x-request-id", "from-rest")], None);
    let headers = [("accept", "application/json, text/event-stream"), ("x-request-id", "from-a-tool")];
    let params = json!({"name": "list_tasks", "arguments": {}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    assert_eq!(admin.send("POST", "/mcp", &headers, Some(&call)).status, 200);
    assert!(hub.stop().success());
    let log = hub.log();
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    let ids = |message: &str, path: &str| -> Vec<&str> {
        let said =
            lines.iter().filter(|line| line["fields"]["message"] == message && line["span"]["path"] == path);
        said.map(|line| line["span"]["id"].as_str().unwrap()).collect()
    };
    assert_eq!(ids("answered", "/api/networks"), ["from-rest"]);
    assert_eq!(ids("answered", "/mcp"), ["from-a-tool"]);
    // This one is logged in a task of the SDK's.
    assert_eq!(ids("called", "/mcp"), ["from-a-tool"]);
}
