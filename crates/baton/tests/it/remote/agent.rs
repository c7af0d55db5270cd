//! A remote agent by script: a card, and a task whose states are returned one poll after another.

use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::it::outside::{Authority, Outside, RecordedCall, Reply};

/// How it is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    JsonRpc,
    HttpJson,
}

/// What an operation answers: a result, an HTTP status, or a JSON-RPC error.
#[derive(Debug, Clone)]
pub(super) enum AgentReply {
    Result(Value),
    Fault(u16),
    Error(i64),
}

/// The agent.
pub(super) struct Agent {
    pub(super) outside: Outside,
    binding: Binding,
}

impl Agent {
    /// Answers each call (`SendMessage`, `GetTask`, `CancelTask`) by what this gives for it.
    pub(super) fn start(
        binding: Binding,
        script: impl Fn(&str, &Value) -> AgentReply + Send + Sync + 'static,
    ) -> Self {
        Self::serve(binding, script, |answer| Outside::start(answer))
    }

    /// The same behind TLS.
    pub(super) fn start_tls(
        authority: &Authority,
        binding: Binding,
        script: impl Fn(&str, &Value) -> AgentReply + Send + Sync + 'static,
    ) -> Self {
        Self::serve(binding, script, |answer| Outside::start_tls(authority, answer))
    }

    fn serve(
        binding: Binding,
        script: impl Fn(&str, &Value) -> AgentReply + Send + Sync + 'static,
        start: impl FnOnce(Box<dyn Fn(usize, &RecordedCall) -> Reply + Send + Sync>) -> Outside,
    ) -> Self {
        let base = Arc::new(Mutex::new(String::new()));
        let known = base.clone();
        let outside = start(Box::new(move |_, heard| {
            if heard.path.starts_with("/.well-known/agent-card.json") {
                return Reply::Json(200, card(&known.lock().unwrap(), binding));
            }
            let (method, params) = call(heard);
            match (script(&method, &params), binding) {
                (AgentReply::Fault(status), _) => Reply::Json(status, json!({})),
                (AgentReply::Error(code), _) => {
                    let error = json!({"code": code, "message": "trouble inside"});
                    Reply::Json(200, json!({"jsonrpc": "2.0", "id": heard.body["id"], "error": error}))
                }
                (AgentReply::Result(result), Binding::HttpJson) => Reply::Json(200, result),
                (AgentReply::Result(result), Binding::JsonRpc) => {
                    Reply::Json(200, json!({"jsonrpc": "2.0", "id": heard.body["id"], "result": result}))
                }
            }
        }));
        *base.lock().unwrap() = outside.url("");
        Self { outside, binding }
    }

    pub(super) fn card_url(&self) -> String {
        self.outside.url("/")
    }

    /// The calls it received, by method, cards aside.
    pub(super) fn calls(&self) -> Vec<(String, Value)> {
        calls(&self.outside.received())
    }

    pub(super) fn methods(&self) -> Vec<String> {
        self.calls().into_iter().map(|(method, _)| method).collect()
    }

    /// Waits until it has received this many calls of a method.
    pub(super) fn wait_for(&self, method: &str, count: usize) -> Vec<Value> {
        let of_method = |heard: &[RecordedCall]| -> Vec<Value> {
            calls(heard).into_iter().filter(|(name, _)| name == method).map(|(_, params)| params).collect()
        };
        let heard = self.outside.wait_until(|heard| of_method(heard).len() >= count);
        of_method(&heard)
    }

    /// A header of every call of a method.
    pub(super) fn headers(&self, method: &str, name: &str) -> Vec<Option<String>> {
        let heard = self.outside.received();
        let calls =
            heard.iter().filter(|heard| !heard.path.contains(".well-known") && call(heard).0 == method);
        calls.map(|heard| heard.header(name).map(str::to_owned)).collect()
    }

    pub(super) const fn binding(&self) -> Binding {
        self.binding
    }
}

fn calls(heard: &[RecordedCall]) -> Vec<(String, Value)> {
    heard.iter().filter(|heard| !heard.path.contains(".well-known")).map(call).collect()
}

/// A call by its name, whichever binding it came by.
fn call(heard: &RecordedCall) -> (String, Value) {
    if let Some(method) = heard.body["method"].as_str() {
        return (method.to_owned(), heard.body["params"].clone());
    }
    let path = heard.path.split('?').next().unwrap().trim_start_matches('/');
    match (path, path.strip_prefix("tasks/")) {
        ("message:send", _) => ("SendMessage".into(), heard.body.clone()),
        (_, Some(task)) => match task.strip_suffix(":cancel") {
            Some(id) => ("CancelTask".into(), json!({"id": id})),
            None => ("GetTask".into(), json!({"id": task})),
        },
        _ => panic!("no call: {heard:?}"),
    }
}

fn card(base: &str, binding: Binding) -> Value {
    let binding = match binding {
        Binding::JsonRpc => "JSONRPC",
        Binding::HttpJson => "HTTP+JSON",
    };
    json!({"name": "Scout", "description": "by script", "version": "1",
        "supportedInterfaces": [{"url": base, "protocolBinding": binding, "protocolVersion": "1.0"}],
        "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "s", "name": "s", "description": "s", "tags": []}]})
}

/// Where a script holds a call until the test lets it go.
pub(super) struct Gate {
    arrived: Mutex<Sender<()>>,
    opened: Mutex<Receiver<()>>,
}

/// The test's side of a gate.
pub(super) struct Keeper {
    arrivals: Receiver<()>,
    open: Sender<()>,
}

pub(super) fn gate() -> (Gate, Keeper) {
    let (arrived, arrivals) = channel();
    let (open, opened) = channel();
    (Gate { arrived: Mutex::new(arrived), opened: Mutex::new(opened) }, Keeper { arrivals, open })
}

impl Gate {
    /// Says that a call is here, and waits for the keeper.
    pub(super) fn pass(&self) {
        // A test that is over has nobody at the gate.
        let _ = self.arrived.lock().unwrap().send(());
        let _ = self.opened.lock().unwrap().recv();
    }
}

impl Keeper {
    pub(super) fn wait_for_arrival(&self) {
        self.arrivals.recv_timeout(Duration::from_secs(40)).expect("a call at the gate");
    }

    pub(super) fn open(&self) {
        self.open.send(()).unwrap();
    }
}

/// A task in a state, with a text beside it.
pub(super) fn task(state: &str, text: Option<&str>) -> Value {
    let message = text.map(
        |text| json!({"messageId": format!("m-{text}"), "role": "ROLE_AGENT", "parts": [{"text": text}]}),
    );
    let mut status = json!({"state": format!("TASK_STATE_{state}")});
    if let Some(message) = message {
        status["message"] = message;
    }
    json!({"id": "there-1", "contextId": "context-there", "status": status})
}

/// A task that was answered.
pub(super) fn answered(text: &str) -> Value {
    let mut task = task("COMPLETED", None);
    task["artifacts"] = json!([{"artifactId": "a", "parts": [{"text": text}]}]);
    task
}

/// A message that is all there is.
pub(super) fn bare(text: &str) -> AgentReply {
    let parts = json!([{"text": text}]);
    AgentReply::Result(json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": parts}}))
}

/// What a send answers.
pub(super) fn sent(task: &Value) -> AgentReply {
    AgentReply::Result(json!({"task": task}))
}
