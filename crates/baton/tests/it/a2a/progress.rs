//! Progress as A2A clients see it: between the updates of a task's stream, in order and once, and in the task itself.

use serde_json::{Value, json};

use super::door::{ALL, Door};
use super::streams::{by, rest, short, story};
use super::task_stream::TaskStream;
use crate::it::http::{Client, Frame};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, succeed, text};

/// What a frame says of progress: its id, if the binding gives one, the words and the percentage.
fn of(frame: &Frame) -> (String, String, Value) {
    let said = frame.data.get("result").unwrap_or(&frame.data);
    let status = said.pointer("/statusUpdate/status").or(said.pointer("/task/status")).unwrap();
    assert_eq!(status["state"], "TASK_STATE_WORKING");
    let message = &status["message"];
    assert_eq!(message["role"], "ROLE_AGENT");
    (
        frame.id.clone().unwrap_or_default(),
        text(&message["parts"][0]["text"]),
        message["metadata"]["percent"].clone(),
    )
}

fn report(worker: &Client, id: &str, lease: &Value, percent: u8, message: &str) {
    let body = json!({"lease_id": lease, "percent": percent, "message": message});
    succeed(&act(worker, id, "progress", &body));
}

/// What all bindings tell next.
fn next_of_all(streams: &mut [TaskStream; 3]) -> (String, String, Value) {
    let [rpc, http, grpc] = streams.each_mut().map(|stream| stream.next().unwrap());
    assert_eq!(rpc.data["result"], http.data, "the HTTP bindings send the same");
    let (told, by_grpc) = (of(&http), of(&grpc));
    assert_eq!(of(&rpc), told);
    assert_eq!((&by_grpc.1, &by_grpc.2), (&told.1, &told.2), "and so does gRPC");
    told
}

#[test]
fn progress_arrives_in_order_and_once_on_all_bindings_also_over_a_killed_hub() {
    let mut hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    let lease = claim(&worker, 0, 600)["lease_id"].clone();
    let follow = |last: Option<&str>| ALL.map(|binding| door.follow(binding, &id, last).unwrap());
    let mut streams = follow(None);
    for (binding, stream) in ALL.into_iter().zip(&mut streams) {
        let first = short(&stream.next().unwrap());
        assert_eq!(first, by(binding, &[("2", "task", "TASK_STATE_WORKING")])[0], "nothing was reported yet");
    }
    report(&worker, &id, &lease, 10, "reading");
    assert_eq!(next_of_all(&mut streams), ("2.1".into(), "10 %: reading".into(), json!(10)));
    report(&worker, &id, &lease, 20, "writing");
    assert_eq!(next_of_all(&mut streams), ("2.2".into(), "20 %: writing".into(), json!(20)));
    hub.kill9();
    hub.restart();
    // One that has received it all begins with the task as it is, and gets nothing twice.
    let mut resumed = follow(Some("2.2"));
    assert_eq!(next_of_all(&mut resumed), ("2.2".into(), "20 %: writing".into(), json!(20)));
    report(&worker, &id, &lease, 30, "testing");
    assert_eq!(next_of_all(&mut resumed), ("2.3".into(), "30 %: testing".into(), json!(30)));
    // One that left earlier gets the latest.
    let mut late = follow(Some("2.1"));
    assert_eq!(next_of_all(&mut late), ("2.3".into(), "30 %: testing".into(), json!(30)));
    assert_eq!(door.get(&id)["status"]["message"]["parts"][0]["text"], "30 %: testing");
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": lease})));
    for (binding, stream) in ALL.into_iter().cycle().zip(resumed.into_iter().chain(late)) {
        let end = [("2", "artifactUpdate", "result"), ("3", "statusUpdate", "TASK_STATE_COMPLETED")];
        assert_eq!(
            story(&rest(stream)),
            by(binding, &end),
            "the result and the end, and no progress after it"
        );
    }
    assert!(door.get(&id)["status"].get("message").is_none(), "a task that ended shows its end");
}

#[test]
fn progress_before_a_question_is_not_shown_after_it() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    let lease = claim(&worker, 0, 600)["lease_id"].clone();
    report(&worker, &id, &lease, 50, "half");
    let ask = json!({"question": "which?", "lease_id": lease, "keep_lease": true});
    succeed(&act(&worker, &id, "ask", &ask));
    assert_eq!(door.get(&id)["status"]["message"]["parts"][0]["text"], "which?");
    succeed(&act(&tenant.user, &id, "answer", &json!({"text": "that"})));
    let working = door.get(&id)["status"].clone();
    assert_eq!((&working["state"], working.get("message")), (&json!("TASK_STATE_WORKING"), None));
    let mut streams = ALL.map(|binding| {
        let mut stream = door.follow(binding, &id, Some("2")).unwrap();
        let begun: Vec<_> = (0..3).map(|_| short(&stream.next().unwrap())).collect();
        let expected = [
            ("2", "task", "TASK_STATE_WORKING"),
            ("3", "statusUpdate", "TASK_STATE_INPUT_REQUIRED"),
            ("4", "statusUpdate", "TASK_STATE_WORKING"),
        ];
        assert_eq!(begun, by(binding, &expected));
        stream
    });
    report(&worker, &id, &lease, 60, "on");
    assert_eq!(next_of_all(&mut streams), ("4.2".into(), "60 %: on".into(), json!(60)));
    for wrong in ["4.0", "4.x", "9.1", ".1", "4."] {
        for binding in ALL {
            assert!(door.follow(binding, &id, Some(wrong)).is_err(), "{wrong}");
        }
    }
}
