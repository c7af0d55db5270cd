//! A task given to another remote agent is cancelled at the first and goes out again at the second, and back.

use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::agent::{Agent, AgentReply, Binding, answered, gate, sent, task};
use super::{hub, register_as, wait_for_status};
use crate::it::tenant::{Tenant, act, send, succeed};

fn named(mut task: Value, id: &str) -> Value {
    task["id"] = json!(id);
    task
}

fn reassign(tenant: &Tenant, task_id: &str, to: &str) {
    succeed(&act(&tenant.user, task_id, "reassign", &json!({"new_alias": to})));
}

#[test]
fn the_first_agent_gets_its_cancel_also_after_the_second_has_begun() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let takes_cancels = Arc::new(AtomicBool::new(false));
    let takes = takes_cancels.clone();
    let first = Agent::start(Binding::JsonRpc, move |method, _| match method {
        "SendMessage" => sent(&named(task("WORKING", None), "at-first")),
        "CancelTask" if !takes.load(Ordering::SeqCst) => AgentReply::Fault(503),
        "CancelTask" => AgentReply::Result(named(task("CANCELED", None), "at-first")),
        _ => AgentReply::Result(named(task("WORKING", None), "at-first")),
    });
    let second = Agent::start(Binding::HttpJson, |method, _| match method {
        "SendMessage" => sent(&named(task("WORKING", None), "at-second")),
        "CancelTask" => AgentReply::Result(named(task("CANCELED", None), "at-second")),
        _ => AgentReply::Result(named(task("WORKING", None), "at-second")),
    });
    register_as(&tenant, "scout", &first.card_url(), None);
    register_as(&tenant, "ranger", &second.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    first.wait_for("GetTask", 1);
    reassign(&tenant, &task_id, "ranger");
    second.wait_for("GetTask", 1);
    let tried = first.wait_for("CancelTask", 1).len();
    takes_cancels.store(true, Ordering::SeqCst);
    first.wait_for("CancelTask", tried + 1);
    let sent_on = second.wait_for("SendMessage", 1);
    assert_eq!(sent_on[0]["message"].get("taskId"), None, "it is new to the second agent");
    assert_eq!(sent_on.len(), 1);
    // And back: what was cancelled there does not continue, it goes out again.
    reassign(&tenant, &task_id, "scout");
    let sends = first.wait_for("SendMessage", 2);
    assert_eq!(sends[1]["message"].get("taskId"), None);
    assert_ne!(
        sends[0]["message"]["messageId"], sends[1]["message"]["messageId"],
        "no agent takes it for the old"
    );
    assert_eq!(second.wait_for("CancelTask", 1)[0], json!({"id": "at-second"}));
}

#[test]
fn a_task_reassigned_during_the_first_send_is_called_off_there_and_answered_by_the_second() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let (gate, keeper) = gate();
    let first = Agent::start(Binding::JsonRpc, move |method, _| match method {
        "SendMessage" => {
            gate.pass();
            sent(&named(task("WORKING", None), "at-first"))
        }
        _ => AgentReply::Result(named(task("CANCELED", None), "at-first")),
    });
    let second = Agent::start(Binding::JsonRpc, |method, _| match method {
        "SendMessage" => sent(&named(task("WORKING", None), "at-second")),
        _ => AgentReply::Result(named(answered("by the second"), "at-second")),
    });
    register_as(&tenant, "scout", &first.card_url(), None);
    register_as(&tenant, "ranger", &second.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    keeper.wait_for_arrival();
    reassign(&tenant, &task_id, "ranger");
    assert_eq!(wait_for_status(&tenant.user, &task_id, "replied")["result"], "by the second");
    keeper.open();
    assert_eq!(first.wait_for("CancelTask", 1), [json!({"id": "at-first"})]);
    assert_eq!(second.methods(), ["SendMessage", "GetTask"]);
}
