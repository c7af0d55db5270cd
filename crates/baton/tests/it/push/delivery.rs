//! What receivers get: everything, in order, through failures, restarts and silence, and nobody waits for them.

use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::it::outside::{OK, Outside, Reply, rpc};
use crate::it::tenant::{Tenant, act, claim, send, succeed, text};

use super::silent::Silent;
use super::{hub, push_to, push_to_url, told, told_by};

#[test]
fn a_config_that_comes_with_a_send_hears_the_task_from_its_beginning_in_order() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let receiver = Outside::start(|_, _| OK());
    let params = json!({
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "do it"}]},
        "configuration": {"returnImmediately": true, "taskPushNotificationConfig": {"url": receiver.url("/")}}});
    let sent = rpc(&tenant.user, &tenant.network_id, "worker", "SendMessage", &params);
    let task_id = text(&sent["result"]["task"]["id"]);
    let lease = claim(&worker, 0, 60)["lease_id"].clone();
    succeed(&act(&worker, &task_id, "ask", &json!({"question": "how?", "lease_id": lease})));
    succeed(&act(&tenant.user, &task_id, "answer", &json!({"text": "well"})));
    claim(&worker, 0, 60);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    let heard = receiver.wait_for(7);
    let all = ["submitted", "working", "input_required", "working", "working", "artifact", "completed"];
    assert_eq!(told(&heard), all);
    assert!(heard.iter().all(|push| push.body.to_string().contains(&task_id)));
    assert_eq!(heard[2].body["statusUpdate"]["status"]["message"]["parts"][0]["text"], "how?");
    assert_eq!(heard[5].body["artifactUpdate"]["artifact"]["parts"][0]["text"], "done");
}

/// A receiver that refuses everything until it is set to be well.
fn ill_receiver() -> (Outside, Arc<AtomicBool>) {
    let is_well = Arc::new(AtomicBool::new(false));
    let well = is_well.clone();
    let receiver = Outside::start(move |_, _| match well.load(Ordering::SeqCst) {
        true => OK(),
        false => Reply::Json(503, json!({})),
    });
    (receiver, is_well)
}

#[test]
fn what_fails_is_tried_again_through_a_killed_hub_and_nothing_is_missed() {
    let mut hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let (receiver, is_well) = ill_receiver();
    let task_id = send(&tenant.user, "worker", "x");
    push_to(&tenant, &task_id, &receiver);
    claim(&worker, 0, 60);
    receiver.wait_for(2); // tried, and tried again
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    hub.kill9();
    let before = receiver.received().len();
    assert_eq!(told(&receiver.received()), vec!["working"; before], "one event at a time");
    is_well.store(true, Ordering::SeqCst);
    hub.restart();
    let heard = receiver.wait_for(before + 3);
    assert_eq!(told(&heard[before..]), ["working", "artifact", "completed"]);
}

#[test]
fn what_happened_while_the_hub_was_down_or_dying_is_told_after_the_start() {
    let mut hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let receiver = Outside::start(|number, _| if number == 0 { Reply::Silence } else { OK() });
    let task_id = send(&tenant.user, "worker", "x");
    push_to(&tenant, &task_id, &receiver);
    claim(&worker, 0, 60);
    receiver.wait_for(1); // in progress, and never answered
    hub.kill9();
    hub.restart();
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    let heard = receiver.wait_for(4);
    assert_eq!(told(&heard), ["working", "working", "artifact", "completed"]);
}

#[test]
fn a_silent_a_gone_and_a_failing_receiver_delay_neither_the_task_nor_another_receiver() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let silent = Silent::start();
    let failing = Outside::start(|_, _| Reply::Json(500, json!({})));
    let well = Outside::start(|_, _| OK());
    let task_id = send(&tenant.user, "worker", "x");
    for receiver in [&failing, &well] {
        push_to(&tenant, &task_id, receiver);
    }
    push_to_url(&tenant, &task_id, &silent.url(0));
    let gone = json!({"taskId": task_id, "url": "http://127.0.0.1:9/"});
    rpc(&tenant.user, &tenant.network_id, "worker", "CreateTaskPushNotificationConfig", &gone);
    claim(&worker, 0, 60);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    silent.wait_until_open(1);
    assert_eq!(told(&well.wait_for(3)), ["working", "artifact", "completed"]);
    // The call that is never answered had not even timed out yet.
    assert_eq!(silent.given_up(), 0);
    assert!(told(&failing.wait_for(2)).iter().all(|state| state == "working"));
}

#[test]
fn a_silent_host_gets_a_few_calls_at_once_however_much_there_is_to_tell_it() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let (silent, well) = (Silent::start(), Outside::start(|_, _| OK()));
    for _ in 0..2 {
        let task_id = send(&tenant.user, "worker", "x");
        for _ in 0..10 {
            let config = json!({"taskId": task_id, "url": silent.url(0)});
            rpc(&tenant.user, &tenant.network_id, "worker", "CreateTaskPushNotificationConfig", &config);
        }
        claim(&worker, 0, 60);
    }
    silent.wait_until_open(8);
    let task_id = send(&tenant.user, "worker", "x");
    push_to(&tenant, &task_id, &well);
    claim(&worker, 0, 60);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    assert_eq!(told(&well.wait_for(3)), ["working", "artifact", "completed"]);
    assert_eq!(silent.most_at_once(), 8);
}

#[test]
fn a_redirect_is_not_followed_so_no_credential_goes_elsewhere() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let elsewhere = Outside::start(|_, _| OK());
    let there = elsewhere.url("/stolen");
    let receiver = Outside::start(move |_, _| Reply::Moved(there.clone()));
    let task_id = send(&tenant.user, "worker", "x");
    push_to(&tenant, &task_id, &receiver);
    claim(&worker, 0, 60);
    receiver.wait_for(2); // a failure like any other
    assert!(elsewhere.received().is_empty());
}

#[test]
fn a_member_who_left_is_told_nothing_more() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let (bob, registered) = hub.register("bob");
    tenant.admit(&bob, "member");
    let (kept, left) = (Outside::start(|_, _| OK()), Outside::start(|_, _| OK()));
    let task_id = send(&tenant.user, "worker", "x");
    push_to(&tenant, &task_id, &kept);
    push_to(&Tenant { user: bob, network_id: tenant.network_id.clone() }, &task_id, &left);
    claim(&worker, 0, 60);
    left.wait_for(1);
    let path =
        format!("/api/networks/{}/members/{}", tenant.network_id, text(&registered["user"]["user_id"]));
    succeed(&tenant.user.delete(&path));
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    assert_eq!(told(&kept.wait_for(3)), ["working", "artifact", "completed"]);
    // Another task's pushes come after whatever there was to say of this one.
    let later = send(&tenant.user, "worker", "y");
    push_to(&tenant, &later, &kept);
    claim(&worker, 0, 60);
    kept.wait_for(4);
    assert_eq!(told(&left.received()), ["working"]);
}

#[test]
fn a_receiver_that_failed_for_a_day_is_given_up_with_a_line_in_the_log() {
    let mut hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let receiver = Outside::start(|_, _| Reply::Json(500, json!({})));
    let task_id = send(&tenant.user, "worker", "x");
    push_to(&tenant, &task_id, &receiver);
    claim(&worker, 0, 60);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    receiver.wait_for(2); // the second try shows that the first failure was noted
    assert!(hub.stop().success());
    // As if it had been failing since the day before yesterday.
    let database = rusqlite::Connection::open(hub.data_dir().join("hub.db")).unwrap();
    let aged = database
        .execute("UPDATE push_configs SET failing_since = failing_since - 172800000, next_at = 1", [])
        .unwrap();
    assert_eq!(aged, 1);
    drop(database);
    let before = receiver.received().len();
    hub.restart();
    // Each event that is left is tried once: the claim's, then the first of the two things the end says.
    let heard = receiver.wait_for(before + 2);
    assert_eq!(told(&heard[before..]), ["working", "artifact"]);
    let deadline = Instant::now() + Duration::from_secs(20);
    while hub.log().matches("the event is given up").count() < 2 {
        assert!(Instant::now() < deadline, "{}", hub.log());
        std::thread::yield_now();
    }
}

#[test]
fn a_config_that_comes_again_with_a_follow_up_still_hears_what_it_has_not_heard() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let (receiver, is_well) = ill_receiver();
    let say = |text: &str, task_id: Option<&str>| {
        let message =
            json!({"messageId": text, "role": "ROLE_USER", "parts": [{"text": text}], "taskId": task_id});
        let push = json!({"id": "mine", "url": receiver.url("/")});
        let configuration = json!({"returnImmediately": true, "taskPushNotificationConfig": push});
        let params = json!({"message": message, "configuration": configuration});
        let said = rpc(&tenant.user, &tenant.network_id, "worker", "SendMessage", &params);
        text_of_id(&said)
    };
    let task_id = say("do it", None);
    let lease = claim(&worker, 0, 60)["lease_id"].clone();
    succeed(&act(&worker, &task_id, "ask", &json!({"question": "how?", "lease_id": lease})));
    receiver.wait_for(1);
    assert_eq!(say("well", Some(&task_id)), task_id);
    is_well.store(true, Ordering::SeqCst);
    claim(&worker, 0, 60);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    let heard =
        receiver.wait_until(|heard| heard.last().is_some_and(|last| told_by(&last.body) == "completed"));
    let mut all = told(&heard);
    // What was sent while the answers were 503, or while the config was put again, is sent again.
    all.dedup();
    let wanted = ["submitted", "working", "input_required", "working", "artifact", "completed"];
    assert_eq!(all, wanted);
}

fn text_of_id(said: &serde_json::Value) -> String {
    text(&said["result"]["task"]["id"])
}

#[test]
fn an_answer_whose_body_never_ends_or_is_endless_is_an_answer() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let dribbling = Outside::start(|_, _| Reply::Unfinished);
    let task_id = send(&tenant.user, "worker", "x");
    push_to(&tenant, &task_id, &dribbling);
    let silent = Silent::start();
    push_to_url(&tenant, &task_id, &silent.url(0));
    claim(&worker, 0, 60);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    assert_eq!(told(&dribbling.wait_for(3)), ["working", "artifact", "completed"]);
    // A call that is never answered, made at the same time as the first, had not even timed out yet.
    silent.wait_until_open(1);
    assert_eq!(silent.given_up(), 0);
}
