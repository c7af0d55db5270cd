//! `ListTasks`: newest status first, a page at a time, counted, artifacts only when asked for.

use serde_json::{Value, json};

use super::door::{ALL, Door, work};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, send, succeed, text};

fn ids(page: &Value) -> Vec<String> {
    page["tasks"].as_array().unwrap().iter().map(|task| text(&task["id"])).collect()
}

#[test]
fn the_newest_status_is_first_and_pages_join_without_a_gap() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    tenant.agent("other");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let sent: Vec<String> = (0..5).map(|n| text(&door.send(&format!("number {n}"))["id"])).collect();
    // Beside them what must not be seen here.
    send(&tenant.user, "other", "elsewhere");
    // The oldest changes last.
    claim(&worker, 0, 60);
    let order = [&sent[0], &sent[4], &sent[3], &sent[2], &sent[1]];
    for binding in ALL {
        let all = door.call(binding, "ListTasks", &json!({})).unwrap();
        assert_eq!(ids(&all).iter().collect::<Vec<_>>(), order);
        assert_eq!(
            (&all["nextPageToken"], &all["pageSize"], &all["totalSize"]),
            (&json!(""), &json!(50), &json!(5))
        );
        let (mut walked, mut token) = (Vec::new(), String::new());
        loop {
            let page = door.call(binding, "ListTasks", &json!({"pageSize": 2, "pageToken": token})).unwrap();
            assert_eq!((&page["pageSize"], &page["totalSize"]), (&json!(2), &json!(5)));
            walked.extend(ids(&page));
            token = text(&page["nextPageToken"]);
            if token.is_empty() {
                break;
            }
        }
        assert_eq!(walked.iter().collect::<Vec<_>>(), order);
    }
}

#[test]
fn tasks_are_found_by_state_and_by_when_it_was_reached() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let done = text(&door.send("one")["id"]);
    work(&worker, "done");
    let running = text(&door.send("two")["id"]);
    claim(&worker, 0, 60);
    let acked = text(&door.send("three")["id"]);
    succeed(&act(&worker, &acked, "ack", &json!({})));
    let waiting = text(&door.send("four")["id"]);
    let since = door.get(&running)["status"]["timestamp"].clone();
    for binding in ALL {
        let found = |state: &str| ids(&door.call(binding, "ListTasks", &json!({"status": state})).unwrap());
        assert_eq!(found("TASK_STATE_COMPLETED"), [&*done]);
        assert_eq!(found("TASK_STATE_WORKING"), [&*running]);
        assert_eq!(found("TASK_STATE_SUBMITTED"), [&*waiting, &*acked]);
        assert_eq!(found("TASK_STATE_AUTH_REQUIRED"), [""; 0]);
        assert_eq!(found("TASK_STATE_UNSPECIFIED").len(), 4);
        let later = door.call(binding, "ListTasks", &json!({"statusTimestampAfter": since})).unwrap();
        assert_eq!(
            (ids(&later), &later["totalSize"]),
            (vec![waiting.clone(), acked.clone(), running.clone()], &json!(3))
        );
    }
}

#[test]
fn artifacts_and_messages_are_absent_unless_asked_for() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    door.send("one");
    work(&worker, "done");
    for binding in ALL {
        let list = |params: Value| door.call(binding, "ListTasks", &params).unwrap()["tasks"][0].clone();
        let short = list(json!({}));
        assert!(short.get("artifacts").is_none() && short.get("history").is_none(), "{short}");
        let long = list(json!({"includeArtifacts": true, "historyLength": 3}));
        assert_eq!(long["artifacts"][0]["parts"][0]["text"], "done");
        assert_eq!(long["history"][0]["parts"][0]["text"], "one");
    }
}

#[test]
fn tasks_that_came_by_rest_are_there_too_and_the_other_way_round() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let by_rest = send(&tenant.user, "worker", "by REST");
    let by_a2a = text(&door.send("by A2A")["id"]);
    for binding in ALL {
        let listed = door.call(binding, "ListTasks", &json!({"historyLength": 1})).unwrap();
        assert_eq!(ids(&listed), [&*by_a2a, &*by_rest]);
        let said = &listed["tasks"][1]["history"][0];
        assert_eq!((&said["parts"][0]["text"], &said["messageId"]), (&json!("by REST"), &json!(by_rest)));
    }
    let rows = succeed(&tenant.user.get("/api/tasks"));
    assert_eq!(rows["tasks"][0]["task_id"], json!(by_a2a));
}
