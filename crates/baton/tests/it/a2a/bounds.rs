//! What a task holds and what is shown of it are bounded: messages by number and bytes, lists by bytes, waits by token.

use serde_json::{Value, json};

use super::door::{ALL, Binding, Door, follow_up, of_http, of_rpc};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, refused, succeed, text};

const KIB: usize = 1024;

/// A message to a task, at once, with a data part of about this size.
fn large(task: &str, kib: usize) -> Value {
    let mut params = follow_up(task, "");
    params["message"]["parts"] = json!([{"data": "x".repeat(kib * KIB)}]);
    params["configuration"] = json!({"returnImmediately": true, "historyLength": 0});
    params
}

fn said(task: &str, words: &str) -> Value {
    let mut params = follow_up(task, words);
    params["configuration"] = json!({"returnImmediately": true, "historyLength": 0});
    params
}

#[test]
fn a_task_takes_sixteen_mebibytes_of_messages_and_no_more() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("paint it")["id"]);
    for _ in 0..8 {
        door.call(Binding::Rpc, "SendMessage", &large(&id, 2_000)).unwrap();
    }
    let path = format!("/api/tasks/{id}");
    let before = succeed(&tenant.user.get(&path));
    assert_eq!(before["message_count"], json!(8));
    // The newest of them, as many as an answer holds.
    assert_eq!(before["messages"].as_array().unwrap().len(), 2);
    let too_much =
        [door.rpc("SendMessage", &large(&id, 400)), door.answer_http("SendMessage", &large(&id, 400), &[])];
    assert_eq!(of_rpc(&too_much[0]), Err("INVALID_PARAMS".into()));
    assert_eq!(of_http(&too_much[1]), Err("INVALID_PARAMS".into()));
    for answer in &too_much {
        assert!(answer.text().contains("a task takes 16777216 bytes of messages"), "{}", answer.text());
    }
    assert_eq!(door.call(Binding::Grpc, "SendMessage", &large(&id, 400)), Err("INVALID_PARAMS".into()));
    assert_eq!(succeed(&tenant.user.get(&path)), before, "no message was added");
    // What fits is taken until nothing does, and then by no door: neither the sender's words nor the agent's question.
    door.call(Binding::Http, "SendMessage", &large(&id, 360)).unwrap();
    let claimed = claim(&worker, 0, 60);
    let words = "é".repeat(4_000);
    while act(&tenant.user, &id, "answer", &json!({"text": words})).status == 200 {}
    refused(&act(&tenant.user, &id, "answer", &json!({"text": words})), 400, "invalid input");
    let ask = json!({"question": words, "lease_id": claimed["lease_id"]});
    refused(&act(&worker, &id, "ask", &ask), 400, "invalid input");
    // The task itself continues.
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": claimed["lease_id"]})));
    let done = door.get(&id);
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
    let kept = succeed(&tenant.user.get(&path))["message_count"].as_u64();
    assert!(kept >= Some(10), "all of it is still there: {kept:?}");
}

#[test]
fn the_newest_hundred_messages_are_shown_and_all_are_counted() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("0")["id"]);
    for n in 1..=103 {
        door.call(Binding::Rpc, "SendMessage", &said(&id, &n.to_string())).unwrap();
    }
    let shown = succeed(&tenant.user.get(&format!("/api/tasks/{id}")));
    let contents: Vec<String> =
        shown["messages"].as_array().unwrap().iter().map(|said| text(&said["content"])).collect();
    let numbers = |range: std::ops::RangeInclusive<u32>| range.map(|n| n.to_string()).collect::<Vec<_>>();
    assert_eq!((contents, &shown["message_count"]), (numbers(4..=103), &json!(103)));
    for binding in ALL {
        let history = |params: Value| -> Vec<String> {
            let got = door.call(binding, "GetTask", &params).unwrap();
            got["history"].as_array().unwrap().iter().map(|said| text(&said["parts"][0]["text"])).collect()
        };
        assert_eq!(history(json!({"id": id})), numbers(4..=103), "100 unless named");
        assert_eq!(history(json!({"id": id, "historyLength": 103})), numbers(1..=103));
        assert_eq!(history(json!({"id": id, "historyLength": 104})), numbers(0..=103));
        assert_eq!(history(json!({"id": id, "historyLength": 2_000_000_000})), numbers(0..=103));
        let listed = door.call(binding, "ListTasks", &json!({"historyLength": 2})).unwrap();
        let history = listed["tasks"][0]["history"].as_array().unwrap();
        assert_eq!(
            history.iter().map(|said| text(&said["parts"][0]["text"])).collect::<Vec<_>>(),
            ["102", "103"]
        );
    }
    let first = door.subscribe(&id, None).unwrap().next_frame().unwrap().data["task"].clone();
    assert_eq!(first["history"].as_array().unwrap().len(), 100);
}

#[test]
fn a_question_is_shown_also_where_no_messages_are() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("paint it")["id"]);
    door.call(Binding::Rpc, "SendMessage", &said(&id, "by the way")).unwrap();
    let claimed = claim(&worker, 0, 60);
    succeed(&act(
        &worker,
        &id,
        "ask",
        &json!({"question": "which colour?", "lease_id": claimed["lease_id"]}),
    ));
    for binding in ALL {
        let got = door.call(binding, "GetTask", &json!({"id": id, "historyLength": 0})).unwrap();
        let listed = door.call(binding, "ListTasks", &json!({})).unwrap()["tasks"][0].clone();
        for task in [got, listed] {
            assert_eq!(task["status"]["message"]["parts"][0]["text"], "which colour?", "{task}");
            assert!(task.get("history").is_none(), "{task}");
        }
    }
}

#[test]
fn a_page_of_large_tasks_ends_early_and_the_pages_join_without_a_gap() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let mut params = large("", 500);
    let sent: Vec<Value> = (0..20)
        .map(|n| {
            params["message"]["messageId"] = json!(format!("m-{n}"));
            door.call(Binding::Http, "SendMessage", &params).unwrap()["task"]["id"].clone()
        })
        .collect();
    let (mut walked, mut token, mut pages) = (Vec::new(), String::new(), 0);
    while pages == 0 || !token.is_empty() {
        let asked = json!({"pageToken": token, "historyLength": 1});
        let answer = door.answer_http("ListTasks", &asked, &[]);
        assert!(answer.body.len() < 10 * KIB * KIB, "{} bytes", answer.body.len());
        let page = answer.json();
        assert_eq!(page["totalSize"], 20);
        walked.extend(page["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()));
        token = text(&page["nextPageToken"]);
        pages += 1;
    }
    assert_eq!((walked.len(), pages), (20, 2));
    assert!(walked.iter().eq(sent.iter().rev()));
}
