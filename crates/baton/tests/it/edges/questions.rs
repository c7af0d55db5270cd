//! A task waits for input: its agent asks, its sender answers, it goes on where it was (section 6).

use serde_json::json;

use crate::it::history::assert_legal;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, events, inbox_task_ids, refused, send, succeed, task};

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
    crate::it::tool::call(&worker, "report_status", &working);
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
