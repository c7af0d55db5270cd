//! Event streams: live push, reconnects, and their end after revocation (section 5).

use serde_json::{Value, json};

use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, refused, send, succeed};

#[test]
fn a_send_is_pushed_to_its_alias_without_its_content() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let mut stream = worker.stream("/events/worker", None).unwrap();
    let hello = stream.next_frame().unwrap().data;
    let expected =
        json!({"type": "connected", "session": "worker", "network_id": network.network_id, "inbox_count": 0});
    assert_eq!(hello, expected);
    let task_id = send(&network.user, "worker", "the secret content");
    let frame = stream.next_of("new_task").unwrap();
    assert!(frame.id.is_some_and(|id| id.parse::<u64>().is_ok()));
    assert_eq!((&frame.data["task_id"], &frame.data["from"]), (&json!(task_id), &json!("alice")));
    assert_eq!((&frame.data["inbox_count"], &frame.data["priority"]), (&json!(1), &json!("normal")));
    assert!(!frame.data.to_string().contains("secret"), "{}", frame.data);
    succeed(&act(&network.user, &task_id, "cancel", &json!({"reason": "enough"})));
    let frame = stream.next_of("task_cancelled").unwrap().data;
    assert_eq!((&frame["task_id"], &frame["reason"]), (&json!(task_id), &json!("enough")));
}

#[test]
fn a_reply_is_pushed_to_its_sender_agent_or_user() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    for (client, path) in [(&sender, "/events/sender"), (&network.user, "/events/me")] {
        let mut stream = client.stream(path, None).unwrap();
        assert_eq!(stream.next_frame().unwrap().data["type"], "connected");
        let task_id = send(client, "worker", "work");
        succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
        let frame = stream.next_of("new_reply").unwrap().data;
        let said = (&frame["from"], &frame["in_reply_to"], &frame["status"]);
        assert_eq!(said, (&json!("worker"), &json!(task_id), &json!("replied")));
    }
}

#[test]
fn a_reconnect_without_an_id_replays_nothing_and_with_one_everything_after_it() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let mut stream = worker.stream("/events/worker", None).unwrap();
    stream.next_frame().unwrap();
    let first = send(&network.user, "worker", "one");
    let seen = stream.next_of("new_task").unwrap();
    assert_eq!(seen.data["task_id"], json!(first));
    drop(stream);
    let missed: Vec<String> = ["two", "three"].map(|task| send(&network.user, "worker", task)).into();

    let mut fresh = worker.stream("/events/worker", None).unwrap();
    assert_eq!(fresh.next_frame().unwrap().data["inbox_count"], 3);
    let mut resumed = worker.stream("/events/worker", seen.id.as_deref()).unwrap();
    assert_eq!(resumed.next_frame().unwrap().data["type"], "connected");
    let replayed: Vec<Value> =
        (0..2).map(|_| resumed.next_of("new_task").unwrap().data["task_id"].clone()).collect();
    assert_eq!(json!(replayed), json!(missed));

    // The next frame of both is the next task: the fresh one saw nothing old.
    let live = send(&network.user, "worker", "four");
    for stream in [&mut fresh, &mut resumed] {
        assert_eq!(stream.next_of("new_task").unwrap().data["task_id"], json!(live));
    }
}

#[test]
fn a_resume_survives_a_restart_of_the_hub() {
    let mut hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let worker = network.agent("worker");
    let mut stream = worker.stream("/events/worker", None).unwrap();
    send(&network.user, "worker", "one");
    let seen = stream.next_of("new_task").unwrap();
    let missed = send(&network.user, "worker", "two");
    hub.kill9();
    hub.restart();
    let mut resumed = worker.stream("/events/worker", seen.id.as_deref()).unwrap();
    assert_eq!(resumed.next_of("new_task").unwrap().data["task_id"], json!(missed));
}

#[test]
fn a_revoked_token_is_refused_at_its_next_call_and_its_streams_end_within_15_seconds() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (worker, token_id) = network.mint("worker", "node");
    let mut stream = worker.stream("/events/worker", None).unwrap();
    stream.next_frame().unwrap();
    succeed(&network.user.delete(&format!("/api/auth/tokens/{token_id}")));
    refused(&worker.get("/api/inbox"), 401, "unauthorized");
    assert!(stream.next_frame().is_none(), "nothing more is sent");
    // A stream that is quiet for 20 seconds gets a comment: this one ended earlier.
    assert_eq!(stream.comments, 0);
}

#[test]
fn a_stream_of_another_alias_is_refused() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (worker, _other) = (network.agent("worker"), network.agent("other"));
    refused(&worker.stream("/events/other", None).unwrap_err(), 403, "permission_denied");
    refused(&hub.client().stream("/events/worker", None).unwrap_err(), 401, "unauthorized");
}

#[test]
fn a_members_dashboard_hears_every_event_of_its_network() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let path = format!("/events/network/{}", network.network_id);
    let mut stream = network.user.stream(&path, None).unwrap();
    let task_id = send(&sender, "worker", "work");
    assert_eq!(stream.next_of("new_task").unwrap().data["task_id"], json!(task_id));
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    assert_eq!(stream.next_of("new_reply").unwrap().data["in_reply_to"], json!(task_id));
}

#[test]
fn the_end_of_a_child_is_told_to_the_parents_sender_and_assignee() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (worker, helper) = (network.agent("worker"), network.agent("helper"));
    let parent = send(&network.user, "worker", "work");
    let body = json!({"alias": "helper", "task": "part", "parent_task_id": parent});
    let child = succeed(&worker.post("/api/task", &body))["task_id"].clone();
    let mut streams =
        [network.user.stream("/events/me", None).unwrap(), worker.stream("/events/worker", None).unwrap()];
    for stream in &mut streams {
        assert_eq!(stream.next_frame().unwrap().data["type"], "connected");
    }
    succeed(&act(&helper, child.as_str().unwrap(), "reply", &json!({"text": "done"})));
    for stream in &mut streams {
        let frame = stream.next_of("child_reply").unwrap().data;
        let said = (&frame["parent_task_id"], &frame["child_task_id"], &frame["status"]);
        assert_eq!(said, (&json!(parent), &child, &json!("replied")));
    }
}
