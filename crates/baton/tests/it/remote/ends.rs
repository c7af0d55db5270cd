//! How a task ends there is how it ends here, over either binding.

use serde_json::json;

use super::agent::{Agent, AgentReply, Binding, answered, sent, task};
use super::{hub, register, wait_for_status};
use crate::it::http::Client;
use crate::it::tenant::{Tenant, act, claim, events, send, send_with, succeed};

#[test]
fn a_task_goes_out_and_its_answer_comes_back_over_either_binding() {
    let hub = hub();
    for (binding, name) in [(Binding::JsonRpc, "alice"), (Binding::HttpJson, "bob")] {
        let tenant = Tenant::register(&hub, name);
        let agent = Agent::start(binding, |method, _| match method {
            "SendMessage" => sent(&task("WORKING", None)),
            _ => AgentReply::Result(answered("it is 42")),
        });
        let added = register(&tenant, &agent.card_url(), Some("the-bearer-51"));
        assert_eq!(added["name"], "Scout");
        let body = json!({"alias": "scout", "task": "what is it?", "context": "seven by six"});
        let task_id = send_with(&tenant.user, &body);
        let row = wait_for_status(&tenant.user, &task_id, "replied");
        assert_eq!(row["result"], "it is 42");
        assert_eq!(agent.methods(), ["SendMessage", "GetTask"], "{:?}", agent.binding());
        let (_, asked) = &agent.calls()[0];
        assert_eq!(asked["message"]["parts"], json!([{"text": "what is it?"}, {"text": "seven by six"}]));
        assert_eq!(
            (&asked["message"]["role"], &asked["configuration"]["returnImmediately"]),
            (&json!("ROLE_USER"), &json!(true))
        );
        for heard in agent.outside.received() {
            assert_eq!(heard.header("authorization"), Some("Bearer the-bearer-51"), "{heard:?}");
        }
        assert!(agent.outside.received().iter().skip(1).all(|heard| {
            heard.path.contains(".well-known") || heard.header("a2a-version") == Some("1.0")
        }));
        // The alias acted, as any agent does, and its evidence is recorded the same way.
        let history = events(&tenant.user, &task_id);
        assert_eq!(
            history.iter().map(|event| event["actor"].as_str().unwrap()).collect::<Vec<_>>(),
            [name, "scout", "scout"]
        );
        let list = succeed(&tenant.user.get(&format!("/api/networks/{}/remotes", tenant.network_id)));
        assert_eq!(list["remotes"][0]["has_credential"], true);
        assert!(!format!("{added}{list}{}", hub.log()).contains("the-bearer-51"));
    }
}

#[test]
fn failed_rejected_cancelled_and_a_bare_answer_there_are_so_here() {
    let hub = hub();
    for (name, state, status) in
        [("alice", "FAILED", "failed"), ("bob", "REJECTED", "failed"), ("carol", "CANCELED", "cancelled")]
    {
        let tenant = Tenant::register(&hub, name);
        let agent = Agent::start(Binding::JsonRpc, move |_, _| sent(&task(state, Some("no luck"))));
        register(&tenant, &agent.card_url(), None);
        let task_id = send(&tenant.user, "scout", "x");
        let row = wait_for_status(&tenant.user, &task_id, status);
        assert_eq!(row["result"], "no luck", "{state}");
        assert_eq!(agent.methods(), ["SendMessage"]);
    }
    let tenant = Tenant::register(&hub, "dave");
    let message = json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "hello"}]}});
    let agent = Agent::start(Binding::HttpJson, move |_, _| AgentReply::Result(message.clone()));
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    assert_eq!(wait_for_status(&tenant.user, &task_id, "replied")["result"], "hello");
}

#[test]
fn a_task_that_wants_credentials_there_fails_here_says_so_and_is_called_off_there() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start(Binding::JsonRpc, |method, _| match method {
        "SendMessage" => sent(&task("AUTH_REQUIRED", Some("sign in to the archive"))),
        _ => AgentReply::Result(task("CANCELED", None)),
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    let row = wait_for_status(&tenant.user, &task_id, "failed");
    let said = "the remote agent wants credentials that the hub does not have: sign in to the archive";
    assert_eq!(row["result"], said);
    assert_eq!(agent.wait_for("CancelTask", 1), [json!({"id": "there-1"})]);
}

#[test]
fn a_refusal_there_fails_the_task_with_what_was_said() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start(Binding::HttpJson, |_, _| AgentReply::Fault(403));
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    let row = wait_for_status(&tenant.user, &task_id, "failed");
    assert!(row["result"].as_str().unwrap().contains("HTTP 403"), "{row}");
    assert_eq!(agent.methods(), ["SendMessage"], "what is refused is not tried again");
}

#[test]
fn an_id_that_is_too_long_to_keep_fails_the_task() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start(Binding::JsonRpc, |_, _| {
        let mut long = task("WORKING", None);
        long["id"] = "x".repeat(1_001).into();
        sent(&long)
    });
    register(&tenant, &agent.card_url(), None);
    let row = wait_for_status(&tenant.user, &send(&tenant.user, "scout", "x"), "failed");
    assert!(row["result"].as_str().unwrap().contains("longer than 1000 characters"), "{row}");
    assert_eq!(agent.methods(), ["SendMessage"]);
}

#[test]
fn another_alias_of_this_hub_is_an_agent_of_others_like_any() {
    let hub = hub();
    let (near, far) = (Tenant::register(&hub, "alice"), Tenant::register(&hub, "bob"));
    let (worker, caller) = (far.agent("worker"), far.agent("caller"));
    let card = format!("{}/a2a/{}/worker/", hub.url(), far.network_id);
    register(&near, &card, caller.token.as_deref());
    let task_id = send(&near.user, "scout", "across the fence");
    let claimed = claim(&worker, 20, 60);
    assert_eq!(claimed["task"]["content"], "across the fence");
    let ask = json!({"question": "which side?", "lease_id": claimed["lease_id"]});
    let far_id = claimed["task"]["task_id"].as_str().unwrap().to_owned();
    succeed(&act(&worker, &far_id, "ask", &ask));
    wait_for_status(&near.user, &task_id, "waiting_input");
    succeed(&act(&near.user, &task_id, "answer", &json!({"text": "yours"})));
    let again = claim(&worker, 20, 60);
    assert_eq!(again["task"]["task_id"], *far_id);
    let messages = succeed(&worker.get("/api/inbox?limit=10"));
    assert!(messages.to_string().contains("yours"), "{messages}");
    reply(&worker, &far_id, "done there");
    assert_eq!(wait_for_status(&near.user, &task_id, "replied")["result"], "done there");
}

fn reply(worker: &Client, task_id: &str, text: &str) {
    succeed(&act(worker, task_id, "reply", &json!({"text": text})));
}
