//! `@modelcontextprotocol/inspector` in its command-line mode, over HTTP and over `baton mcp`.

use serde_json::{Value, json};
use std::process::Command;

use super::stage::{Stage, node, program};
use crate::it::program::{Ran, run};

fn inspect(stage: &Stage, target: &[&str], arguments: &[&str]) -> Ran {
    let mut command = stage.on_machine(Command::new(node()), None);
    command.arg(program("@modelcontextprotocol/inspector/clients/launcher/build/index.js")).arg("--cli");
    run(command.args(target).args(arguments), |_| Ok(()))
}

#[test]
fn the_inspector_lists_calls_and_reads_over_both_ways_and_finds_no_fault_in_the_schemas() {
    let stage = Stage::set();
    let token = stage.network.agent("inspector").token.unwrap();
    let (url, bearer) = (format!("{}/mcp", stage.hub.url()), format!("Authorization: Bearer {token}"));
    let over_http = [url.as_str(), "--transport", "http", "--header", bearer.as_str()];
    let over_stdio = ["baton", "mcp", "--alias", "visitor"];
    let listed = inspect(&stage, &over_http, &["--method", "tools/list", "--strict"]).exited(0);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert!(
        listed["tools"].as_array().unwrap().iter().all(|tool| tool["annotations"]["openWorldHint"] == false)
    );
    let call = ["--method", "tools/call", "--tool-name", "get_inbox"];
    let inbox: Value = serde_json::from_str(&inspect(&stage, &over_http, &call).exited(0).stdout).unwrap();
    assert_eq!(inbox["structuredContent"]["messages"], json!([]), "{inbox}");
    // The schemas pass through the bridge as they are.
    let by_stdio = inspect(&stage, &over_stdio, &["--method", "tools/list", "--strict"]).exited(0);
    let by_stdio: Value = serde_json::from_str(&by_stdio.stdout).unwrap();
    assert_eq!(by_stdio["tools"], listed["tools"]);
    let read =
        inspect(&stage, &over_stdio, &["--method", "resources/read", "--uri", "baton://agents"]).exited(0);
    assert!(read.stdout.contains("helper"), "{read:?}");
}

#[test]
fn the_inspector_sends_a_task_and_follows_its_handle_to_the_result_over_both_ways() {
    let stage = Stage::set();
    let token = stage.network.agent("inspector").token.unwrap();
    let (url, bearer) = (format!("{}/mcp", stage.hub.url()), format!("Authorization: Bearer {token}"));
    let over_http = [url.as_str(), "--transport", "http", "--header", bearer.as_str()];
    let over_stdio = ["baton", "mcp", "--alias", "visitor"];
    // Without `wait_seconds` only a client that takes the handle and looks again sees the end.
    let modern = ["--protocol-era", "modern", "--method", "tools/call", "--tool-name", "send_task"];
    let arguments = ["--tool-arg", "alias=helper", "--tool-arg", "task=hello"];
    for target in [&over_http[..], &over_stdio[..]] {
        let ran = inspect(&stage, target, &[&modern[..], &arguments[..]].concat()).exited(0);
        let result: Value = serde_json::from_str(&ran.stdout).unwrap();
        let answer = &result["structuredContent"];
        assert_eq!(
            (&answer["ended"], &answer["task"]["result"]),
            (&json!(true), &json!("HELLO")),
            "{result}"
        );
        assert_eq!(result["isError"], false, "{result}");
    }
}
