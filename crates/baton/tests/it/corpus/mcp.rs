//! Every MCP tool: without arguments, with one too many, and one life of a task through all of them.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::record::Record;
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, text};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

struct Tools {
    record: Record,
    /// What each tool says that it answers.
    answers: BTreeMap<String, Validator>,
}

impl Tools {
    fn message(&mut self, client: &Client, method: &str, params: &Value) -> Value {
        let headers =
            [("accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-03-26")];
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = self.record.send(client, ("POST", "/mcp"), &headers, Some(&body));
        let text = answer.text();
        let line = text.lines().find_map(|line| line.strip_prefix("data: {"));
        line.map_or(Value::Null, |line| serde_json::from_str(&format!("{{{line}")).unwrap())
    }

    fn call(&mut self, client: &Client, tool: &str, arguments: &Value) -> Value {
        let response = self.message(client, "tools/call", &json!({"name": tool, "arguments": arguments}));
        let answer = response["result"]["structuredContent"].clone();
        if answer.is_object() {
            let errors: Vec<_> =
                self.answers[tool].iter_errors(&answer).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{tool} {arguments} answers {answer}: {errors:?}");
            assert_eq!(
                response["result"]["isError"],
                answer["ok"] == false,
                "{tool} {arguments}: {response}"
            );
        }
        answer
    }
}

#[test]
fn tools_are_answered_as_recorded() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let (sender, worker) = (tenant.agent("sender"), tenant.agent("worker"));
    let mut tools = Tools { record: Record::default(), answers: BTreeMap::new() };
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "corpus", "version": "1"}});
    tools.message(&sender, "initialize", &hello);
    tools.message(&sender, "ping", &json!({}));
    tools.message(&sender, "no/such/method", &json!({}));
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "baton://inbox"})),
        ("resources/read", json!({"uri": "baton://nothing"})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "delegate", "arguments": {"task": "x"}})),
        ("prompts/get", json!({"name": "no-such-prompt"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "delegate"}, "argument": {"name": "task", "value": ""}}),
        ),
    ] {
        tools.message(&sender, method, &params);
    }
    let listed = tools.message(&sender, "tools/list", &json!({}));
    let listed = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<String> = listed.iter().map(|tool| text(&tool["name"])).collect();
    tools.answers = listed
        .iter()
        .map(|tool| (text(&tool["name"]), jsonschema::validator_for(&tool["outputSchema"]).unwrap()))
        .collect();
    for name in &names {
        tools.call(&sender, name, &json!({}));
        tools.call(&sender, name, &json!({"no_such_argument": 1}));
        tools.call(&sender, name, &json!({"task_id": NOBODY, "in_reply_to": NOBODY, "text": "x"}));
    }
    tools.call(&hub.client(), "get_inbox", &json!({}));
    one_life(&mut tools, &sender, &worker);
    other_ends(&mut tools, &sender, &worker, &tenant);
    tools.record.hold("mcp.txt");
}

fn sent(tools: &mut Tools, sender: &Client, task: &str) -> String {
    let sent =
        tools.call(sender, "send_task", &json!({"alias": "worker", "task": task, "idempotency_key": task}));
    text(&sent["task_id"])
}

fn one_life(tools: &mut Tools, sender: &Client, worker: &Client) {
    let task = sent(tools, sender, "first");
    sent(tools, sender, "first");
    let claimed = tools.call(worker, "claim_task", &json!({"lease_seconds": 60}));
    let lease = text(&claimed["lease_id"]);
    tools.call(worker, "extend_lease", &json!({"lease_id": lease, "progress": 10}));
    tools.call(worker, "report_progress", &json!({"task_id": task, "lease_id": lease, "percent": 20}));
    let question = json!({"task_id": task, "lease_id": lease, "question": "left or right?", "options": ["left", "right"]});
    tools.call(worker, "ask_sender", &question);
    tools.call(sender, "get_task", &json!({"task_id": task}));
    tools.call(sender, "answer_task", &json!({"task_id": task, "text": "left"}));
    tools.call(worker, "get_inbox", &json!({}));
    let claimed = tools.call(worker, "claim_task", &json!({}));
    let reply = json!({"in_reply_to": task, "text": "went left", "lease_id": claimed["lease_id"]});
    tools.call(worker, "send_reply", &reply);
    tools.call(worker, "send_reply", &reply);
    tools.call(sender, "get_task", &json!({"task_id": task}));
    tools.call(sender, "get_task_tree", &json!({"task_id": task}));
    tools.call(sender, "wait_for_task", &json!({"task_ids": [task]}));
    tools.message(sender, "resources/read", &json!({"uri": format!("baton://task/{task}")}));
    tools.call(sender, "get_inbox", &json!({}));
    tools.call(sender, "get_evidence", &json!({"task_id": task}));
}

fn other_ends(tools: &mut Tools, sender: &Client, worker: &Client, tenant: &Tenant) {
    let task = sent(tools, sender, "second");
    tools.call(worker, "send_ack", &json!({"task_id": task}));
    tools.call(worker, "ack_inbox", &json!({"message_id": task}));
    tools.call(
        worker,
        "report_status",
        &json!({"resume_id": "r", "alias": "worker", "status": "working", "task_id": task}),
    );
    tools.call(worker, "report_completion", &json!({"task_id": task, "summary": "done", "result": "done"}));
    let task = sent(tools, sender, "third");
    tools.call(sender, "cancel_task", &json!({"task_id": task, "reason": "no longer"}));
    tools.call(sender, "cancel_task", &json!({"task_id": task}));
    let again = text(&tools.call(sender, "retry_task", &json!({"task_id": task}))["task_id"]);
    tools.call(sender, "reassign_task", &json!({"task_id": again, "new_alias": "sender"}));
    tools.call(sender, "reassign_task", &json!({"task_id": again, "new_alias": "worker"}));
    tools.call(sender, "send_message", &json!({"alias": "worker", "message": "hello"}));
    tools.call(&tenant.coordinator("head"), "broadcast", &json!({"message": "hello, all"}));
    for list in ["list_tasks", "get_all_status", "get_completions", "list_agents"] {
        tools.call(sender, list, &json!({}));
    }
    tools.call(sender, "get_session_status", &json!({"alias": "worker"}));
    tools.call(sender, "send_task", &json!({"alias": "nobody", "task": "x"}));
    tools.call(sender, "send_task", &json!({"alias": "no good", "task": "x"}));
    tools.call(sender, "send_task", &json!({"alias": "worker", "task": ""}));
}
