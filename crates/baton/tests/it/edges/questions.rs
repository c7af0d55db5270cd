//! A task waits for input: its agent asks, its sender answers, it continues where it was (section 6).

use serde_json::{Value, json};
use std::thread;

use crate::it::history::assert_legal;
use crate::it::http::{Client, Response};
use crate::it::hub::Hub;
use crate::it::tenant::{
    Tenant, act, claim, events, inbox_task_ids, refused, send, send_with, succeed, task, text,
};
use crate::it::tool::call;
use crate::it::work::worker::{ended, eventually};

#[test]
fn a_question_parks_the_task_and_the_answer_brings_it_back_with_what_was_said() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let task_id = send(&sender, "worker", "paint it");
    let claimed = claim(&worker, 0, 60);
    let ask = json!({"question": "which colour?", "lease_id": claimed["lease_id"]});
    let asked = succeed(&act(&worker, &task_id, "ask", &ask));
    assert_eq!(asked["status"], "waiting_input");
    assert!(inbox_task_ids(&worker).is_empty(), "a parked task is in nobody's way");
    let inbox = succeed(&sender.get("/api/inbox"));
    let question = &inbox["messages"][0];
    assert_eq!((&question["content"], &question["task_id"]), (&json!("which colour?"), &json!(task_id)));
    let lost = act(&worker, &task_id, "reply", &json!({"text": "x", "lease_id": claimed["lease_id"]}));
    refused(&lost, 409, "lease_lost");

    let answered = succeed(&act(&sender, &task_id, "answer", &json!({"text": "blue"})));
    assert_eq!(answered["status"], "delivered");
    assert!(
        succeed(&sender.get("/api/inbox"))["messages"].as_array().unwrap().is_empty(),
        "the question is done"
    );
    let again = claim(&worker, 0, 60);
    assert_eq!(again["task"]["task_id"], *task_id);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done", "lease_id": again["lease_id"]})));
    assert_legal(&task(&network.user, &task_id), &events(&network.user, &task_id));
}

#[test]
fn a_task_that_was_acked_before_the_question_comes_back_too() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let task_id = send(&sender, "worker", "paint it");
    succeed(&act(&worker, &task_id, "ack", &json!({})));
    let working = json!({"resume_id": "w", "alias": "worker", "status": "working", "task": task_id});
    call(&worker, "report_status", &working);
    succeed(&act(&worker, &task_id, "ask", &json!({"question": "which colour?"})));
    succeed(&act(&sender, &task_id, "answer", &json!({"text": "blue"})));
    assert_eq!(inbox_task_ids(&worker), [&*task_id]);
    assert_eq!(claim(&worker, 0, 60)["task"]["task_id"], *task_id);
}

#[test]
fn only_its_agent_asks_and_only_its_sender_answers() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker, other) = (network.agent("sender"), network.agent("worker"), network.agent("other"));
    let task_id = send(&sender, "worker", "x");
    let (question, answer) = (json!({"question": "?"}), json!({"text": "!"}));
    refused(&act(&worker, &task_id, "ask", &question), 409, "task status is delivered, not running");
    claim(&worker, 0, 60);
    for client in [&sender, &other] {
        refused(&act(client, &task_id, "ask", &question), 403, "permission_denied");
    }
    succeed(&act(&worker, &task_id, "ask", &question));
    for client in [&worker, &other, &network.user] {
        refused(&act(client, &task_id, "answer", &answer), 403, "permission_denied");
    }
    let stranger = Tenant::register(&hub, "mallory");
    refused(&act(&stranger.user, &task_id, "answer", &answer), 404, "task_not_found");
    succeed(&act(&sender, &task_id, "answer", &answer));
    succeed(&act(&sender, &task_id, "cancel", &json!({})));
    refused(&act(&sender, &task_id, "answer", &answer), 409, "task is terminal (cancelled)");
}

#[test]
fn what_the_sender_says_on_the_way_is_a_message_and_moves_nothing() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let task_id = send(&sender, "worker", "x");
    claim(&worker, 0, 60);
    let said = succeed(&act(&sender, &task_id, "answer", &json!({"text": "by the way"})));
    assert_eq!(said["status"], "running");
    let inbox = succeed(&worker.get("/api/inbox"));
    assert_eq!(inbox["messages"][0]["content"], "by the way");
    assert_eq!(events(&network.user, &task_id).len(), 2, "sent and claimed, nothing else");
}

/// The messages on a task.
fn messages(reader: &Client, task_id: &str) -> Vec<Value> {
    let seen = succeed(&reader.get(&format!("/api/tasks/{task_id}")));
    seen["messages"].as_array().cloned().unwrap_or_default()
}

/// A network, its sender and its worker, and a task that the worker asks about under a lease of so many seconds.
struct Asked {
    hub: Hub,
    network: Tenant,
    sender: Client,
    worker: Client,
    task_id: String,
    lease_id: Value,
}

impl Asked {
    fn keeping(lease_seconds: u32, send: &Value, ask: &Value) -> Self {
        let hub = Hub::start();
        let network = Tenant::register(&hub, "alice");
        let (sender, worker) = (network.agent("sender"), network.agent("worker"));
        let mut body = json!({"alias": "worker", "task": "paint it"});
        body.as_object_mut().unwrap().extend(send.as_object().unwrap().clone());
        let task_id = send_with(&sender, &body);
        let lease_id = claim(&worker, 0, lease_seconds)["lease_id"].clone();
        let mut question = json!({"question": "which colour?", "keep_lease": true, "lease_id": lease_id});
        question.as_object_mut().unwrap().extend(ask.as_object().unwrap().clone());
        assert_eq!(succeed(&act(&worker, &task_id, "ask", &question))["status"], "waiting_input");
        Self { hub, network, sender, worker, task_id, lease_id }
    }

    fn extend(&self) -> Response {
        let path = format!("/api/leases/{}/extend", text(&self.lease_id));
        self.worker.post(&path, &json!({"lease_seconds": 60}))
    }

    fn answer(&self, text: &str) -> Response {
        act(&self.sender, &self.task_id, "answer", &json!({"text": text}))
    }

    fn reply(&self) -> Response {
        act(&self.worker, &self.task_id, "reply", &json!({"text": "done", "lease_id": self.lease_id}))
    }

    fn status(&self) -> Value {
        task(&self.sender, &self.task_id)["status"].clone()
    }
}

#[test]
fn a_worker_that_keeps_its_lease_gets_the_answer_under_it() {
    let asked = Asked::keeping(60, &json!({}), &json!({}));
    succeed(&asked.extend());
    refused(&asked.reply(), 409, "task_is_waiting_input");
    assert!(claim(&asked.worker, 0, 60)["task"].is_null(), "nobody else finds it");
    assert_eq!(succeed(&asked.answer("blue"))["status"], "running");
    assert!(inbox_task_ids(&asked.worker).is_empty(), "it is no new delivery");
    let inbox = succeed(&asked.sender.get("/api/inbox"));
    assert!(inbox["messages"].as_array().unwrap().is_empty(), "the question is done");
    succeed(&asked.extend());
    succeed(&asked.reply());
    let row = task(&asked.network.user, &asked.task_id);
    assert_eq!((&row["status"], &row["attempt"]), (&json!("replied"), &json!(1)));
    assert_legal(&row, &events(&asked.network.user, &asked.task_id));
}

#[test]
fn an_answer_that_is_no_option_is_refused_on_every_door_and_changes_nothing() {
    let asked = Asked::keeping(60, &json!({}), &json!({"options": ["red", "dark blue"]}));
    let inbox = succeed(&asked.sender.get("/api/inbox"));
    assert_eq!(inbox["messages"][0]["content"], "which colour?\n\nOptions:\n- red\n- dark blue");
    let before = (messages(&asked.sender, &asked.task_id), events(&asked.sender, &asked.task_id));
    assert_eq!(before.0[0]["options"], json!(["red", "dark blue"]));
    for wrong in ["blue", "Red", "red "] {
        let refusal = refused(&asked.answer(wrong), 400, "not_an_option");
        let message = "the answer must be exactly one of the options: \"red\", \"dark blue\"";
        assert_eq!(refusal["message"], message);
        let arguments = json!({"task_id": asked.task_id, "text": wrong});
        let refusal = call(&asked.sender, "answer_task", &arguments);
        assert_eq!((&refusal["error"], &refusal["message"]), (&json!("not_an_option"), &json!(message)));
    }
    let after = (messages(&asked.sender, &asked.task_id), events(&asked.sender, &asked.task_id));
    assert_eq!((after, asked.status()), (before, json!("waiting_input")));
    succeed(&asked.answer("dark blue"));
    // Options are those of the question that waits, not of an earlier one.
    succeed(&act(&asked.worker, &asked.task_id, "ask", &json!({"question": "and?"})));
    assert_eq!(succeed(&asked.answer("whatever"))["status"], "delivered");
}

#[test]
fn of_two_racing_answers_one_is_the_answer_and_the_other_a_message() {
    let asked = Asked::keeping(60, &json!({}), &json!({"options": ["red", "blue"]}));
    let racing: Vec<_> = ["red", "blue"]
        .into_iter()
        .map(|text| {
            let (sender, task_id) = (asked.sender.clone(), asked.task_id.clone());
            thread::spawn(move || succeed(&act(&sender, &task_id, "answer", &json!({"text": text}))))
        })
        .collect();
    for answered in racing {
        assert_eq!(answered.join().unwrap()["status"], "running");
    }
    let kinds: Vec<_> =
        messages(&asked.sender, &asked.task_id).iter().map(|said| text(&said["kind"])).collect();
    assert_eq!(kinds, ["question", "answer", "message"]);
    let events = events(&asked.sender, &asked.task_id);
    assert_eq!(events.iter().filter(|event| event["detail"] == "sender answered").count(), 1);
}

#[test]
fn a_lease_that_lapses_while_the_task_waits_costs_no_attempt_and_the_answer_is_a_new_delivery() {
    let asked = Asked::keeping(5, &json!({}), &json!({"options": ["red", "blue"]}));
    let lapsed = eventually("the lapse", || {
        events(&asked.sender, &asked.task_id).into_iter().find(|event| event["actor"] == "hub")
    });
    assert_eq!(lapsed["detail"], "lease lapsed while waiting for input");
    assert_eq!(asked.status(), "waiting_input");
    refused(&asked.extend(), 409, "lease_lost");
    assert_eq!(succeed(&asked.answer("blue"))["status"], "delivered");
    let again = claim(&asked.worker, 0, 60);
    assert_eq!((&again["task"]["task_id"], &again["task"]["attempt"]), (&json!(asked.task_id), &json!(1)));
    let said: Vec<_> = again["messages"].as_array().unwrap().iter().map(|said| &said["kind"]).collect();
    assert_eq!(said, ["question", "answer"]);
    assert_eq!(again["messages"][0]["options"], json!(["red", "blue"]));
    let reply = json!({"text": "done", "lease_id": again["lease_id"]});
    succeed(&act(&asked.worker, &asked.task_id, "reply", &reply));
    let row = task(&asked.network.user, &asked.task_id);
    assert_legal(&row, &events(&asked.network.user, &asked.task_id));
}

#[test]
fn a_question_expires_by_its_own_time_and_with_it_the_lease() {
    let asked = Asked::keeping(600, &json!({}), &json!({"input_ttl_seconds": 1}));
    let row = ended(&asked.sender, &asked.task_id);
    assert_eq!(row["status"], "expired");
    refused(&asked.extend(), 409, "lease_lost");
    refused(&asked.answer("blue"), 409, "task is terminal (expired)");
    assert_legal(&row, &events(&asked.network.user, &asked.task_id));
    let inbox = succeed(&asked.sender.get("/api/inbox"));
    assert_eq!(inbox["messages"][0]["type"], "reply", "its sender gets the reply");
}

#[test]
fn a_question_waits_past_the_sends_time_and_over_a_restart() {
    let mut asked = Asked::keeping(5, &json!({"ttl_seconds": 1}), &json!({}));
    asked.hub.kill9();
    asked.hub.restart();
    let short = json!({"alias": "sender", "task": "time passes", "ttl_seconds": 2});
    ended(&asked.sender, &send_with(&asked.sender, &short));
    assert_eq!(asked.status(), "waiting_input");
    assert!(succeed(&asked.answer("blue"))["ok"] == json!(true));
}

#[test]
fn a_cancel_while_a_worker_waits_ends_its_lease() {
    let asked = Asked::keeping(60, &json!({}), &json!({}));
    let reassigned = act(&asked.sender, &asked.task_id, "reassign", &json!({"new_alias": "sender"}));
    refused(&reassigned, 409, "task_is_waiting_input");
    succeed(&act(&asked.sender, &asked.task_id, "cancel", &json!({})));
    refused(&asked.extend(), 409, "lease_lost");
    assert_eq!(asked.status(), "cancelled");
}

#[test]
fn a_question_with_bad_arguments_is_refused_and_asks_nothing() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let task_id = send(&sender, "worker", "paint it");
    let lease_id = claim(&worker, 0, 60)["lease_id"].clone();
    let eleven: Vec<String> = (0..11).map(|n| n.to_string()).collect();
    for (wrong, field) in [
        (json!({"keep_lease": true}), "lease_id"),
        (json!({"options": eleven}), "options"),
        (json!({"options": [""]}), "options"),
        (json!({"options": ["a", "a"]}), "options"),
        (json!({"options": ["x".repeat(81)]}), "options"),
        (json!({"options": ["two\nlines"]}), "options"),
        (json!({"input_ttl_seconds": 0}), "input_ttl_seconds"),
        (json!({"input_ttl_seconds": 2_592_001}), "input_ttl_seconds"),
    ] {
        let mut ask = json!({"question": "which?"});
        ask.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let body = refused(&act(&worker, &task_id, "ask", &ask), 400, "invalid input");
        assert!(body["details"].to_string().contains(field), "{body}");
    }
    let stale =
        json!({"question": "which?", "keep_lease": true, "lease_id": format!("lease_{}", "0".repeat(32))});
    refused(&act(&worker, &task_id, "ask", &stale), 409, "lease_lost");
    assert_eq!(task(&sender, &task_id)["status"], "running");
    let longest = json!({"question": "which?", "keep_lease": true, "lease_id": lease_id,
        "options": ["x".repeat(80)], "input_ttl_seconds": 2_592_000});
    succeed(&act(&worker, &task_id, "ask", &longest));
}
