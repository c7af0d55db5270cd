//! All bindings give the same results for the same calls, and each its own form of errors: one table of calls.

use serde_json::{Value, json};
use tonic::Code;

use super::door::{ALL, BOTH, Binding, Door, VERSION, follow_up, message, of_http, of_rpc, work};
use super::grpc_call::{GrpcDoor, reason};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, text};

/// A result without what differs from call to call: ids and times that the hub makes.
fn plain(mut value: Value) -> Value {
    fn walk(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    match &**name {
                        "id" | "taskId" | "contextId" | "timestamp" => *value = json!("…"),
                        "nextPageToken" if *value != "" => *value = json!("…"),
                        "messageId" if value.as_str().is_some_and(|id| id.len() > 30) => *value = json!("…"),
                        _ => walk(value),
                    }
                }
            }
            Value::Array(values) => values.iter_mut().for_each(walk),
            _ => {}
        }
    }
    walk(&mut value);
    value
}

/// Without what protobuf does not say: a field that has its default is absent.
pub(super) fn lean(value: &Value) -> Value {
    let is_default = |value: &Value| {
        [json!(null), json!(""), json!(0), json!(false), json!([]), json!({})].contains(value)
    };
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), lean(value)));
            members.filter(|(_, value)| !is_default(value)).collect()
        }
        Value::Array(values) => values.iter().map(lean).collect(),
        other => other.clone(),
    }
}

#[test]
fn all_bindings_give_the_same_results_for_the_same_calls() {
    let hub = Hub::start();
    // A network for each binding, made alike, so that what one does is not seen by the other.
    let results = ALL.map(|binding| {
        let tenant = Tenant::register(&hub, &format!("{binding:?}").to_lowercase());
        let worker = tenant.agent("worker");
        let door = Door::of(&tenant, &tenant.agent("sender"), "worker");
        let open = text(&door.send("stays open")["id"]);
        let done = text(&door.send("first")["id"]);
        // The older waits for longer, so it is next: both are ended.
        let ended = [work(&worker, "one"), work(&worker, "two")];
        assert_eq!(ended, [open, done.clone()]);
        let open = text(&door.send("stays open")["id"]);
        let doomed = text(&door.send("is cancelled")["id"]);
        let now = |mut params: Value| {
            params["configuration"] = json!({"returnImmediately": true, "historyLength": 1});
            params
        };
        let to = |id: &str, words: &str| now(follow_up(id, words));
        let push = |id: &str| json!({"taskId": id, "id": "c", "url": "https://receiver.invalid/"});
        let calls = [
            ("SendMessage", now(message("hello"))),
            ("SendMessage", to(&open, "by the way")),
            ("SendMessage", to(&done, "too late")),
            ("SendMessage", to("nonsense", "to nobody")),
            ("SendMessage", json!({"message": {}})),
            ("SendMessage", json!({})),
            ("GetTask", json!({"id": open})),
            ("GetTask", json!({"id": done, "historyLength": 0})),
            ("GetTask", json!({"id": "nonsense"})),
            ("GetTask", json!({"id": done, "historyLength": -3})),
            ("ListTasks", json!({})),
            ("ListTasks", json!({"pageSize": 1, "includeArtifacts": true})),
            ("ListTasks", json!({"status": "TASK_STATE_COMPLETED", "historyLength": 5})),
            ("ListTasks", json!({"status": "TASK_STATE_REJECTED"})),
            ("ListTasks", json!({"status": "nonsense"})),
            ("ListTasks", json!({"contextId": open})),
            ("ListTasks", json!({"contextId": "nonsense"})),
            ("ListTasks", json!({"pageSize": 0})),
            ("ListTasks", json!({"pageSize": 1000})),
            ("ListTasks", json!({"pageSize": "many"})),
            ("ListTasks", json!({"pageToken": "nonsense"})),
            ("ListTasks", json!({"statusTimestampAfter": "2020-01-01T00:00:00Z"})),
            ("ListTasks", json!({"statusTimestampAfter": "2999-01-01T00:00:00Z"})),
            ("ListTasks", json!({"statusTimestampAfter": "yesterday"})),
            ("ListTasks", json!({"tenant": "acme"})),
            ("CancelTask", json!({"id": doomed})),
            ("CancelTask", json!({"id": doomed})),
            ("CancelTask", json!({"id": "nonsense"})),
            ("SubscribeToTask", json!({"id": done})),
            ("SubscribeToTask", json!({"id": "nonsense"})),
            ("SendStreamingMessage", to(&done, "too late")),
            ("SendStreamingMessage", json!({"message": {"role": "ROLE_USER"}})),
            ("CreateTaskPushNotificationConfig", push(&open)),
            ("GetTaskPushNotificationConfig", push(&open)),
            ("ListTaskPushNotificationConfigs", push(&open)),
            ("DeleteTaskPushNotificationConfig", push(&open)),
            ("DeleteTaskPushNotificationConfig", push(&open)),
            ("GetTaskPushNotificationConfig", push(&open)),
            ("CreateTaskPushNotificationConfig", json!({"taskId": open, "url": "https://127.0.0.1/"})),
            ("CreateTaskPushNotificationConfig", json!({"taskId": open})),
            ("CreateTaskPushNotificationConfig", push("nonsense")),
            ("ListTaskPushNotificationConfigs", json!({"taskId": open, "pageSize": 0})),
        ];
        calls.map(|(method, params)| {
            let result = door.called(binding, method, &params, &[]).map(|result| result.map(plain));
            (method, plain(params), result)
        })
    });
    let [rpc, http, grpc] = results;
    let (mut reasons, mut by_grpc) = (Vec::new(), 0);
    for ((rpc, http), (method, params, grpc)) in rpc.into_iter().zip(http).zip(grpc) {
        assert_eq!(rpc, http);
        let expected = rpc.2.unwrap();
        // In this message 0 and nothing are the same.
        if let Some(grpc) =
            grpc.filter(|_| (method, &params["pageSize"]) != ("ListTaskPushNotificationConfigs", &json!(0)))
        {
            by_grpc += 1;
            assert_eq!(
                grpc.map(|result| lean(&result)),
                expected.clone().map(|result| lean(&result)),
                "{method} {params}"
            );
        }
        reasons.extend(expected.err());
    }
    assert!(by_grpc > 35, "{by_grpc} calls could be expressed in protobuf");
    for reason in ["TASK_NOT_FOUND", "TASK_NOT_CANCELABLE", "UNSUPPORTED_OPERATION", "INVALID_PARAMS"] {
        assert!(reasons.iter().any(|other| other == reason), "no call met {reason}");
    }
}

#[test]
fn the_extended_card_is_the_same_on_all() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let [rpc, http, grpc] =
        ALL.map(|binding| door.call(binding, "GetExtendedAgentCard", &json!({})).unwrap());
    assert_eq!(rpc, http);
    assert_eq!(lean(&grpc), lean(&rpc));
}

#[test]
fn each_error_has_its_code_its_status_and_its_reason() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let done = text(&door.send("x")["id"]);
    work(&worker, "y");
    let late = follow_up(&*done, "too late");
    let cases = [
        ("GetTask", json!({"id": "nonsense"}), -32001, 404, "NOT_FOUND", Code::NotFound, "TASK_NOT_FOUND"),
        (
            "CancelTask",
            json!({"id": done}),
            -32002,
            400,
            "FAILED_PRECONDITION",
            Code::FailedPrecondition,
            "TASK_NOT_CANCELABLE",
        ),
        (
            "GetTaskPushNotificationConfig",
            json!({"taskId": done, "id": "none"}),
            -32001,
            404,
            "NOT_FOUND",
            Code::NotFound,
            "TASK_NOT_FOUND",
        ),
        (
            "SendMessage",
            late,
            -32004,
            400,
            "FAILED_PRECONDITION",
            Code::FailedPrecondition,
            "UNSUPPORTED_OPERATION",
        ),
        (
            "ListTasks",
            json!({"pageSize": 0}),
            -32602,
            400,
            "INVALID_ARGUMENT",
            Code::InvalidArgument,
            "INVALID_PARAMS",
        ),
    ];
    for (method, params, code, status, name, grpc_code, expected) in cases {
        let rpc = door.rpc(method, &params);
        assert_eq!((rpc.status, &rpc.json()["error"]["code"]), (200, &json!(code)), "{method}");
        assert_eq!(of_rpc(&rpc), Err(expected.into()));
        let http = door.answer_http(method, &params, &[]);
        assert_eq!((http.status, &http.json()["error"]["status"]), (status, &json!(name)), "{method}");
        assert_eq!(of_http(&http), Err(expected.into()));
        let grpc = GrpcDoor::of(&door).call_with(method, &params, &[VERSION]).unwrap().unwrap_err();
        assert_eq!((grpc.code(), &*reason(&grpc)), (grpc_code, expected), "{method}");
    }
    let raw = |body: &str| {
        let answer = door.client.send_text("POST", &door.base, &[VERSION], Some(body));
        assert_eq!(answer.status, 200);
        answer.json()["error"]["code"].clone()
    };
    assert_eq!(raw("{"), -32700);
    assert_eq!(raw("[]"), -32600);
    assert_eq!(raw(r#"{"jsonrpc":"2.0","method":"GetTask"}"#), -32600);
    assert_eq!(raw(r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#), -32600);
    assert_eq!(raw(r#"{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}"#), -32600);
    assert_eq!(raw(r#"{"jsonrpc":"2.0","id":1,"method":"message/send"}"#), -32601);
    assert_eq!(raw(r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}"#), -32602);
    assert_eq!(door.http("GET", "nothing", None).status, 404);
    assert_eq!(door.http("PUT", "tasks", Some(&json!({}))).status, 404);
}

#[test]
fn a_request_of_another_version_is_refused_on_all_and_the_card_is_not() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let client = &tenant.user;
    let id = door.send("x")["id"].clone();
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "GetTask", "params": {"id": id}});
    let path = format!("{}/tasks/{}", door.base, text(&id));
    let twice = [VERSION, ("a2a-version", "0.3")];
    for headers in
        [&[][..], &[("a2a-version", "")], &[("a2a-version", "0.3")], &[("a2a-version", "1.1")], &twice]
    {
        let rpc = client.send("POST", &door.base, headers, Some(&body));
        assert_eq!((rpc.status, &rpc.json()["error"]["code"]), (200, &json!(-32009)), "{headers:?}");
        assert_eq!(rpc.json()["id"], 7);
        assert_eq!(of_rpc(&rpc), Err("VERSION_NOT_SUPPORTED".into()));
        let way = rpc.json()["error"]["message"].clone();
        assert!(text(&way).contains("use a client of A2A 1.0, which sends A2A-Version: 1.0"), "{way}");
        let http = client.send("GET", &path, headers, None);
        assert_eq!((http.status, of_http(&http)), (400, Err("VERSION_NOT_SUPPORTED".into())), "{headers:?}");
        let grpc =
            GrpcDoor::of(&door).call_with("GetTask", &json!({"id": id}), headers).unwrap().unwrap_err();
        assert_eq!((grpc.code(), &*reason(&grpc)), (Code::FailedPrecondition, "VERSION_NOT_SUPPORTED"));
        assert!(grpc.message().contains("use a client of A2A 1.0"), "{grpc}");
        assert_eq!(client.send("GET", &door.base, headers, None).status, 200, "the card");
    }
    assert_eq!(client.get(&format!("{path}?A2A-Version=1.0")).status, 200, "the query says it too");
    assert_eq!(client.send("POST", &format!("{}/", door.base), &[VERSION], Some(&body)).status, 200);
}

#[test]
fn an_answer_is_called_what_the_client_accepts_or_else_what_it_sent() {
    const PLAIN: &str = "application/json";
    const A2A: &str = "application/a2a+json";
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let mut params = message("x");
    params["configuration"] = json!({"returnImmediately": true});
    let called = |headers: &[(&str, &str)]| {
        let answer = door.http_with("POST", "message:send", Some(&params), headers);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.header("content-type").unwrap().to_owned()
    };
    assert_eq!(called(&[]), PLAIN);
    assert_eq!(called(&[("content-type", A2A)]), A2A);
    assert_eq!(called(&[("content-type", "application/a2a+json; charset=utf-8"), ("accept", "*/*")]), A2A);
    assert_eq!(called(&[("accept", A2A)]), A2A);
    assert_eq!(called(&[("content-type", A2A), ("accept", PLAIN)]), PLAIN);
    assert_eq!(called(&[("accept", "text/html, application/a2a+json;q=0.9, application/json")]), A2A);
    let wrong = door.http_with("GET", "tasks/x", None, &[("accept", A2A)]);
    assert_eq!((wrong.status, wrong.header("content-type")), (404, Some(A2A)), "errors too");
    for binding in BOTH {
        let answer = match binding {
            Binding::Rpc => of_rpc(&door.rpc_with("SendMessage", &params, &[("content-type", "text/plain")])),
            _ => {
                let headers = [("content-type", "text/plain")];
                of_http(&door.http_with("POST", "message:send", Some(&params), &headers))
            }
        };
        assert_eq!(answer, Err("CONTENT_TYPE_NOT_SUPPORTED".into()));
    }
    // It is looked at before the body is.
    let headers = [super::door::VERSION, ("content-type", "text/plain")];
    let unread =
        |path: &str| door.client.send_text("POST", &format!("{}{path}", door.base), &headers, Some("x"));
    assert_eq!(of_rpc(&unread("/")), Err("CONTENT_TYPE_NOT_SUPPORTED".into()));
    assert_eq!(of_http(&unread("/message:send")), Err("CONTENT_TYPE_NOT_SUPPORTED".into()));
}
