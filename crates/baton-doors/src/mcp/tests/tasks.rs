//! The tasks extension, called as clients of the newest revision call it: handles to tasks, what they show, and the answers and
//! cancels that go by them.

use axum::http::{HeaderValue, StatusCode};
use baton_core::SystemRole;
use serde_json::{Value, json};

use super::{Client, data_of};
use crate::fixture::{TestHub, request, whole};
use crate::mcp::router;

const NEWEST: &str = "2026-07-28";
const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

/// What a client declares: the extension, and that it shows forms.
fn all() -> Value {
    json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

/// The hub's people: `ada` sends, `painter` works, `mallory` belongs elsewhere.
struct Scene {
    ada: Client,
    painter: Client,
    mallory: Client,
}

impl Scene {
    async fn set() -> Self {
        Self::on(TestHub::start()).await
    }

    async fn on(test: TestHub) -> Self {
        let ada = test.person("ada", SystemRole::User, &[1]).await;
        test.person("eve", SystemRole::User, &[2]).await;
        let (painter, mallory) =
            (test.agent("ada", 1, "painter").await, test.agent("eve", 2, "mallory").await);
        let door = router(&test.hub);
        let client = |token: String, hub: TestHub| Client { door: door.clone(), token, _hub: hub };
        Self {
            painter: client(painter, TestHub::start()),
            mallory: client(mallory, TestHub::start()),
            ada: client(ada, test),
        }
    }

    /// Sends a task as a client that takes handles, and the handle.
    async fn sent(&self) -> Value {
        let arguments = json!({ "alias": "painter", "task": "paint it" });
        let call = json!({ "name": "send_task", "arguments": arguments });
        let handle = ask(&self.ada, "tools/call", call, &all()).await["result"].clone();
        assert_eq!(
            (&handle["resultType"], &handle["status"]),
            (&json!("task"), &json!("working")),
            "{handle}"
        );
        handle
    }

    /// Sends a task that is then claimed; its id and the lease.
    async fn claimed(&self) -> (Value, Value) {
        let id = self.sent().await["taskId"].clone();
        let claim = self.painter.call("claim_task", json!({ "lease_seconds": 600 })).await;
        let lease = claim["result"]["structuredContent"]["lease_id"].clone();
        assert!(lease.is_string(), "{claim}");
        (id, lease)
    }

    /// The same, and its agent has asked something.
    async fn asked(&self, options: Value) -> (Value, Value) {
        let (id, lease) = self.claimed().await;
        let question = json!({ "task_id": id, "lease_id": lease, "keep_lease": true, "question": "which colour?", "options": options });
        let asked = self.painter.call("ask_sender", question).await;
        assert_eq!(asked["result"]["structuredContent"]["ok"], true, "{asked}");
        (id, lease)
    }

    async fn end(&self, id: &Value, lease: &Value, status: &str) {
        let reply = json!({ "in_reply_to": id, "lease_id": lease, "text": "that was it", "status": status });
        let ended = self.painter.call("send_reply", reply).await;
        assert_eq!(ended["result"]["structuredContent"]["ok"], true, "{ended}");
    }
}

/// A request of the newest revision, from a client that declares this.
async fn ask(client: &Client, method: &str, params: Value, declared: &Value) -> Value {
    let name = params["taskId"].as_str().or(params["name"].as_str()).map(str::to_owned);
    ask_named(client, method, params, declared, name.as_deref()).await.1
}

/// The same with this `Mcp-Name`.
async fn ask_named(
    client: &Client,
    method: &str,
    mut params: Value,
    declared: &Value,
    name: Option<&str>,
) -> (StatusCode, Value) {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": declared,
    });
    let message = json!({ "jsonrpc": "2.0", "id": 9, "method": method, "params": params });
    let mut request = request("POST", "/mcp", &client.token, message.to_string());
    for (header, value) in
        [("mcp-protocol-version", Some(NEWEST)), ("mcp-method", Some(method)), ("mcp-name", name)]
    {
        if let Some(value) = value {
            request.headers_mut().insert(header, HeaderValue::from_str(value).unwrap());
        }
    }
    let (status, text) = whole(client.send(request).await).await;
    (status, serde_json::from_str(&text).unwrap_or_else(|_| data_of(&text)))
}

async fn get(client: &Client, id: &Value) -> Value {
    ask(client, "tasks/get", json!({ "taskId": id }), &all()).await["result"].clone()
}

/// What an acknowledgment is, and nothing more.
fn assert_acknowledged(answer: &Value) {
    assert_eq!(answer["result"], json!({ "resultType": "complete" }), "{answer}");
}

#[tokio::test]
async fn a_client_that_declares_the_extension_gets_a_handle_and_later_the_result_in_it() {
    let scene = Scene::set().await;
    let handle = scene.sent().await;
    let fields: Vec<_> = handle.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "createdAt",
        "lastUpdatedAt",
        "pollIntervalMs",
        "resultType",
        "status",
        "statusMessage",
        "taskId",
        "ttlMs",
    ];
    assert_eq!(fields, expected, "{handle}");
    assert_eq!((&handle["ttlMs"], &handle["pollIntervalMs"]), (&Value::Null, &json!(1000)));
    let id = &handle["taskId"];
    let first = get(&scene.ada, id).await;
    assert_eq!((&first["status"], &first["resultType"]), (&json!("working"), &json!("complete")), "{first}");
    assert_eq!(first["statusMessage"], "painter has not started it yet");

    let claim = scene.painter.call("claim_task", json!({})).await["result"]["structuredContent"].clone();
    let report =
        json!({ "task_id": id, "lease_id": claim["lease_id"], "percent": 40, "message": "second coat" });
    scene.painter.call("report_progress", report).await;
    let second = get(&scene.ada, id).await;
    assert_eq!(
        (&second["status"], &second["statusMessage"]),
        (&json!("working"), &json!("40%: second coat"))
    );
    assert!(second["lastUpdatedAt"].as_str() >= first["lastUpdatedAt"].as_str(), "{second}");

    scene.end(id, &claim["lease_id"], "replied").await;
    let last = get(&scene.ada, id).await;
    assert_eq!(last["status"], "completed", "{last}");
    let result = &last["result"];
    let answer = &result["structuredContent"];
    assert_eq!(
        (&answer["ok"], &answer["ended"], &answer["task_id"]),
        (&json!(true), &json!(true), id),
        "{last}"
    );
    assert_eq!(
        (&answer["task"]["status"], &answer["task"]["result"]),
        (&json!("replied"), &json!("that was it"))
    );
    assert_eq!((&result["isError"], &result["resultType"]), (&json!(false), &json!("complete")));
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, *answer);
    assert!(result["_meta"].is_null() && last["requestState"].is_null());
    // What the tool says its answers are holds for this one too.
    let listed = scene.ada.ask("tools/list", json!({})).await["result"]["tools"].clone();
    let tool = listed.as_array().unwrap().iter().find(|tool| tool["name"] == "send_task").unwrap().clone();
    let schema = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
    assert!(schema.is_valid(answer), "{answer}");
}

#[tokio::test]
async fn how_a_task_ended_is_the_status_of_its_handle() {
    let scene = Scene::set().await;
    for (ending, status, is_error) in [
        ("replied", "completed", json!(false)),
        ("failed", "completed", json!(true)),
        ("cancelled", "cancelled", Value::Null),
    ] {
        let (id, lease) = scene.claimed().await;
        scene.end(&id, &lease, ending).await;
        let handle = get(&scene.ada, &id).await;
        assert_eq!(
            (&handle["status"], &handle["result"]["isError"]),
            (&json!(status), &is_error),
            "{ending}: {handle}"
        );
        assert!(handle["error"].is_null() && handle["pollIntervalMs"].is_null(), "{handle}");
        assert_eq!(handle["result"].is_object(), status == "completed", "{handle}");
    }
}

#[tokio::test]
async fn a_hub_that_removes_old_tasks_says_how_long_a_handle_lasts() {
    let keep = std::time::Duration::from_secs(86_400);
    let scene = Scene::on(TestHub::start_with(|settings| settings.keep_tasks = Some(keep))).await;
    let (id, lease) = scene.claimed().await;
    assert_eq!(get(&scene.ada, &id).await["ttlMs"], Value::Null, "an open task is not removed");
    scene.end(&id, &lease, "replied").await;
    let handle = get(&scene.ada, &id).await;
    assert!(handle["ttlMs"].as_u64().unwrap() >= 86_400_000, "{handle}");
}

#[tokio::test]
async fn a_question_is_asked_as_a_form_and_its_answer_reaches_the_agent() {
    let scene = Scene::set().await;
    let (id, lease) = scene.asked(json!(["red", "blue"])).await;
    let handle = get(&scene.ada, &id).await;
    assert_eq!(
        (&handle["status"], &handle["statusMessage"]),
        (&json!("input_required"), &json!("painter asks: which colour?"))
    );
    let asked = handle["inputRequests"].as_object().unwrap();
    let (key, form) = asked.iter().next().unwrap();
    assert_eq!((asked.len(), &form["method"]), (1, &json!("elicitation/create")), "{handle}");
    assert_eq!(
        (&form["params"]["mode"], &form["params"]["message"]),
        (&json!("form"), &handle["statusMessage"])
    );
    let schema = &form["params"]["requestedSchema"];
    assert_eq!(
        (&schema["required"], &schema["properties"]["answer"]["enum"]),
        (&json!(["answer"]), &json!(["red", "blue"]))
    );

    let update = async |key: &str, response: Value| {
        ask(&scene.ada, "tasks/update", json!({ "taskId": id, "inputResponses": { key: response } }), &all())
            .await
    };
    let with = |answer: &str| json!({ "action": "accept", "content": { "answer": answer } });
    // Neither what was never asked, nor a user who does not want to, nor a wrong answer is one.
    assert_acknowledged(&update("unknown-key", json!({ "ignored": true })).await);
    assert_acknowledged(&update(UNKNOWN, with("red")).await);
    assert_acknowledged(&update(key, json!({ "action": "decline" })).await);
    assert_acknowledged(&update(key, json!({ "action": "cancel" })).await);
    for wrong in [
        with("green"),
        json!({ "action": "accept", "content": { "confirm": true } }),
        json!({ "action": "maybe" }),
        json!(1),
    ] {
        let answer = update(key, wrong.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{wrong}: {answer}");
    }
    assert_eq!(
        get(&scene.ada, &id).await["inputRequests"],
        handle["inputRequests"],
        "the question is still open"
    );

    assert_acknowledged(&update(key, with("blue")).await);
    assert_eq!(get(&scene.ada, &id).await["status"], "working");
    let seen =
        scene.painter.call("get_task", json!({ "task_id": id })).await["result"]["structuredContent"].clone();
    let messages = seen["messages"].as_array().unwrap();
    assert_eq!((messages.len(), &messages[1]["content"]), (2, &json!("blue")), "{seen}");
    assert_eq!(messages[1]["from_name"], "ada");

    // A second question has a key of its own, and an answer to the first comes too late.
    let question =
        json!({ "task_id": id, "lease_id": lease, "keep_lease": true, "question": "how many coats?" });
    scene.painter.call("ask_sender", question).await;
    assert_acknowledged(&update(key, with("red")).await);
    let handle = get(&scene.ada, &id).await;
    let (second, form) = handle["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_ne!(second, key);
    assert_eq!(
        form["params"]["requestedSchema"]["properties"]["answer"],
        json!({ "type": "string", "title": "Answer", "minLength": 1 })
    );
    assert_acknowledged(&update(second, with("two")).await);
    scene.end(&id, &lease, "replied").await;
    assert_acknowledged(&update(second, with("three")).await);
    assert_eq!(get(&scene.ada, &id).await["status"], "completed");
}

#[tokio::test]
async fn a_client_without_forms_reads_the_question_in_the_status() {
    let scene = Scene::set().await;
    let (id, _) = scene.asked(json!([])).await;
    for declared in [json!({}), json!({ "url": {} })] {
        let mut declared = json!({ "elicitation": declared, "extensions": all()["extensions"] });
        if declared["elicitation"] == json!({}) {
            declared.as_object_mut().unwrap().remove("elicitation");
        }
        let handle = ask(&scene.ada, "tasks/get", json!({ "taskId": id }), &declared).await["result"].clone();
        assert_eq!(
            (&handle["status"], &handle["inputRequests"]),
            (&json!("input_required"), &json!({})),
            "{declared}"
        );
        assert_eq!(handle["statusMessage"], "painter asks: which colour?");
    }
}

#[tokio::test]
async fn cancel_is_acknowledged_whether_the_task_was_open_or_had_ended() {
    let scene = Scene::set().await;
    let id = scene.sent().await["taskId"].clone();
    let cancel = async || ask(&scene.ada, "tasks/cancel", json!({ "taskId": id }), &all()).await;
    assert_acknowledged(&cancel().await);
    let handle = get(&scene.ada, &id).await;
    assert_eq!(handle["status"], "cancelled", "{handle}");
    assert_acknowledged(&cancel().await);
    assert_eq!(get(&scene.ada, &id).await, handle, "and nothing more happened");
    let row = scene.painter.call("get_task", json!({ "task_id": id })).await;
    assert_eq!(row["result"]["structuredContent"]["task"]["status"], "cancelled");
}

#[tokio::test]
async fn a_task_out_of_sight_is_one_that_does_not_exist() {
    let scene = Scene::set().await;
    let (id, _) = scene.asked(json!([])).await;
    let key = get(&scene.ada, &id).await["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let answer = json!({ key: { "action": "accept", "content": { "answer": "mine" } } });
    for (client, id) in
        [(&scene.mallory, id.as_str().unwrap()), (&scene.ada, UNKNOWN), (&scene.ada, "nonsense-12345")]
    {
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let said = ask(client, method, json!({ "taskId": id, "inputResponses": answer }), &all()).await;
            assert_eq!(said["error"]["code"], -32602, "{method} {id}: {said}");
            assert_eq!(said["error"]["message"], format!("task not found: {id}"));
            assert_eq!(said["error"]["data"]["error"], "task_not_found", "{said}");
        }
    }
    assert_eq!(get(&scene.ada, &id).await["status"], "input_required", "nothing changed");
}

#[tokio::test]
async fn who_may_read_a_task_but_not_answer_it_changes_nothing() {
    let scene = Scene::set().await;
    let (id, _) = scene.asked(json!([])).await;
    let key =
        get(&scene.painter, &id).await["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let answer = json!({ key: { "action": "accept", "content": { "answer": "my own" } } });
    let said =
        ask(&scene.painter, "tasks/update", json!({ "taskId": id, "inputResponses": answer }), &all()).await;
    assert_eq!(
        (&said["error"]["code"], &said["error"]["data"]["error"]),
        (&json!(-32602), &json!("permission_denied")),
        "{said}"
    );
    assert_eq!(get(&scene.ada, &id).await["status"], "input_required");
}

#[tokio::test]
async fn a_client_that_does_not_declare_the_extension_gets_no_handle_and_may_use_none() {
    let scene = Scene::set().await;
    let undeclared = json!({ "elicitation": {} });
    let call = json!({ "name": "send_task", "arguments": { "alias": "painter", "task": "paint it" }, "task": { "ttl": 60000 } });
    let sent = ask(&scene.ada, "tools/call", call.clone(), &undeclared).await["result"].clone();
    assert_eq!((&sent["resultType"], &sent["taskId"]), (&json!("complete"), &Value::Null), "{sent}");
    let id = &sent["structuredContent"]["task_id"];
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let said = ask(&scene.ada, method, json!({ "taskId": id, "inputResponses": {} }), &undeclared).await;
        assert_eq!(said["error"]["code"], -32021, "{method}: {said}");
        let required = &said["error"]["data"]["requiredCapabilities"]["extensions"];
        assert_eq!(*required, json!({ "io.modelcontextprotocol/tasks": {} }), "{said}");
    }
    // A client that did has a handle to it all the same: the handle is the task's id.
    assert_eq!(get(&scene.ada, id).await["status"], "working");
    // Revisions that have no place to declare it are served as ever.
    let old = scene.ada.ask("tools/call", call).await;
    assert_eq!(
        (&old["result"]["structuredContent"]["ok"], &old["result"]["taskId"]),
        (&json!(true), &Value::Null)
    );
}

#[tokio::test]
async fn only_a_tool_that_opens_a_task_gives_a_handle_and_none_to_one_that_has_ended() {
    let scene = Scene::set().await;
    let call = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments, "task": { "ttl": 60000 } });
    for (name, arguments) in [
        ("list_agents", json!({})),
        ("send_message", json!({ "alias": "painter", "message": "hello" })),
        ("send_task", json!({ "alias": "nobody", "task": "x" })),
    ] {
        let said = ask(&scene.ada, "tools/call", call(name, arguments), &all()).await;
        assert_eq!(said["result"]["resultType"], "complete", "{name}: {said}");
        assert!(said["result"]["taskId"].is_null() && said["result"]["content"].is_array(), "{said}");
    }
    // A call that waits and sees the end needs none.
    let waiting = json!({ "alias": "painter", "task": "quick", "wait_seconds": 50 });
    let working = async {
        let claim = scene.painter.call("claim_task", json!({ "wait_seconds": 50 })).await["result"]["structuredContent"].clone();
        scene.end(&claim["task"]["task_id"], &claim["lease_id"], "replied").await;
    };
    let declared = all();
    let asking = ask(&scene.ada, "tools/call", call("send_task", waiting), &declared);
    let (said, ()) = tokio::join!(asking, working);
    let result = &said["result"];
    assert_eq!(
        (&result["resultType"], &result["structuredContent"]["ended"]),
        (&json!("complete"), &json!(true)),
        "{said}"
    );
}

#[tokio::test]
async fn calls_of_a_wrong_shape_and_methods_that_are_gone_have_their_codes() {
    let scene = Scene::set().await;
    let id = scene.sent().await["taskId"].clone();
    for (method, params) in [
        ("tasks/get", json!({})),
        ("tasks/get", json!({ "taskId": 5 })),
        ("tasks/cancel", json!({ "taskId": null })),
        ("tasks/update", json!({ "taskId": id })),
        ("tasks/update", json!({ "taskId": id, "inputResponses": [] })),
    ] {
        let said = ask(&scene.ada, method, params.clone(), &all()).await;
        assert_eq!(said["error"]["code"], -32602, "{method} {params}: {said}");
    }
    for method in ["tasks/list", "tasks/result"] {
        let said = ask(&scene.ada, method, json!({ "taskId": id }), &all()).await;
        assert_eq!(said["error"]["code"], -32601, "{method}: {said}");
    }
    let params = json!({ "taskId": id });
    let (status, said) = ask_named(&scene.ada, "tasks/get", params, &all(), Some("another-task")).await;
    assert_eq!((status, &said["error"]["code"]), (StatusCode::BAD_REQUEST, &json!(-32020)), "{said}");
}

#[tokio::test]
async fn the_extension_is_declared_where_a_client_can_take_it_up() {
    let scene = Scene::set().await;
    let found = ask(&scene.ada, "server/discover", json!({}), &all()).await["result"]["capabilities"].clone();
    assert_eq!(found["extensions"], json!({ "io.modelcontextprotocol/tasks": {} }), "{found}");
    assert!(found["tasks"].is_null(), "{found}");
}
