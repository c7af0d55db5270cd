//! A question there becomes a question to the sender; the answer, and what else the sender says, is passed on.

use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::agent::{Agent, AgentReply, Binding, answered, sent, task};
use super::{hub, register, wait_for_status};
use crate::it::tenant::{Tenant, act, send, succeed};

#[test]
fn a_question_is_passed_back_and_its_answer_on_in_the_same_task() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let sends = Arc::new(AtomicUsize::new(0));
    let count = sends.clone();
    let agent = Agent::start(Binding::JsonRpc, move |method, _| match method {
        "SendMessage" => match count.fetch_add(1, Ordering::SeqCst) {
            0 => sent(&task("INPUT_REQUIRED", Some("which colour?"))),
            // It says at first that it still waits: the same question is not asked twice.
            _ => sent(&task("INPUT_REQUIRED", Some("which colour?"))),
        },
        _ => AgentReply::Result(answered("painted")),
    });
    register(&tenant, &agent.card_url(), None);
    let sender = tenant.agent("sender");
    let task_id = send(&sender, "scout", "paint it");
    wait_for_status(&tenant.user, &task_id, "waiting_input");
    let inbox = succeed(&sender.get("/api/inbox"));
    assert_eq!(inbox["messages"][0]["content"], "which colour?");
    succeed(&act(&sender, &task_id, "answer", &json!({"text": "blue"})));
    let row = wait_for_status(&tenant.user, &task_id, "replied");
    assert_eq!(row["result"], "painted");
    let passed = agent.wait_for("SendMessage", 2);
    assert_eq!(passed.len(), 2);
    assert_eq!(passed[0]["message"].get("taskId"), None);
    assert_eq!(passed[1]["message"]["taskId"], "there-1");
    assert_eq!(passed[1]["message"]["contextId"], "context-there");
    assert_eq!(passed[1]["message"]["parts"], json!([{"text": "blue"}]));
    assert_eq!(sends.load(Ordering::SeqCst), 2);
}

#[test]
fn what_the_sender_says_on_the_way_is_passed_on() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start(Binding::HttpJson, |_, params| {
        let is_word = params["message"]["taskId"] == "there-1";
        match (params.get("message").is_some(), is_word) {
            (true, true) => sent(&answered("as you say")),
            (true, false) => sent(&task("WORKING", None)),
            (false, _) => AgentReply::Result(task("WORKING", None)),
        }
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    agent.wait_for("GetTask", 1);
    succeed(&act(&tenant.user, &task_id, "answer", &json!({"text": "by the way"})));
    assert_eq!(wait_for_status(&tenant.user, &task_id, "replied")["result"], "as you say");
    assert_eq!(agent.wait_for("SendMessage", 2)[1]["message"]["parts"], json!([{"text": "by the way"}]));
}
