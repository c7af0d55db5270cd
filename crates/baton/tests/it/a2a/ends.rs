//! What an agent reports beyond the hub's statuses: that it declines a task, and that its sender has to authenticate.
//! With how an answered task and a bare answer are shown.

use serde_json::{Value, json};
use std::thread;

use super::door::{ALL, Binding, Door, follow_up, immediately, message};
use super::streams::{by, rest, short, story, told};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, refused, succeed, task, text};
use crate::it::tool;

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap()
}

/// Ids of the agent's tasks in a state, by all bindings, with how many there are.
fn found(door: &Door, state: &str) -> (Vec<String>, Value) {
    let [rpc, http, grpc] = ALL.map(|binding| {
        let listed = door.call(binding, "ListTasks", &json!({"status": state})).unwrap();
        let ids = listed["tasks"].as_array().unwrap().iter().map(|task| text(&task["id"])).collect();
        (ids, listed["totalSize"].clone())
    });
    assert_eq!((&rpc, &rpc), (&http, &grpc));
    rpc
}

#[test]
fn a_task_that_its_agent_declines_is_rejected_wherever_a2a_shows_it() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let mut declined = Vec::new();
    for binding in ALL {
        let agent = worker.clone();
        let declining = thread::spawn(move || {
            let claimed = claim(&agent, 40, 60);
            let id = text(&claimed["task"]["task_id"]);
            let body = json!({"text": "not my job", "status": "failed", "rejected": true,
                "lease_id": claimed["lease_id"]});
            assert_eq!(succeed(&act(&agent, &id, "reply", &body))["status"], "failed");
            id
        });
        let sent = door.call(binding, "SendMessage", &message("dig a hole")).unwrap()["task"].clone();
        let id = declining.join().unwrap();
        assert_eq!((&sent["id"], state(&sent)), (&json!(id), "TASK_STATE_REJECTED"));
        assert_eq!(sent["status"]["message"]["parts"][0]["text"], "not my job");
        assert_eq!(door.call(binding, "GetTask", &json!({"id": id})).unwrap(), door.get(&id));
        assert_eq!(state(&door.get(&id)), "TASK_STATE_REJECTED");
        declined.insert(0, id);
    }
    let failed = text(&door.send("dig another")["id"]);
    let mut stream = door.subscribe(&failed, None).unwrap();
    stream.next_frame().unwrap();
    succeed(&act(&worker, &failed, "reply", &json!({"text": "no spade", "status": "failed"})));
    assert_eq!(story(&rest(stream)), told(&[("2", "statusUpdate", "TASK_STATE_FAILED")]));
    assert_eq!(found(&door, "TASK_STATE_REJECTED"), (declined.clone(), json!(3)));
    assert_eq!(found(&door, "TASK_STATE_FAILED"), (vec![failed.clone()], json!(1)));
    let replayed = rest(door.subscribe(&declined[0], Some("2")).unwrap());
    assert_eq!(short(replayed.last().unwrap()), told(&[("3", "statusUpdate", "TASK_STATE_REJECTED")])[0]);
    let (row, other) = (task(&tenant.user, &declined[0]), task(&tenant.user, &failed));
    assert_eq!((&row["status"], &row["rejected"]), (&json!("failed"), &json!(true)));
    assert_eq!((&other["status"], other.get("rejected")), (&json!("failed"), None));
}

#[test]
fn a_rejection_goes_with_status_failed_only_and_is_otherwise_refused_on_every_door() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("dig")["id"]);
    for status in [json!("replied"), json!("cancelled"), Value::Null] {
        let body = json!({"text": "no", "status": status, "rejected": true});
        let why = refused(&act(&worker, &id, "reply", &body), 400, "invalid input");
        assert!(text(&why["message"]).contains("rejected"), "{why}");
        let args = json!({"in_reply_to": id, "text": "no", "status": status, "rejected": true});
        assert_eq!(tool::rpc(&worker, "send_reply", &args)["error"]["data"]["field"], "rejected");
    }
    assert_eq!(state(&door.get(&id)), "TASK_STATE_SUBMITTED", "nothing changed");
    let args = json!({"in_reply_to": id, "text": "no", "status": "failed", "rejected": true});
    assert_eq!(tool::call(&worker, "send_reply", &args)["ok"], true);
    assert_eq!(state(&door.get(&id)), "TASK_STATE_REJECTED");
}

#[test]
fn a_question_may_require_authentication_and_is_shown_so() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let agent = worker.clone();
    let asking = thread::spawn(move || {
        let claimed = claim(&agent, 40, 60);
        let id = text(&claimed["task"]["task_id"]);
        let args = json!({"task_id": id, "question": "log in at https://example.org", "auth_required": true,
            "lease_id": claimed["lease_id"]});
        assert_eq!(tool::call(&agent, "ask_sender", &args)["ok"], true);
        id
    });
    let parked = door.call(Binding::Rpc, "SendMessage", &message("deploy")).unwrap()["task"].clone();
    let id = asking.join().unwrap();
    assert_eq!((&parked["id"], state(&parked)), (&json!(id), "TASK_STATE_AUTH_REQUIRED"));
    for binding in ALL {
        let parked = door.call(binding, "GetTask", &json!({"id": id})).unwrap();
        assert_eq!(state(&parked), "TASK_STATE_AUTH_REQUIRED");
        assert_eq!(parked["status"]["message"]["parts"][0]["text"], "log in at https://example.org");
    }
    let plain = text(&door.send("paint")["id"]);
    let lease = claim(&worker, 0, 60)["lease_id"].clone();
    succeed(&act(&worker, &plain, "ask", &json!({"question": "which?", "lease_id": lease})));
    assert_eq!(found(&door, "TASK_STATE_AUTH_REQUIRED"), (vec![id.clone()], json!(1)));
    assert_eq!(found(&door, "TASK_STATE_INPUT_REQUIRED"), (vec![plain.clone()], json!(1)));
    let messages = |id: &str| succeed(&tenant.user.get(&format!("/api/tasks/{id}")))["messages"].clone();
    assert_eq!(messages(&id)[0]["auth_required"], true);
    assert_eq!(messages(&plain)[0].get("auth_required"), None);
}

#[test]
fn a_streamed_message_ends_where_its_sender_is_asked_and_a_subscription_goes_on() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        for (auth_required, asks) in
            [(false, "TASK_STATE_INPUT_REQUIRED"), (true, "TASK_STATE_AUTH_REQUIRED")]
        {
            let agent = worker.clone();
            let asking = thread::spawn(move || {
                let claimed = claim(&agent, 40, 60);
                let ask = json!({"question": "which?", "lease_id": claimed["lease_id"],
                    "auth_required": auth_required});
                let id = text(&claimed["task"]["task_id"]);
                succeed(&act(&agent, &id, "ask", &ask));
                id
            });
            let frames = door.streamed(binding, &message("x"), &[]);
            let id = asking.join().unwrap();
            let parked = by(binding, &[("3", "statusUpdate", asks)]);
            assert_eq!(story(&frames)[2..], parked, "it ends where the sender is asked");
            let mut subscribed = door.follow(binding, &id, Some("2")).unwrap();
            subscribed.next().unwrap();
            assert_eq!(short(&subscribed.next().unwrap()), parked[0]);
            door.call(binding, "SendMessage", &immediately(follow_up(&*id, "that"))).unwrap();
            assert_eq!(
                short(&subscribed.next().unwrap()),
                by(binding, &[("4", "statusUpdate", "TASK_STATE_WORKING")])[0],
                "a subscription stays open"
            );
            succeed(&act(&tenant.user, &id, "cancel", &json!({})));
        }
    }
}

#[test]
fn an_answered_task_is_working_before_its_agent_takes_it_up_again() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        let id = text(&door.send("x")["id"]);
        let lease = claim(&worker, 0, 60)["lease_id"].clone();
        succeed(&act(&worker, &id, "ask", &json!({"question": "which?", "lease_id": lease})));
        let answered =
            door.call(binding, "SendMessage", &immediately(follow_up(&*id, "that"))).unwrap()["task"].clone();
        assert_eq!(state(&answered), "TASK_STATE_WORKING");
        assert_eq!(task(&tenant.user, &id)["status"], "delivered");
        assert_eq!(found(&door, "TASK_STATE_WORKING").0, [&*id]);
        assert_eq!(found(&door, "TASK_STATE_SUBMITTED").0, [""; 0]);
        succeed(&act(&worker, &id, "ack", &json!({})));
        assert_eq!(state(&door.get(&id)), "TASK_STATE_WORKING");
        succeed(&act(&worker, &id, "reply", &json!({"text": "done"})));
    }
}

#[test]
fn the_stream_of_a_task_that_was_answered_with_a_bare_message_is_that_message() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for (binding, key) in ALL.into_iter().zip(["a", "b", "c"]) {
        let key = [("idempotency-key", key)];
        let agent = worker.clone();
        let working = thread::spawn(move || {
            let claimed = claim(&agent, 40, 60);
            let id = text(&claimed["task"]["task_id"]);
            let body = json!({"text": "hello", "bare": true, "lease_id": claimed["lease_id"]});
            succeed(&act(&agent, &id, "reply", &body));
        });
        let sent = door.call_with(binding, "SendMessage", &message("hi"), &key).unwrap();
        working.join().unwrap();
        let frames = door.streamed(binding, &message("hi"), &key);
        let said: Vec<_> =
            frames.iter().map(|frame| frame.data.get("result").unwrap_or(&frame.data)).collect();
        assert_eq!(said, [&json!({"message": sent["message"]})]);
    }
}

#[test]
fn the_stream_of_a_send_that_is_answered_at_once_with_a_bare_message_is_that_message_alone() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        // At once is half a second, which a busy machine may take by itself: then it is tried again.
        let said = (0..20).find_map(|_| {
            let agent = worker.clone();
            let working = thread::spawn(move || {
                let claimed = claim(&agent, 40, 60);
                let body = json!({"text": "hello", "bare": true, "lease_id": claimed["lease_id"]});
                succeed(&act(&agent, &text(&claimed["task"]["task_id"]), "reply", &body));
            });
            let frames = door.streamed(binding, &message("hi"), &[]);
            working.join().unwrap();
            let first = frames[0].data.get("result").unwrap_or(&frames[0].data).clone();
            (frames.len() == 1).then_some(first)
        });
        let said = said.expect("a stream with one frame");
        assert_eq!(
            (&said["message"]["role"], &said["message"]["parts"][0]["text"]),
            (&json!("ROLE_AGENT"), &json!("hello"))
        );
    }
}
