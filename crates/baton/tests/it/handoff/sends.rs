//! A send that waits for the end, a look that waits for news, and several tasks in one call.

use serde_json::{Value, json};

use super::{meanwhile, parked, send_and_wait, stage, waiting, work_off};
use crate::it::http::Client;
use crate::it::tenant::{act, claim, events, send, succeed, task, text};
use crate::it::tool::call;

#[test]
fn a_send_that_waits_is_answered_with_the_result_and_what_it_carried_before() {
    let (_hub, tenant, worker) = stage();
    let sent = send_and_wait(&tenant.user, "work");
    let held = work_off(&worker, "done");
    let sent = sent.join().unwrap();
    assert_eq!((&sent["task_id"], &sent["message_id"]), (&held["task"]["task_id"], &sent["task_id"]));
    assert!(sent["session_status"].is_string());
    assert_eq!((&sent["ended"], &sent["task"]["status"]), (&json!(true), &json!("replied")));
    assert_eq!(sent["task"]["result"], "done");
    assert_eq!((&sent["task"]["artifacts"], &sent["task"]["messages"]), (&json!([]), &json!([])));
    // And over MCP.
    let user = tenant.user.clone();
    let arguments = json!({"alias": "worker", "task": "more", "wait_seconds": 60});
    let asked = meanwhile(move || call(&user, "send_task", &arguments));
    work_off(&worker, "done again");
    let asked = asked.join().unwrap();
    assert_eq!((&asked["ended"], &asked["task"]["result"]), (&json!(true), &json!("done again")));
    // Without a wait there is neither.
    let plain = succeed(&tenant.user.post("/api/task", &json!({"alias": "worker", "task": "x"})));
    assert!(plain.get("task").is_none() && plain.get("ended").is_none(), "{plain}");
}

#[test]
fn a_send_that_waits_is_answered_when_the_agent_asks_and_shows_the_question() {
    let (_hub, tenant, worker) = stage();
    let sent = send_and_wait(&tenant.user, "work");
    let held = claim(&worker, 50, 60);
    let id = text(&held["task"]["task_id"]);
    succeed(&act(&worker, &id, "ask", &json!({"question": "which?", "lease_id": held["lease_id"]})));
    let sent = sent.join().unwrap();
    assert_eq!((&sent["ended"], &sent["task"]["status"]), (&json!(false), &json!("waiting_input")));
    assert_eq!(sent["task"]["messages"][0]["content"], "which?");
    // The messages come with the claim that continues the task.
    succeed(&act(&tenant.user, &id, "answer", &json!({"text": "this one"})));
    let again = claim(&worker, 50, 60);
    let said: Vec<_> =
        again["messages"].as_array().unwrap().iter().map(|message| text(&message["content"])).collect();
    assert_eq!((said, &again["artifacts"]), (vec!["which?".to_owned(), "this one".into()], &json!([])));
}

#[test]
fn a_repeated_send_waits_for_the_task_that_the_first_one_made() {
    let (_hub, tenant, worker) = stage();
    let body = json!({"alias": "worker", "task": "once", "idempotency_key": "k", "wait_seconds": 0});
    let first = succeed(&tenant.user.post("/api/task", &body));
    let body = json!({"alias": "worker", "task": "once", "idempotency_key": "k", "wait_seconds": 60});
    let user = tenant.user.clone();
    let again = meanwhile(move || succeed(&user.post("/api/task", &body)));
    waiting(&tenant.user, 1);
    work_off(&worker, "done");
    let again = again.join().unwrap();
    assert_eq!((&again["task_id"], &again["task"]["result"]), (&first["task_id"], &json!("done")));
}

#[test]
fn what_was_reported_with_a_result_comes_with_a_send_that_waits() {
    let (_hub, tenant, worker) = stage();
    let sent = send_and_wait(&tenant.user, "work");
    let held = claim(&worker, 50, 60);
    let done = json!({
        "alias": "worker", "result": "see the file", "in_reply_to": held["task"]["task_id"],
        "task": "work", "artifacts": [{"name": "report.txt", "text": "42"}],
    });
    let done = call(&worker, "report_completion", &done);
    assert_eq!(done["ok"], true, "{done}");
    let sent = sent.join().unwrap();
    assert_eq!(sent["task"]["artifacts"].as_array().map(Vec::len), Some(1), "{sent}");
}

fn look(reader: &Client, id: &str, query: &str) -> Value {
    succeed(&reader.get(&format!("/api/tasks/{id}?{query}")))
}

#[test]
fn a_look_that_waits_comes_back_with_the_event_after_the_number() {
    let (_hub, tenant, worker) = stage();
    let id = send(&tenant.user, "worker", "work");
    // There is an event after 0 already.
    let seen = look(&tenant.user, &id, "wait_seconds=60&after=0");
    assert_eq!((&seen["event_count"], &seen["task"]["status"]), (&json!(1), &json!("delivered")));
    let (user, path) = (tenant.user.clone(), id.clone());
    let looking = meanwhile(move || look(&user, &path, "wait_seconds=60&after=1"));
    let (user, path) = (tenant.user.clone(), id.clone());
    let without_number = meanwhile(move || look(&user, &path, "wait_seconds=60"));
    let (user, path) = (tenant.user.clone(), id.clone());
    let tool =
        meanwhile(move || call(&user, "get_task", &json!({"task_id": path, "wait_seconds": 60, "after": 1})));
    waiting(&tenant.user, 3);
    let held = claim(&worker, 0, 60);
    for seen in [looking.join().unwrap(), without_number.join().unwrap(), tool.join().unwrap()] {
        assert_eq!((&seen["event_count"], &seen["task"]["status"]), (&json!(2), &json!("running")));
    }
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": held["lease_id"]})));
    // A task that has ended gets no more events: nobody waits for one.
    let ended = look(&tenant.user, &id, "wait_seconds=60&after=99");
    assert_eq!((&ended["event_count"], &ended["task"]["result"]), (&json!(3), &json!("done")));
    assert_eq!(events(&tenant.user, &id).len(), 3);
}

#[test]
fn several_tasks_in_one_call_have_their_own_outcomes_in_order() {
    let (_hub, tenant, worker) = stage();
    let tasks = json!([
        {"alias": "worker", "task": "one"},
        {"alias": "nobody", "task": "two"},
        {"alias": "worker"},
        {"alias": "worker", "task": "three", "idempotency_key": "same"},
        {"alias": "worker", "task": "three", "idempotency_key": "same"},
        {"alias": "worker", "task": "four", "idempotency_key": "same"},
        {"alias": "worker", "task": "five", "wait_seconds": 5},
        {"alias": "worker", "task": "six", "ttl_seconds": 0},
    ]);
    let sent = succeed(&tenant.user.post("/api/tasks", &json!({"tasks": tasks})));
    let results = sent["results"].as_array().unwrap();
    let alone: Vec<_> =
        tasks.as_array().unwrap().iter().map(|body| tenant.user.post("/api/task", body)).collect();
    for (n, expected) in
        [(1, "alias_not_found"), (2, "invalid input"), (5, "idempotency_key_reused"), (7, "invalid input")]
    {
        assert_eq!(
            (&results[n]["ok"], &results[n]["error"]),
            (&json!(false), &json!(expected)),
            "{}",
            results[n]
        );
        assert_eq!(results[n], alone[n].json(), "the same as alone");
    }
    assert_eq!(results[6]["details"][0]["field"], "wait_seconds");
    assert_eq!(results[3]["task_id"], results[4]["task_id"]);
    for (n, content) in [(0, "one"), (3, "three")] {
        assert_eq!(task(&tenant.user, &text(&results[n]["task_id"]))["content"], content);
    }
    assert_eq!(results.len(), 8);
    drop(worker);
}

#[test]
fn a_hundred_tasks_are_one_commit_and_go_to_those_who_wait() {
    let (_hub, tenant, worker) = stage();
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let worker = worker.clone();
            meanwhile(move || claim(&worker, 50, 60))
        })
        .collect();
    parked(&tenant.user, 4);
    let tasks: Vec<_> = (0..100).map(|n| json!({"alias": "worker", "task": format!("task {n}")})).collect();
    let before = super::figure(&tenant.user, "baton_store_commit_seconds_count");
    let sent = succeed(&tenant.user.post("/api/tasks", &json!({"tasks": tasks})));
    assert_eq!(sent["results"].as_array().unwrap().len(), 100);
    let mut held: Vec<_> =
        workers.into_iter().map(|worker| text(&worker.join().unwrap()["task"]["content"])).collect();
    held.sort();
    assert_eq!(held, ["task 0", "task 1", "task 2", "task 3"]);
    let ids: std::collections::BTreeSet<_> =
        sent["results"].as_array().unwrap().iter().map(|sent| text(&sent["task_id"])).collect();
    assert_eq!(ids.len(), 100);
    // The seal and the last-used times are written beside it.
    let commits = super::figure(&tenant.user, "baton_store_commit_seconds_count") - before;
    assert!(commits < 50.0, "{commits} commits");
}
