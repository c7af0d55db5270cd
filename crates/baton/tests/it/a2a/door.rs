//! An agent's base, called by either binding.

use serde_json::{Value, json};

use crate::it::http::{Client, Response, Stream};
use crate::it::tenant::{Tenant, act, claim, succeed, text};

pub(super) const VERSION: (&str, &str) = ("a2a-version", "1.0");

/// The two HTTP bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    Rpc,
    Http,
}

pub(super) const BOTH: [Binding; 2] = [Binding::Rpc, Binding::Http];

/// An agent's base and who calls there.
#[derive(Debug, Clone)]
pub(super) struct Door {
    pub(super) client: Client,
    pub(super) base: String,
}

/// What came of a call, whatever the binding: the result, or the error's reason.
pub(super) type Outcome = Result<Value, String>;

impl Door {
    pub(super) fn of(tenant: &Tenant, client: &Client, alias: &str) -> Self {
        Self { client: client.clone(), base: format!("/a2a/{}/{alias}", tenant.network_id) }
    }

    pub(super) fn called_by(&self, client: &Client) -> Self {
        Self { client: client.clone(), base: self.base.clone() }
    }

    /// A JSON-RPC request, as it is answered.
    pub(super) fn rpc(&self, method: &str, params: &Value) -> Response {
        self.rpc_with(method, params, &[])
    }

    pub(super) fn rpc_with(&self, method: &str, params: &Value, headers: &[(&str, &str)]) -> Response {
        self.rpc_as(method, params, &[&[VERSION], headers].concat())
    }

    /// The same with these headers alone.
    pub(super) fn rpc_as(&self, method: &str, params: &Value, headers: &[(&str, &str)]) -> Response {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        self.client.send("POST", &format!("{}/", self.base), headers, Some(&body))
    }

    /// An HTTP+JSON request, as it is answered.
    pub(super) fn http(&self, method: &str, path: &str, body: Option<&Value>) -> Response {
        self.http_with(method, path, body, &[])
    }

    pub(super) fn http_with(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Response {
        self.client.send(method, &format!("{}/{path}", self.base), &[&[VERSION], headers].concat(), body)
    }

    /// Calls an operation by either binding.
    pub(super) fn call(&self, binding: Binding, method: &str, params: &Value) -> Outcome {
        self.call_with(binding, method, params, &[])
    }

    pub(super) fn call_with(
        &self,
        binding: Binding,
        method: &str,
        params: &Value,
        headers: &[(&str, &str)],
    ) -> Outcome {
        match binding {
            Binding::Rpc => of_rpc(&self.rpc_with(method, params, headers)),
            Binding::Http => of_http(&self.answer_http(method, params, headers)),
        }
    }

    /// The same call as a path, a query and a body.
    pub(super) fn answer_http(&self, method: &str, params: &Value, headers: &[(&str, &str)]) -> Response {
        self.http_as(method, params, &[&[VERSION], headers].concat())
    }

    /// The same with these headers alone.
    pub(super) fn http_as(&self, method: &str, params: &Value, headers: &[(&str, &str)]) -> Response {
        let (verb, path, takes) = path_of(method, params);
        let (query, body) = match verb {
            "POST" => (String::new(), Some(params)),
            _ => (query(params, &takes), None),
        };
        self.client.send(verb, &format!("{}/{path}{query}", self.base), headers, body)
    }

    /// Sends a text and answers the task, at once.
    pub(super) fn send(&self, words: &str) -> Value {
        let mut params = message(words);
        params["configuration"] = json!({"returnImmediately": true});
        self.call(Binding::Rpc, "SendMessage", &params).unwrap()["task"].clone()
    }

    pub(super) fn get(&self, id: &str) -> Value {
        self.call(Binding::Http, "GetTask", &json!({"id": id})).unwrap()
    }

    /// Follows a task by either binding.
    pub(super) fn follow(&self, binding: Binding, id: &str, last_event_id: Option<&str>) -> Stream {
        let headers: Vec<_> =
            [VERSION].into_iter().chain(last_event_id.map(|id| ("last-event-id", id))).collect();
        let params = json!({"id": id});
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": "SubscribeToTask", "params": params});
        let opened = match binding {
            Binding::Rpc => self.client.stream_of("POST", &format!("{}/", self.base), &headers, Some(&body)),
            Binding::Http => {
                let path = format!("{}/tasks/{id}:subscribe", self.base);
                self.client.stream_of("POST", &path, &headers, Some(&params))
            }
        };
        opened.unwrap_or_else(|refused| panic!("{}", refused.text()))
    }

    /// Follows a task.
    pub(super) fn subscribe(&self, id: &str, last_event_id: Option<&str>) -> Result<Stream, Response> {
        let path = format!("{}/tasks/{id}:subscribe?A2A-Version=1.0", self.base);
        self.client.stream(&path, last_event_id)
    }
}

/// The parameters of a send of this text.
pub(super) fn message(words: &str) -> Value {
    json!({"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": words}]}})
}

/// The parameters of a send of this text to a task that there is.
pub(super) fn follow_up(task_id: impl Into<Value>, words: &str) -> Value {
    let mut params = message(words);
    params["message"]["taskId"] = task_id.into();
    params
}

/// The same parameters, of a send that is answered at once.
pub(super) fn immediately(mut params: Value) -> Value {
    params["configuration"] = json!({"returnImmediately": true});
    params
}

/// Takes the next task and ends it with these words.
pub(super) fn work(worker: &Client, words: &str) -> String {
    let claimed = claim(worker, 40, 60);
    let id = text(&claimed["task"]["task_id"]);
    succeed(&act(worker, &id, "reply", &json!({"text": words, "lease_id": claimed["lease_id"]})));
    id
}

/// Verb, path, and the parameters that the path has taken.
fn path_of(method: &str, params: &Value) -> (&'static str, String, Vec<&'static str>) {
    let id = params["id"].as_str().unwrap_or_default();
    let task = params["taskId"].as_str().unwrap_or_default();
    match method {
        "SendMessage" => ("POST", "message:send".into(), vec![]),
        "SendStreamingMessage" => ("POST", "message:stream".into(), vec![]),
        "GetTask" => ("GET", format!("tasks/{id}"), vec!["id"]),
        "ListTasks" => ("GET", "tasks".into(), vec![]),
        "CancelTask" => ("POST", format!("tasks/{id}:cancel"), vec!["id"]),
        "SubscribeToTask" => ("POST", format!("tasks/{id}:subscribe"), vec!["id"]),
        "GetExtendedAgentCard" => ("GET", "extendedAgentCard".into(), vec![]),
        "CreateTaskPushNotificationConfig" => {
            ("POST", format!("tasks/{task}/pushNotificationConfigs"), vec!["taskId"])
        }
        "ListTaskPushNotificationConfigs" => {
            ("GET", format!("tasks/{task}/pushNotificationConfigs"), vec!["taskId"])
        }
        "GetTaskPushNotificationConfig" => {
            ("GET", format!("tasks/{task}/pushNotificationConfigs/{id}"), vec!["taskId", "id"])
        }
        "DeleteTaskPushNotificationConfig" => {
            ("DELETE", format!("tasks/{task}/pushNotificationConfigs/{id}"), vec!["taskId", "id"])
        }
        other => panic!("{other} has no path"),
    }
}

fn query(params: &Value, taken: &[&str]) -> String {
    let pairs = params.as_object().unwrap().iter().filter(|(name, _)| !taken.contains(&name.as_str()));
    let pairs: Vec<String> = pairs
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name}={}", text.replace('+', "%2B")),
            None => format!("{name}={value}"),
        })
        .collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// A JSON-RPC answer; its form is held here for every test.
pub(super) fn of_rpc(answer: &Response) -> Outcome {
    let body = answer.json();
    assert_eq!(body["jsonrpc"], "2.0", "{body}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let Some(error) = body.get("error") else {
        assert_eq!((answer.status, &body["id"]), (200, &json!(7)), "{body}");
        return Ok(body["result"].clone());
    };
    assert!(error["code"].is_i64() && error["message"].is_string(), "{body}");
    Err(reason(&error["data"]))
}

/// An HTTP+JSON answer; its form is held here for every test.
pub(super) fn of_http(answer: &Response) -> Outcome {
    let body = answer.json();
    if answer.status == 200 {
        return Ok(body);
    }
    let error = &body["error"];
    assert_eq!(error["code"], answer.status, "{body}");
    assert!(error["status"].is_string() && error["message"].is_string(), "{body}");
    Err(reason(&error["details"]))
}

fn reason(details: &Value) -> String {
    let info = &details[0];
    assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo", "{details}");
    assert_eq!(info["domain"], "a2a-protocol.org", "{details}");
    text(&info["reason"])
}
