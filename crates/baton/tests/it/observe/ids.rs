//! A request's id: the caller's own if it is plain, in the answer and in every line the log says of it.

use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tool;
use serde_json::json;

#[test]
fn a_plain_request_id_is_taken_over_and_any_other_is_not() {
    let hub = Hub::start();
    let ask = |id: &str| {
        let answer = hub.client().send("GET", "/health", &[("x-request-id", id)], None);
        answer.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(ask("trace-7f.22_B"), "trace-7f.22_B");
    for id in ["two words", "a\u{7f}b", "\"quoted\"", &"x".repeat(65)] {
        assert!(ask(id).parse::<u64>().is_ok(), "{id}");
    }
    let answer = hub.client().get("/health");
    assert!(answer.header("x-request-id").unwrap().parse::<u64>().is_ok());
}

#[test]
fn every_line_of_a_request_has_its_id_also_of_a_tool_call() {
    let options = ["--username", ADMIN, "--password", PASSWORD, "--log", "json"];
    let mut hub = Hub::start_with_env(&options, &[("BATON_LOG", "debug,rmcp=error")]);
    let admin = hub.admin();
    admin.send("GET", "/api/networks", &[("x-request-id", "from-rest")], None);
    tool::raw(&admin, "list_tasks", &json!({}));
    assert!(hub.stop().success());
    let log = hub.log();
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    let answered = |path: &str| {
        let is_it = |line: &&serde_json::Value| {
            line["span"]["path"] == json!(path) && line["fields"]["message"] == json!("answered")
        };
        lines.iter().find(is_it).unwrap_or_else(|| panic!("{path} in {log}")).clone()
    };
    assert_eq!(answered("/api/networks")["span"]["id"], json!("from-rest"));
    assert!(answered("/mcp")["span"]["id"].is_string());
}
