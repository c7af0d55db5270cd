//! Handles to tasks, MCP's tasks extension, over HTTP and through `baton mcp`: what a killed hub leaves of them, how a question
//! is answered by one, and how one ends whose agent never came.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::bridge;
use super::worker::{eventually, tenant_with};
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{act, claim, succeed, task};

const VERSION: &str = "2026-07-28";

/// A request of a client that takes handles and shows forms.
fn request(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities":
            {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A way to the hub's MCP door.
trait Way {
    fn ask(&mut self, method: &str, params: Value) -> Value;

    fn get(&mut self, id: &Value) -> Value {
        self.ask("tasks/get", json!({"taskId": id}))["result"].clone()
    }

    /// Sends a task, and answers its handle.
    fn send(&mut self, arguments: Value) -> Value {
        let sent = self.ask("tools/call", json!({"name": "send_task", "arguments": arguments}));
        assert_eq!(sent["result"]["resultType"], "task", "{sent}");
        sent["result"]["taskId"].clone()
    }
}

struct Http(Client);

impl Way for Http {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let name = params["taskId"].as_str().or(params["name"].as_str()).unwrap_or_default().to_owned();
        let message = request(1, method, params);
        let headers = [
            ("accept", "application/json"),
            ("mcp-protocol-version", VERSION),
            ("mcp-method", method),
            ("mcp-name", &name),
        ];
        self.0.send("POST", "/mcp", &headers, Some(&message)).json()
    }
}

/// A running `baton mcp`.
struct Pipe {
    program: Child,
    /// How many requests were sent: no two have one id.
    sent: u32,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Pipe {
    fn open(agent: &Client) -> Self {
        let mut command = bridge::command(agent, &[]);
        let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = program.stdin.take().unwrap();
        let lines = BufReader::new(program.stdout.take().unwrap()).lines();
        Self { program, sent: 0, input, lines }
    }
}

impl Way for Pipe {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        writeln!(self.input, "{}", request(self.sent, method, params)).unwrap();
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn a_handle_outlives_a_killed_hub_and_a_question_is_answered_by_it() {
    let mut hub = Hub::start();
    let (network, coder) = tenant_with(&hub, "coder");
    let lead = network.agent("lead");
    let (mut http, mut stdio) = (Http(lead.clone()), Pipe::open(&lead));
    let handles = [
        http.send(json!({"alias": "coder", "task": "over http"})),
        stdio.send(json!({"alias": "coder", "task": "over stdio"})),
    ];
    hub.kill9();
    hub.restart();
    let mut asked = Vec::new();
    for id in &handles {
        assert_eq!(http.get(id)["status"], "working");
        let claimed = claim(&coder, 5, 600);
        assert_eq!(claimed["task"]["task_id"], *id);
        let question = json!({"lease_id": claimed["lease_id"], "keep_lease": true, "question": "which?", "options": ["a", "b"]});
        succeed(&act(&coder, id.as_str().unwrap(), "ask", &question));
        asked.push(claimed["lease_id"].clone());
    }
    hub.kill9();
    hub.restart();
    for (id, lease) in handles.iter().zip(&asked) {
        // The handle of one way is good for the other.
        let seen = [http.get(id), stdio.get(id)];
        assert_eq!(seen[0], seen[1]);
        assert_eq!(seen[0]["status"], "input_required", "{seen:?}");
        let key = seen[0]["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        let responses = json!({key: {"action": "accept", "content": {"answer": "b"}}});
        let way: &mut dyn Way = if *id == handles[0] { &mut stdio } else { &mut http };
        let updated = way.ask("tasks/update", json!({"taskId": id, "inputResponses": responses}));
        assert_eq!(updated["result"]["resultType"], "complete", "{updated}");
        let told = task(&network.user, id.as_str().unwrap());
        assert_eq!(told["status"], "running", "{told}");
        succeed(&act(&coder, id.as_str().unwrap(), "reply", &json!({"lease_id": lease, "text": "done"})));
    }
    hub.kill9();
    hub.restart();
    for id in &handles {
        for seen in [http.get(id), stdio.get(id)] {
            assert_eq!(seen["status"], "completed", "{seen}");
            assert_eq!(seen["result"]["structuredContent"]["task"]["result"], "done", "{seen}");
        }
    }
    let cancelled = stdio.ask("tasks/cancel", json!({"taskId": handles[0]}));
    assert_eq!(cancelled["result"], json!({"resultType": "complete"}), "it had ended, and that is no error");
}

#[test]
fn a_task_that_nobody_takes_up_fails_its_handle() {
    let hub = Hub::start();
    let (network, _) = tenant_with(&hub, "coder");
    let mut http = Http(network.agent("lead"));
    let id = http.send(json!({"alias": "coder", "task": "soon", "ttl_seconds": 1}));
    let failed = eventually("its end", || Some(http.get(&id)).filter(|seen| seen["status"] != "working"));
    assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!(-32000)), "{failed}");
    assert_eq!(failed["error"]["data"], json!({"status": "expired"}));
    assert!(failed["error"]["message"].as_str().unwrap().contains("expired") && failed["result"].is_null());
}
