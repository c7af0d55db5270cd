//! Progress and output of a task that runs: who may report it, what is kept, and who receives it.

use serde_json::{Value, json};

use super::http::{Client, Frame, Stream};
use super::hub::Hub;
use super::tenant::{
    Tenant, act, claim, events, refused, report as report_session, send, succeed, task, text,
};
use super::tool;

/// A task of a worker's, and its lease.
struct Running {
    tenant: Tenant,
    worker: Client,
    id: String,
    lease: Value,
    _hub: Hub,
}

impl Running {
    fn start() -> Self {
        let hub = Hub::start();
        let tenant = Tenant::register(&hub, "alice");
        let worker = tenant.agent("worker");
        report_session(&worker, "worker", "working");
        let id = send(&tenant.user, "worker", "x");
        let lease = claim(&worker, 0, 600)["lease_id"].clone();
        Self { tenant, worker, id, lease, _hub: hub }
    }

    fn report(&self, mut body: Value) -> super::http::Response {
        body["lease_id"] = self.lease.clone();
        act(&self.worker, &self.id, "progress", &body)
    }

    /// The task's progress without its time, which is some time.
    fn progress(&self) -> Value {
        let mut progress = task(&self.tenant.user, &self.id)["progress"].clone();
        if let Some(progress) = progress.as_object_mut() {
            assert!(progress.remove("at").is_some_and(|at| at.is_string()));
        }
        progress
    }
}

#[test]
fn progress_is_on_the_task_and_leaves_no_history() {
    let running = Running::start();
    let Running { tenant, worker, id, .. } = &running;
    assert!(task(&tenant.user, id).get("progress").is_none());
    let before = events(&tenant.user, id);
    assert_eq!(
        succeed(&running.report(json!({"percent": 40, "message": "compiling"})))["task_id"],
        json!(id)
    );
    assert_eq!(running.progress(), json!({"percent": 40, "message": "compiling"}));
    succeed(&running.report(json!({"message": "linking"})));
    assert_eq!(running.progress(), json!({"percent": 40, "message": "linking"}), "what is left out stays");
    let args = json!({"task_id": id, "lease_id": running.lease, "percent": 90});
    assert_eq!(tool::call(worker, "report_progress", &args)["ok"], true);
    assert_eq!(running.progress(), json!({"percent": 90, "message": "linking"}));
    assert_eq!(events(&tenant.user, id), before);
    let listed = succeed(&tenant.user.get("/api/tasks"))["tasks"][0]["progress"]["percent"].clone();
    assert_eq!(listed, 90);
    let session = tool::call(&tenant.user, "get_session_status", &json!({"alias": "worker"}));
    assert_eq!(session["session"]["progress"], 90);
}

#[test]
fn only_the_holder_of_the_lease_reports() {
    let running = Running::start();
    let Running { tenant, worker, id, lease, .. } = &running;
    let body = json!({"lease_id": lease, "percent": 1});
    let other = tenant.agent("other");
    refused(&act(&other, id, "progress", &body), 403, "permission_denied");
    refused(&act(&tenant.user, id, "progress", &body), 403, "network_token_required");
    let stranger = Tenant::register(&running._hub, "mallory").agent("spy");
    refused(&act(&stranger, id, "progress", &body), 404, "task_not_found");
    let unknown = "01900000-0000-7000-8000-000000000000";
    refused(&act(worker, unknown, "progress", &body), 404, "task_not_found");
    let wrong = json!({"lease_id": format!("lease_{}", "0".repeat(32)), "percent": 1});
    refused(&act(worker, id, "progress", &wrong), 409, "lease_lost");
    assert!(task(&tenant.user, id).get("progress").is_none(), "nothing changed");
    succeed(&act(worker, id, "reply", &json!({"text": "done", "lease_id": lease})));
    refused(&running.report(json!({"percent": 1})), 409, "lease_lost");
}

#[test]
fn progress_out_of_bounds_is_refused_and_changes_nothing() {
    let running = Running::start();
    let cases = [
        (json!({"percent": 101}), "percent"),
        (json!({"percent": -1}), "percent"),
        (json!({"message": ""}), "message"),
        (json!({"message": "é".repeat(1_001)}), "message"),
        (json!({"output": "x".repeat(65_537)}), "output"),
    ];
    for (body, field) in cases {
        let why = refused(&running.report(body), 400, "invalid input");
        assert!(text(&why["message"]).contains(field), "{why}");
    }
    assert!(task(&running.tenant.user, &running.id).get("progress").is_none());
    let most = json!({"percent": 100, "message": "é".repeat(1_000), "output": "x".repeat(65_536)});
    succeed(&running.report(most));
    assert_eq!(running.progress()["percent"], 100);
}

#[test]
fn a_new_run_begins_without_progress() {
    let running = Running::start();
    let Running { tenant, worker, id, lease, .. } = &running;
    succeed(&running.report(json!({"percent": 40})));
    succeed(&act(worker, id, "ask", &json!({"question": "which?", "lease_id": lease})));
    assert_eq!(running.progress()["percent"], 40, "it was so until it asked");
    succeed(&act(&tenant.user, id, "answer", &json!({"text": "that"})));
    claim(worker, 0, 60);
    assert!(task(&tenant.user, id).get("progress").is_none());
}

#[test]
fn an_extension_reports_progress_too_and_its_output_is_shown_in_the_session_and_never_appended() {
    let running = Running::start();
    let Running { tenant, worker, lease, .. } = &running;
    let path = format!("/api/leases/{}/extend", text(lease));
    // A worker of an earlier release sends the end of what was printed with each extension.
    for _ in 0..2 {
        succeed(&worker.post(&path, &json!({"progress": 30, "output": "one"})));
    }
    assert_eq!(running.progress(), json!({"percent": 30, "message": null}));
    let session = || tool::call(&tenant.user, "get_session_status", &json!({"alias": "worker"}));
    assert_eq!(session()["session"]["output"], "one");
    succeed(&running.report(json!({"output": "one"})));
    succeed(&running.report(json!({"output": " two"})));
    assert_eq!(session()["session"]["output"], "one two", "the end of all that was reported");
    let mut stream = follow(&tenant.user, &running.id, None);
    let frames = [(); 3].map(|()| short(&stream.next_frame().unwrap()));
    assert_eq!(frames[2], "0: one two", "{frames:?}");
}

#[test]
fn what_was_reported_survives_a_killed_hub() {
    let mut running = Running::start();
    succeed(&running.report(json!({"percent": 70, "message": "nearly"})));
    running._hub.kill9();
    running._hub.restart();
    assert_eq!(running.progress(), json!({"percent": 70, "message": "nearly"}));
}

fn follow(client: &Client, id: &str, last: Option<&str>) -> Stream {
    let opened = client.stream(&format!("/events/task/{id}"), last);
    opened.unwrap_or_else(|refused| panic!("{}", refused.text()))
}

/// A frame, in short.
fn short(frame: &Frame) -> String {
    let told = &frame.data;
    match told["type"].as_str().unwrap() {
        "status" => format!("{} {}", told["event"], text(&told["status"])),
        "progress" => format!("{} % {}", told["percent"], told["message"].as_str().unwrap_or("-")),
        "output" => format!("{}: {}", told["offset"], text(&told["text"])),
        other => panic!("{other}"),
    }
}

fn rest(mut stream: Stream) -> Vec<String> {
    std::iter::from_fn(|| stream.next_frame()).map(|frame| short(&frame)).collect()
}

#[test]
fn a_task_is_followed_to_its_end_and_nothing_follows_that() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let id = send(&tenant.user, "worker", "x");
    let mut stream = follow(&tenant.user, &id, None);
    let mut next = || short(&stream.next_frame().unwrap());
    assert_eq!(next(), "1 delivered");
    let lease = claim(&worker, 0, 600)["lease_id"].clone();
    assert_eq!(next(), "2 running");
    let report = |mut body: Value| {
        body["lease_id"] = lease.clone();
        succeed(&act(&worker, &id, "progress", &body));
    };
    report(json!({"percent": 10, "output": "one\n"}));
    assert_eq!([next(), next()], ["10 % -", "0: one\n"]);
    report(json!({"output": "two\n"}));
    assert_eq!(next(), "4: two\n");
    report(json!({"message": "nearly"}));
    assert_eq!(next(), "10 % nearly");
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": lease})));
    assert_eq!(next(), "3 replied");
    assert!(stream.next_frame().is_none(), "the stream ends with the task");
    let again = ["10 % nearly", "0: one\ntwo\n", "3 replied"];
    assert_eq!(rest(follow(&tenant.user, &id, None)), again, "what is kept of a task that has ended");
    assert_eq!(rest(follow(&tenant.user, &id, Some("nonsense"))), again);
}

#[test]
fn a_report_is_streamed_without_reading_the_tasks_texts() {
    let mut running = Running::start();
    let mut stream = follow(&running.tenant.user, &running.id, None);
    assert_eq!(short(&stream.next_frame().unwrap()), "2 running");
    // A text that is no text: whoever reads it gets an error.
    running._hub.was_damaged = true;
    let database = rusqlite::Connection::open(running._hub.data_dir().join("hub.db")).unwrap();
    let damage = "UPDATE tasks SET content = CAST(x'ff' AS TEXT) WHERE task_id = ?1";
    assert_eq!(database.execute(damage, [&running.id]).unwrap(), 1);
    drop(database);
    let whole = running.tenant.user.get(&format!("/api/tasks/{}", running.id));
    refused(&whole, 503, "storage_unavailable");
    succeed(&running.report(json!({"percent": 10, "output": "one"})));
    let frames = [stream.next_frame().unwrap(), stream.next_frame().unwrap()];
    assert_eq!(frames.each_ref().map(short), ["10 % -", "0: one"]);
}

#[test]
fn a_tasks_stream_resumes_over_a_killed_hub_without_a_gap_or_a_repeat() {
    let mut running = Running::start();
    let report = |running: &Running, body: Value| {
        succeed(&running.report(body));
    };
    let mut stream = follow(&running.tenant.user, &running.id, None);
    assert_eq!(short(&stream.next_frame().unwrap()), "2 running");
    report(&running, json!({"percent": 10, "output": "one "}));
    let frames = [stream.next_frame().unwrap(), stream.next_frame().unwrap()];
    assert_eq!(frames.each_ref().map(short), ["10 % -", "0: one "]);
    running._hub.kill9();
    running._hub.restart();
    report(&running, json!({"output": "two "}));
    report(&running, json!({"percent": 20, "output": "three"}));
    let reply = json!({"text": "done", "lease_id": running.lease});
    succeed(&act(&running.worker, &running.id, "reply", &reply));
    let all = ["20 % -", "4: two three", "3 replied"];
    assert_eq!(rest(follow(&running.tenant.user, &running.id, frames[1].id.as_deref())), all);
    let all = ["20 % -", "0: one two three", "3 replied"];
    assert_eq!(rest(follow(&running.tenant.user, &running.id, frames[0].id.as_deref())), all);
}

#[test]
fn of_a_long_output_the_last_64_kib_are_kept_and_its_offset_tells_the_gap() {
    let running = Running::start();
    for piece in ["a", "b", "é"] {
        succeed(&running.report(json!({"output": piece.repeat(30_000)})));
    }
    let mut stream = follow(&running.tenant.user, &running.id, None);
    stream.next_frame().unwrap();
    let told = stream.next_frame().unwrap().data;
    let kept = text(&told["text"]);
    assert_eq!((kept.len(), told["offset"].as_u64()), (65_536, Some(120_000 - 65_536)));
    assert_eq!(kept, format!("{}{}", "b".repeat(5_536), "é".repeat(30_000)));
}

#[test]
fn strangers_follow_no_task_and_a_revoked_token_no_longer_does() {
    let running = Running::start();
    let Running { tenant, id, .. } = &running;
    let stranger = Tenant::register(&running._hub, "mallory").user;
    let path = format!("/events/task/{id}");
    refused(&stranger.stream(&path, None).err().unwrap(), 404, "task_not_found");
    refused(&tenant.user.stream("/events/task/nonsense", None).err().unwrap(), 404, "task_not_found");
    assert_eq!(tenant.user.with_token("wrong").stream(&path, None).err().unwrap().status, 401);
    let (watcher, token_id) = tenant.mint("watcher", "coordinator");
    let mut stream = follow(&watcher, id, None);
    stream.next_frame().unwrap();
    succeed(&tenant.user.delete(&format!("/api/auth/tokens/{token_id}")));
    assert!(stream.next_frame().is_none());
}

/// A tool call that asks for progress.
fn call_with_progress(client: &Client, tool: &str, arguments: &Value) -> Stream {
    let headers = [("accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-03-26")];
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "p-1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    client
        .stream_of("POST", "/mcp", &headers, Some(&body))
        .unwrap_or_else(|refused| panic!("{}", refused.text()))
}

#[test]
fn an_mcp_caller_that_waits_receives_progress_in_order_and_once() {
    let running = Running::start();
    let Running { tenant, worker, id, lease, .. } = &running;
    let args = json!({"task_id": id, "wait_seconds": 60});
    let mut waiting = call_with_progress(&tenant.user, "get_task", &args);
    let reported = [(json!({"percent": 25, "message": "first"}), 25.0), (json!({"percent": 50}), 50.0)];
    for (body, value) in reported {
        succeed(&running.report(body));
        let told = waiting.next_frame().unwrap().data;
        assert_eq!(told["method"], "notifications/progress");
        let params = &told["params"];
        assert_eq!((&params["progressToken"], &params["message"]), (&json!("p-1"), &json!("first")));
        assert_eq!((params["progress"].as_f64(), params["total"].as_f64()), (Some(value), Some(100.0)));
    }
    succeed(&running.report(json!({"percent": 50, "message": "still"})));
    let told = waiting.next_frame().unwrap().data["params"].clone();
    assert!(told["progress"].as_f64() > Some(50.0) && told["message"] == "still", "each is greater: {told}");
    succeed(&act(worker, id, "reply", &json!({"text": "done", "lease_id": lease})));
    let answered = waiting.next_frame().unwrap().data;
    assert_eq!(answered["result"]["structuredContent"]["task"]["result"], "done", "{answered}");
    assert!(waiting.next_frame().is_none());
}

#[test]
fn a_send_that_waits_receives_progress_of_the_task_it_made() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let args = json!({"alias": "worker", "task": "x", "wait_seconds": 60, "network_id": tenant.network_id});
    let mut waiting = call_with_progress(&tenant.user, "send_task", &args);
    let claimed = claim(&worker, 40, 60);
    let id = text(&claimed["task"]["task_id"]);
    let lease = &claimed["lease_id"];
    succeed(&act(&worker, &id, "progress", &json!({"lease_id": lease, "message": "on it"})));
    let told = waiting.next_frame().unwrap().data["params"].clone();
    assert_eq!((&told["message"], told.get("total")), (&json!("on it"), None));
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": lease})));
    assert_eq!(waiting.next_frame().unwrap().data["result"]["structuredContent"]["ended"], true);
}
