//! The stdio bridge, driven by the official client over a child process.

use rmcp::model::{CallToolRequestParams, ClientConfig};
use rmcp::service::RunningService;
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

use super::worker::tenant_with;
use crate::it::http::Client;
use crate::it::hub::{Hub, baton};
use crate::it::tenant::{LongestWait, Tenant, send};

pub(crate) type Bridge = RunningService<RoleClient, ClientConfig>;

pub(super) fn command(agent: &Client, arguments: &[&str]) -> Command {
    let mut command = baton();
    command.arg("mcp").args(arguments).env("HOME", "/nonexistent");
    command.env("BATON_HUB", format!("http://{}", agent.address));
    command.env("BATON_TOKEN", agent.token.as_deref().unwrap());
    command
}

pub(crate) async fn open(agent: &Client, arguments: &[&str]) -> Bridge {
    let command: tokio::process::Command = command(agent, arguments).into();
    ClientConfig::default().serve(TokioChildProcess::new(command).unwrap()).await.unwrap()
}

pub(crate) async fn call(
    bridge: &Bridge,
    tool: &'static str,
    arguments: Value,
) -> Result<Value, rmcp::ServiceError> {
    let Value::Object(arguments) = arguments else { panic!("{arguments}") };
    let answer = bridge.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await?;
    Ok(answer.structured_content.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_finds_the_hubs_tools_and_works_with_them() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "coder");
    let bridge = open(&agent, &["--alias", "coder"]).await;
    assert_eq!(bridge.peer_info().unwrap().server_info.as_ref().unwrap().name, "baton");
    let tools: Vec<String> =
        bridge.list_all_tools().await.unwrap().iter().map(|tool| tool.name.to_string()).collect();
    for tool in ["claim_task", "extend_lease", "send_reply", "send_task", "get_all_status"] {
        assert!(tools.iter().any(|name| name == tool), "{tool} in {tools:?}");
    }
    let task_id = send(&network.user, "coder", "say hello");
    let claimed = call(&bridge, "claim_task", json!({"wait_seconds": 5})).await.unwrap();
    assert_eq!(claimed["task"]["task_id"], json!(task_id));
    let reply = json!({"in_reply_to": task_id, "text": "hello", "lease_id": claimed["lease_id"]});
    assert_eq!(call(&bridge, "send_reply", reply).await.unwrap()["ok"], true);
    assert_eq!(crate::it::tenant::task(&network.user, &task_id)["result"], "hello");
    // What the hub refuses comes through as it is.
    let unknown = call(&bridge, "no_such_tool", json!({})).await.unwrap_err();
    assert!(unknown.to_string().contains("unknown tool"), "{unknown}");
    bridge.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_asks_twice_with_options_and_goes_on_under_one_lease() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "coder");
    let (asker, sender) = (open(&agent, &["--alias", "coder"]).await, network.agent("lead"));
    let sender = open(&sender, &["--alias", "lead"]).await;
    let task_id =
        call(&sender, "send_task", json!({"alias": "coder", "task": "paint it"})).await.unwrap()["task_id"]
            .clone();
    let claimed = call(&asker, "claim_task", json!({"wait_seconds": 5})).await.unwrap();
    let lease_id = &claimed["lease_id"];
    for (question, options, chosen) in
        [("which colour?", ["red", "blue"], "blue"), ("which size?", ["small", "large"], "small")]
    {
        let ask = json!({"task_id": task_id, "question": question, "lease_id": lease_id, "keep_lease": true,
            "options": options});
        assert_eq!(call(&asker, "ask_sender", ask).await.unwrap()["status"], "waiting_input");
        let seen = call(&sender, "get_task", json!({"task_id": task_id})).await.unwrap();
        let asked = seen["messages"].as_array().unwrap().last().unwrap();
        assert_eq!((&asked["content"], &asked["options"]), (&json!(question), &json!(options)));
        let wrong = json!({"task_id": task_id, "text": "neither"});
        assert_eq!(call(&sender, "answer_task", wrong).await.unwrap()["error"], "not_an_option");
        call(&asker, "extend_lease", json!({"lease_id": lease_id})).await.unwrap();
        let after = json!({"task_id": task_id, "wait_seconds": 30, "after": seen["event_count"]});
        let answer = json!({"task_id": task_id, "text": chosen});
        let (seen, answered) =
            tokio::join!(call(&asker, "get_task", after), call(&sender, "answer_task", answer));
        assert_eq!(answered.unwrap()["status"], "running");
        let answer = seen.unwrap()["messages"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&answer["kind"], &answer["content"]), (&json!("answer"), &json!(chosen)));
    }
    let reply = json!({"in_reply_to": task_id, "text": "small and blue", "lease_id": lease_id});
    assert_eq!(call(&asker, "send_reply", reply).await.unwrap()["ok"], true);
    let row = crate::it::tenant::task(&network.user, task_id.as_str().unwrap());
    assert_eq!((&row["status"], &row["attempt"]), (&json!("replied"), &json!(1)));
    asker.cancel().await.unwrap();
    sender.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_through_a_bridge_with_a_parent_is_part_of_that_task() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "coder");
    let whole = send(&network.user, "coder", "whole");
    let other = send(&network.user, "coder", "another");
    let bridge = open(&agent, &["--alias", "coder", "--parent", &whole]).await;
    let part = json!({"alias": "coder", "task": "part", "allow_cycle": true});
    let mut of_another = part.clone();
    of_another["parent_task_id"] = json!(other);
    for (task, parent) in [(part, whole), (of_another, other)] {
        let sent = call(&bridge, "send_task", task).await.unwrap();
        let id = sent["task_id"].as_str().unwrap_or_else(|| panic!("{sent}"));
        assert_eq!(crate::it::tenant::task(&network.user, id)["parent_task_id"], json!(parent));
    }
    bridge.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_is_away_is_an_error_and_one_that_is_back_works() {
    let mut hub = Hub::start();
    let (_network, agent) = tenant_with(&hub, "coder");
    let bridge = open(&agent, &["--alias", "coder"]).await;
    assert_eq!(call(&bridge, "get_all_status", json!({})).await.unwrap()["ok"], true);
    hub.kill9();
    let away = call(&bridge, "get_all_status", json!({})).await.unwrap_err().to_string();
    assert!(away.contains("cannot be reached") && away.contains("-32000"), "{away}");
    hub.restart();
    assert_eq!(call(&bridge, "get_all_status", json!({})).await.unwrap()["ok"], true);
    // A restart in the middle of a call's patience is not even noticed.
    hub.kill9();
    let asked = tokio::spawn(async move { call(&bridge, "get_all_status", json!({})).await });
    hub.restart();
    assert_eq!(asked.await.unwrap().unwrap()["ok"], true);
}

#[test]
fn a_call_that_is_called_off_is_dropped() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "coder");
    let longest = LongestWait::begin(&network.agent("idle"));
    let claim = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"claim_task","arguments":{"wait_seconds":50}}}"#;
    let call_off = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let answers = piped(&agent, &format!("{claim}\n{call_off}\n{list}\n"));
    assert_eq!((answers.len(), &answers[0]["id"]), (1, &json!(2)), "{answers:?}");
    assert!(longest.still_waits(), "the claim was waited for");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_token_speaks_as_an_agent_for_the_run() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let count = || network.user.get("/api/auth/tokens").json()["tokens"].as_array().unwrap().len();
    let before = count();
    let bridge = open(&network.user, &["--alias", "painter"]).await;
    let report = json!({"resume_id": "p", "alias": "painter", "status": "idle"});
    assert_eq!(call(&bridge, "report_status", report).await.unwrap()["alias"], "painter");
    assert_eq!(count(), before + 1);
    bridge.cancel().await.unwrap();
    super::worker::eventually("the token's end", || (count() == before).then_some(()));
}

/// Lines in, lines out, as a pipe.
fn piped(agent: &Client, lines: &str) -> Vec<Value> {
    let mut command = command(agent, &[]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn lines_that_are_no_messages_and_a_bad_token_are_answered_in_json_rpc() {
    let hub = Hub::start();
    let (_network, agent) = tenant_with(&hub, "coder");
    let answers = piped(&agent, "nonsense\n\n");
    assert_eq!((answers.len(), &answers[0]["error"]["code"]), (1, &json!(-32700)), "{answers:?}");
    let list = "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\"}\n";
    let answers = piped(&agent, list);
    assert!(answers[0]["result"]["tools"].is_array() && answers[0]["id"] == "a", "{answers:?}");
    let bad = hub.client().with_token(&format!("ntok_{}", "0".repeat(64)));
    let answers = piped(&bad, list);
    assert!(answers[0]["error"]["message"].to_string().contains("does not accept your token"), "{answers:?}");
    assert_eq!(answers[0]["id"], "a");
}

#[test]
fn what_a_model_sends_from_within_a_task_is_part_of_that_task_and_of_its_trace() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "coder");
    network.agent("helper");
    // The command plays a model whose client runs `baton mcp`.
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"alias":"helper","task":"part"}}}"#;
    let binary = baton();
    let script = format!("echo '{call}' | {} mcp", binary.get_program().display());
    let mut worker = super::worker::Worker::start(&agent, "coder", &[], &script);
    worker.says("waiting for tasks");
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let body = json!({"alias": "coder", "task": "whole", "wait_seconds": 30});
    let headers = [("traceparent", trace)];
    let sent = network.user.send("POST", "/api/task", &headers, Some(&body)).json();
    assert_eq!(sent["task"]["status"], "replied", "{sent}");
    let answer: Value = serde_json::from_str(sent["task"]["result"].as_str().unwrap()).unwrap();
    let part =
        answer["result"]["structuredContent"]["task_id"].as_str().unwrap_or_else(|| panic!("{answer}"));
    let row = crate::it::tenant::task(&network.user, part);
    assert_eq!((&row["parent_task_id"], &row["from_name"]), (&sent["task_id"], &json!("coder")));
    let helper = network.agent("helper");
    let claimed = helper.post("/api/claim", &json!({})).json();
    assert!(
        claimed["traceparent"].as_str().unwrap().contains("0af7651916cd43dd8448eb211c80319c"),
        "{claimed}"
    );
}
