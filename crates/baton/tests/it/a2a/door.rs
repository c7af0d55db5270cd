//! An agent, called by any binding.

use serde_json::{Value, json};

use super::grpc_call::{GrpcDoor, reason as reason_of};
use super::task_stream::TaskStream;
use crate::it::http::{Client, Frame, Response, Stream};
use crate::it::tenant::{Tenant, act, claim, succeed, text};

pub(super) const VERSION: (&str, &str) = ("a2a-version", "1.0");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    Rpc,
    Http,
    Grpc,
}

/// A case that makes sense by each of them is written once over these.
pub(super) const ALL: [Binding; 3] = [Binding::Rpc, Binding::Http, Binding::Grpc];

/// The two HTTP bindings, for what gRPC has no form of: paths, JSON, content types.
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

    /// Calls an operation by any binding.
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
        let outcome = self.called(binding, method, params, headers);
        outcome.unwrap_or_else(|| panic!("protobuf has no form for {method} {params}"))
    }

    /// The same; none by gRPC if protobuf has no form for these parameters.
    pub(super) fn called(
        &self,
        binding: Binding,
        method: &str,
        params: &Value,
        headers: &[(&str, &str)],
    ) -> Option<Outcome> {
        match binding {
            Binding::Rpc => Some(of_rpc(&self.rpc_with(method, params, headers))),
            Binding::Http => Some(of_http(&self.answer_http(method, params, headers))),
            Binding::Grpc => GrpcDoor::of(self).outcome(method, params, &[&[VERSION], headers].concat()),
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

    /// Opens a stream by any binding; a refusal is its reason.
    pub(super) fn stream(
        &self,
        binding: Binding,
        method: &str,
        params: &Value,
        headers: &[(&str, &str)],
    ) -> Result<TaskStream, String> {
        let headers = [&[VERSION], headers].concat();
        let opened = match binding {
            Binding::Rpc => {
                let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
                let opened = self.client.stream_of("POST", &format!("{}/", self.base), &headers, Some(&body));
                opened.map_err(|refused| of_rpc(&refused))
            }
            Binding::Http => {
                let path = format!("{}/{}", self.base, path_of(method, params).1);
                let opened = self.client.stream_of("POST", &path, &headers, Some(params));
                opened.map_err(|refused| of_http(&refused))
            }
            Binding::Grpc => {
                let opened = GrpcDoor::of(self).stream(method, params, &headers).expect("a form in protobuf");
                return opened
                    .map(|updates| TaskStream::Grpc(Box::new(updates)))
                    .map_err(|status| reason_of(&status));
            }
        };
        opened.map(TaskStream::OverHttp).map_err(Result::unwrap_err)
    }

    /// Everything that a streamed send is answered with.
    pub(super) fn streamed(&self, binding: Binding, params: &Value, headers: &[(&str, &str)]) -> Vec<Frame> {
        self.stream(binding, "SendStreamingMessage", params, headers).unwrap().collect()
    }

    /// Follows a task by any binding.
    pub(super) fn follow(
        &self,
        binding: Binding,
        id: &str,
        last_event_id: Option<&str>,
    ) -> Result<TaskStream, String> {
        let last: Vec<_> = last_event_id.map(|id| ("last-event-id", id)).into_iter().collect();
        self.stream(binding, "SubscribeToTask", &json!({"id": id}), &last)
    }

    /// Follows a task over HTTP+JSON.
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
