//! A word on the way decides nothing by how it is answered: the task there does.

use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::agent::{Agent, AgentReply, Binding, answered, sent, task};
use super::{hub, register, wait_for_status};
use crate::it::tenant::{Tenant, act, send, succeed};

#[test]
fn a_word_that_is_refused_or_answered_by_a_message_neither_fails_nor_ends_the_task() {
    let hub = hub();
    let message = json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "noted"}]});
    let mut elsewhere = answered("of another task");
    elsewhere["id"] = json!("there-2");
    for (name, binding, said) in [
        ("alice", Binding::JsonRpc, AgentReply::Result(json!({"message": message}))),
        ("bob", Binding::JsonRpc, AgentReply::Fault(404)),
        ("carol", Binding::HttpJson, AgentReply::Fault(400)),
        ("dave", Binding::HttpJson, sent(&elsewhere)),
    ] {
        let tenant = Tenant::register(&hub, name);
        let words = Arc::new(AtomicUsize::new(0));
        let agent = Agent::start(binding, move |method, params| match method {
            "SendMessage" if params["message"]["taskId"] == "there-1" => {
                words.fetch_add(1, Ordering::SeqCst);
                said.clone()
            }
            "SendMessage" => sent(&task("WORKING", None)),
            "GetTask" if words.load(Ordering::SeqCst) > 0 => AgentReply::Result(answered("done anyway")),
            _ => AgentReply::Result(task("WORKING", None)),
        });
        register(&tenant, &agent.card_url(), None);
        let task_id = send(&tenant.user, "scout", "x");
        agent.wait_for("GetTask", 1);
        succeed(&act(&tenant.user, &task_id, "answer", &json!({"text": "by the way"})));
        agent.wait_for("SendMessage", 2);
        let row = wait_for_status(&tenant.user, &task_id, "replied");
        assert_eq!(row["result"], "done anyway", "{name}");
        assert_eq!(agent.wait_for("SendMessage", 2).len(), 2, "a word is passed on once");
        assert!(!agent.methods().contains(&"CancelTask".into()), "{name}");
    }
}

#[test]
fn an_answer_that_is_refused_there_brings_the_question_back() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let sends = AtomicUsize::new(0);
    let agent = Agent::start(Binding::JsonRpc, move |method, _| match method {
        "SendMessage" => match sends.fetch_add(1, Ordering::SeqCst) {
            0 => sent(&task("INPUT_REQUIRED", Some("which colour?"))),
            1 => AgentReply::Fault(400),
            _ => sent(&answered("painted")),
        },
        _ => AgentReply::Result(task("INPUT_REQUIRED", Some("which colour?"))),
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "paint it");
    wait_for_status(&tenant.user, &task_id, "waiting_input");
    succeed(&act(&tenant.user, &task_id, "answer", &json!({"text": "loud"})));
    agent.wait_for("SendMessage", 2);
    wait_for_status(&tenant.user, &task_id, "waiting_input");
    succeed(&act(&tenant.user, &task_id, "answer", &json!({"text": "blue"})));
    assert_eq!(wait_for_status(&tenant.user, &task_id, "replied")["result"], "painted");
    assert_eq!(agent.wait_for("SendMessage", 3)[2]["message"]["parts"], json!([{"text": "blue"}]));
}

#[test]
fn a_tasks_trace_goes_along_and_a_task_without_one_goes_without() {
    const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let hub = hub();
    for (name, binding) in [("alice", Binding::JsonRpc), ("bob", Binding::HttpJson)] {
        let tenant = Tenant::register(&hub, name);
        let agent = Agent::start(binding, |_, _| sent(&answered("done")));
        register(&tenant, &agent.card_url(), None);
        let body = json!({"alias": "scout", "task": "x"});
        let traced = succeed(&tenant.user.send("POST", "/api/task", &[("traceparent", TRACE)], Some(&body)));
        wait_for_status(&tenant.user, traced["task_id"].as_str().unwrap(), "replied");
        wait_for_status(&tenant.user, &send(&tenant.user, "scout", "y"), "replied");
        assert_eq!(agent.headers("SendMessage", "traceparent"), [Some(TRACE.to_owned()), None]);
    }
}
