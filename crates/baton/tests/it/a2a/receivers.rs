//! A push receiver that comes with a send: checked before anything is done and only for those who may send, made in
//! the same write, once, and told for as long as its maker might make it.

use serde_json::{Value, json};

use super::door::{ALL, Binding, Door, message};
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::outside::{OK, Outside};
use crate::it::tenant::{Tenant, act, claim, send, succeed, text};

/// A name that stands for an address inside: only who looks it up learns so.
const INSIDE: &str = "https://localhost/";

/// A hub that may call this machine.
fn hub() -> Hub {
    Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--allow-outbound", "127.0.0.0/8"])
}

/// The parameters of a send that brings a receiver.
fn with_receiver(words: &str, config: &Value) -> Value {
    let mut params = message(words);
    params["configuration"] = json!({"returnImmediately": true, "taskPushNotificationConfig": config});
    params
}

fn to_task(mut params: Value, id: &str) -> Value {
    params["message"]["taskId"] = json!(id);
    params
}

fn configs(door: &Door, id: &str) -> usize {
    let listed = door.call(Binding::Rpc, "ListTaskPushNotificationConfigs", &json!({"taskId": id})).unwrap();
    listed["configs"].as_array().map_or(0, Vec::len)
}

/// What a receiver got, in short.
fn told(receiver: &Outside, count: usize) -> Vec<String> {
    let heard = receiver.wait_for(count);
    heard
        .iter()
        .map(|push| match push.body["statusUpdate"]["status"]["state"].as_str() {
            Some(state) => state.trim_start_matches("TASK_STATE_").to_lowercase(),
            None => "artifact".into(),
        })
        .collect()
}

#[test]
fn no_name_is_looked_up_for_a_caller_who_may_not_send() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    let (viewer, _) = hub.register("victor");
    tenant.admit(&viewer, "viewer");
    let other = Tenant::register(&hub, "mallory");
    let nobody = Door::of(&tenant, &tenant.user, "nobody");
    let new = with_receiver("x", &json!({"url": INSIDE}));
    let on_it = to_task(new.clone(), &id);
    // Whoever may send learns where the name leads; the others are refused before that.
    let cases = [
        (door.clone(), &new, "INVALID_PARAMS"),
        (door.clone(), &on_it, "INVALID_PARAMS"),
        (door.called_by(&viewer), &new, "PERMISSION_DENIED"),
        (door.called_by(&viewer), &on_it, "PERMISSION_DENIED"),
        (door.called_by(&other.user), &new, "TASK_NOT_FOUND"),
        (door.called_by(&other.user), &on_it, "TASK_NOT_FOUND"),
        (door.called_by(&other.agent("spy")), &new, "TASK_NOT_FOUND"),
        (nobody, &new, "TASK_NOT_FOUND"),
        (door.called_by(&tenant.agent("bystander")), &on_it, "TASK_NOT_FOUND"),
        // It may see the task, and have its events told, but the words on it are its sender's.
        (door.called_by(&tenant.coordinator("boss")), &on_it, "PERMISSION_DENIED"),
    ];
    for (door, params, reason) in cases {
        for binding in ALL {
            for method in ["SendMessage", "SendStreamingMessage"] {
                assert_eq!(door.call(binding, method, params), Err(reason.into()), "{method} {}", door.base);
            }
        }
    }
    assert_eq!(door.call(Binding::Rpc, "ListTasks", &json!({})).unwrap()["totalSize"], 1, "nothing was sent");
    assert!(door.get(&id)["history"].as_array().unwrap().len() == 1, "no message was added");
}

#[test]
fn a_repeated_send_adds_no_receiver_and_tells_none_again() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let receiver = Outside::start(|_, _| OK());
    let send = |params: &Value, key: &str| {
        let sent = ALL.map(|binding| {
            let sent = door.call_with(binding, "SendMessage", params, &[("idempotency-key", key)]).unwrap();
            text(&sent["task"]["id"])
        });
        assert!(sent.iter().all(|id| *id == sent[0]), "{sent:?}");
        sent[0].clone()
    };
    let named = with_receiver("named", &json!({"id": "c", "url": receiver.url("/")}));
    let first = door.call_with(Binding::Rpc, "SendMessage", &named, &[("idempotency-key", "k-1")]).unwrap();
    let id = text(&first["task"]["id"]);
    assert_eq!(told(&receiver, 1), ["submitted"]);
    assert_eq!(send(&named, "k-1"), id);
    claim(&worker, 0, 60);
    succeed(&act(&worker, &id, "reply", &json!({"text": "done"})));
    assert_eq!(told(&receiver, 4), ["submitted", "working", "artifact", "completed"]);
    let unnamed = with_receiver("unnamed", &json!({"url": receiver.url("/")}));
    let id = send(&unnamed, "k-2");
    assert_eq!(configs(&door, &id), 1);
    assert_eq!(send(&to_task(unnamed, &id), "k-3"), id);
    assert_eq!(configs(&door, &id), 2, "the message on the task brought one of its own, once");
}

#[test]
fn a_message_whose_receiver_is_refused_is_not_said() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let receiver = Outside::start(|_, _| OK());
    let id = text(&door.send("x")["id"]);
    let make = |door: &Door, config: &str| {
        let params = json!({"taskId": id, "id": config, "url": receiver.url("/")});
        door.call(Binding::Rpc, "CreateTaskPushNotificationConfig", &params).unwrap();
    };
    make(&door.called_by(&worker), "the worker's");
    let config = |name: &str| json!({"id": name, "url": receiver.url("/")});
    let taken = to_task(with_receiver("not said", &config("the worker's")), &id);
    for binding in ALL {
        assert_eq!(door.call(binding, "SendMessage", &taken), Err("INVALID_PARAMS".into()));
    }
    (1..10).for_each(|n| make(&door, &n.to_string()));
    let eleventh = to_task(with_receiver("not said", &config("10")), &id);
    for binding in ALL {
        assert_eq!(door.call(binding, "SendMessage", &eleventh), Err("INVALID_PARAMS".into()));
    }
    assert!(succeed(&tenant.user.get(&format!("/api/tasks/{id}"))).get("messages").is_none());
    let inbox = succeed(&worker.get("/api/inbox")).to_string();
    assert!(!inbox.contains("not said"), "{inbox}");
}

#[test]
fn a_receiver_that_comes_with_a_follow_up_hears_what_happens_from_then_on() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let receiver = Outside::start(|_, _| OK());
    for (before, binding) in ALL.into_iter().enumerate() {
        let id = text(&door.send("x")["id"]);
        let config = json!({"url": receiver.url("/")});
        door.call(binding, "SendMessage", &to_task(with_receiver("by the way", &config), &id)).unwrap();
        claim(&worker, 0, 60);
        succeed(&act(&worker, &id, "reply", &json!({"text": "done"})));
        let heard = told(&receiver, 3 * (before + 1));
        assert_eq!(heard[3 * before..], ["working", "artifact", "completed"]);
    }
}

#[test]
fn a_member_who_only_reads_now_is_told_nothing_more() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let (bob, registered) = hub.register("bob");
    tenant.admit(&bob, "member");
    let (kept, lowered) = (Outside::start(|_, _| OK()), Outside::start(|_, _| OK()));
    let id = send(&tenant.user, "worker", "x");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for (door, receiver) in [(&door, &kept), (&door.called_by(&bob), &lowered)] {
        let params = json!({"taskId": id, "url": receiver.url("/")});
        door.call(Binding::Rpc, "CreateTaskPushNotificationConfig", &params).unwrap();
    }
    claim(&worker, 0, 60);
    assert_eq!(told(&lowered, 1), ["working"]);
    let path =
        format!("/api/networks/{}/members/{}", tenant.network_id, text(&registered["user"]["user_id"]));
    succeed(&tenant.user.put(&path, &json!({"role": "viewer"})));
    succeed(&act(&worker, &id, "reply", &json!({"text": "done"})));
    assert_eq!(told(&kept, 3), ["working", "artifact", "completed"]);
    // Another task's pushes come after whatever there was to say of this one.
    let later = send(&tenant.user, "worker", "y");
    let params = json!({"taskId": later, "url": kept.url("/")});
    door.call(Binding::Rpc, "CreateTaskPushNotificationConfig", &params).unwrap();
    claim(&worker, 0, 60);
    kept.wait_for(4);
    assert_eq!(told(&lowered, 1), ["working"]);
    assert!(door.called_by(&bob).call(Binding::Rpc, "GetTask", &json!({"id": id})).is_ok(), "it still reads");
}
