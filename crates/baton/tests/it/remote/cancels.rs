//! A cancel here is passed on, whether the task runs there or waits.

use serde_json::json;

use super::agent::{Agent, AgentReply, Binding, gate, sent, task};
use super::{hub, register, wait_for_status};
use crate::it::tenant::{Tenant, act, refused, send, send_with, succeed};

#[test]
fn a_cancel_is_passed_on_while_the_task_runs_and_while_it_waits() {
    let hub = hub();
    for (name, state, status) in [("alice", "WORKING", "running"), ("bob", "INPUT_REQUIRED", "waiting_input")]
    {
        let tenant = Tenant::register(&hub, name);
        let agent = Agent::start(Binding::JsonRpc, move |method, _| match method {
            "SendMessage" => sent(&task(state, Some("?"))),
            "CancelTask" => AgentReply::Result(task("CANCELED", None)),
            _ => AgentReply::Result(task(state, Some("?"))),
        });
        register(&tenant, &agent.card_url(), None);
        let task_id = send(&tenant.user, "scout", "x");
        agent.wait_for("SendMessage", 1);
        wait_for_status(&tenant.user, &task_id, status);
        succeed(&act(&tenant.user, &task_id, "cancel", &json!({})));
        assert_eq!(agent.wait_for("CancelTask", 1), [json!({"id": "there-1"})], "{state}");
        wait_for_status(&tenant.user, &task_id, "cancelled");
    }
}

#[test]
fn a_cancel_during_the_first_send_is_passed_on_once_its_answer_says_what_to_cancel() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let (gate, keeper) = gate();
    let agent = Agent::start(Binding::JsonRpc, move |method, _| match method {
        "SendMessage" => {
            gate.pass();
            sent(&task("WORKING", None))
        }
        "CancelTask" => AgentReply::Result(task("CANCELED", None)),
        _ => AgentReply::Result(task("WORKING", None)),
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    keeper.wait_for_arrival();
    succeed(&act(&tenant.user, &task_id, "cancel", &json!({})));
    wait_for_status(&tenant.user, &task_id, "cancelled");
    keeper.open();
    assert_eq!(agent.wait_for("CancelTask", 1), [json!({"id": "there-1"})]);
    assert_eq!(agent.methods(), ["SendMessage", "CancelTask"]);
}

#[test]
fn a_cancel_that_cannot_be_passed_on_is_passed_on_later() {
    let mut hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let cancels = std::sync::atomic::AtomicUsize::new(0);
    let agent = Agent::start(Binding::HttpJson, move |method, _| match method {
        "SendMessage" => sent(&task("WORKING", None)),
        "CancelTask" => match cancels.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => AgentReply::Fault(503),
            _ => AgentReply::Result(task("CANCELED", None)),
        },
        _ => AgentReply::Result(task("WORKING", None)),
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    agent.wait_for("GetTask", 1);
    succeed(&act(&tenant.user, &task_id, "cancel", &json!({})));
    agent.wait_for("CancelTask", 1);
    hub.kill9();
    hub.restart();
    agent.wait_for("CancelTask", 2);
}

#[test]
fn a_task_that_is_cancelled_with_its_parent_is_cancelled_at_its_remote_agent_too() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let planner = tenant.agent("planner");
    let agent = Agent::start(Binding::JsonRpc, move |method, _| match method {
        "SendMessage" => sent(&task("WORKING", None)),
        "CancelTask" => AgentReply::Result(task("CANCELED", None)),
        _ => AgentReply::Result(task("WORKING", None)),
    });
    register(&tenant, &agent.card_url(), None);
    let root = send(&tenant.user, "planner", "x");
    let part = send_with(&planner, &json!({"alias": "scout", "task": "x", "parent_task_id": root}));
    agent.wait_for("SendMessage", 1);
    wait_for_status(&tenant.user, &part, "running");
    // A remote agent stands in a chain as any agent does.
    let body = json!({"alias": "scout", "task": "x", "parent_task_id": part});
    refused(&tenant.user.post("/api/task", &body), 409, "delegation_cycle");
    succeed(&act(&tenant.user, &root, "cancel", &json!({"cascade": true})));
    assert_eq!(agent.wait_for("CancelTask", 1), [json!({"id": "there-1"})]);
    wait_for_status(&tenant.user, &part, "cancelled");
}
