//! The remote agent is away, or the hub is: the task waits and continues.

use baton_core::limits;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::agent::{Agent, AgentReply, Binding, answered, bare, gate, sent, task};
use super::{hub, register, wait_for_status};
use crate::it::cluster::Cluster;
use crate::it::outside::{Outside, Reply};
use crate::it::tenant::{Tenant, send};

/// An agent that works until the flag is set.
fn patient() -> (Agent, Arc<AtomicBool>) {
    let is_done = Arc::new(AtomicBool::new(false));
    let done = is_done.clone();
    let agent =
        Agent::start(Binding::JsonRpc, move |method, _| match (method, done.load(Ordering::SeqCst)) {
            ("SendMessage", _) => sent(&task("WORKING", None)),
            (_, false) => AgentReply::Result(task("WORKING", None)),
            (_, true) => AgentReply::Result(answered("patience")),
        });
    (agent, is_done)
}

#[test]
fn an_agent_that_is_away_and_comes_back_answers() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let calls = AtomicUsize::new(0);
    let agent = Agent::start(Binding::JsonRpc, move |method, _| {
        match (calls.fetch_add(1, Ordering::SeqCst), method) {
            (0 | 1, _) => AgentReply::Fault(503),
            (_, "SendMessage") => sent(&task("SUBMITTED", None)),
            (3, _) => AgentReply::Fault(502),
            _ => AgentReply::Result(answered("back again")),
        }
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    assert_eq!(wait_for_status(&tenant.user, &task_id, "replied")["result"], "back again");
    assert_eq!(agent.methods(), ["SendMessage", "SendMessage", "SendMessage", "GetTask", "GetTask"]);
    // The same message each time, by its id and by its key.
    let sends = agent.wait_for("SendMessage", 3);
    let message_id = sends[0]["message"]["messageId"].as_str().unwrap();
    assert!(sends.iter().all(|send| send["message"]["messageId"] == *message_id), "{sends:?}");
    let keys: Vec<_> = agent
        .outside
        .received()
        .iter()
        .filter_map(|heard| heard.header("idempotency-key").map(str::to_owned))
        .collect();
    assert_eq!(keys, vec![format!("{message_id}-0"); 3]);
}

#[test]
fn a_killed_hub_goes_on_with_what_was_out_and_sends_nothing_twice() {
    let mut hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let (agent, is_done) = patient();
    register(&tenant, &agent.card_url(), Some("kept-over-restarts"));
    let task_id = send(&tenant.user, "scout", "x");
    for _ in 0..4 {
        let looks = agent.methods().iter().filter(|method| *method == "GetTask").count();
        agent.wait_for("GetTask", looks + 1);
        hub.kill9();
        hub.restart();
    }
    is_done.store(true, Ordering::SeqCst);
    let row = wait_for_status(&tenant.user, &task_id, "replied");
    assert_eq!((&row["result"], &row["attempt"]), (&json!("patience"), &json!(1)));
    assert_eq!(agent.wait_for("SendMessage", 1).len(), 1);
    let last = agent.outside.received().pop().unwrap();
    assert_eq!(last.header("authorization"), Some("Bearer kept-over-restarts"));
}

#[test]
fn a_task_that_is_out_is_taken_over_by_another_hub_and_sent_once() {
    let options = ["--allow-outbound", "127.0.0.0/8"];
    let mut cluster = Cluster::start_with(1, &options);
    let tenant = Tenant::of_admin(&cluster.hubs[0]);
    let (agent, is_done) = patient();
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    // The only hub there is has it.
    agent.wait_for("GetTask", 1);
    cluster.add(&options);
    cluster.hubs[0].kill9();
    is_done.store(true, Ordering::SeqCst);
    let user = cluster.at(1, &tenant.user);
    let row = wait_for_status(&user, &task_id, "replied");
    assert_eq!((&row["result"], &row["attempt"]), (&json!("patience"), &json!(1)));
    assert_eq!(agent.wait_for("SendMessage", 1).len(), 1);
}

#[test]
fn a_hub_that_is_stopped_during_a_send_notes_its_answer_and_sends_nothing_twice() {
    let mut hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let (gate, keeper) = gate();
    let agent = Agent::start(Binding::JsonRpc, move |method, _| match method {
        "SendMessage" => {
            gate.pass();
            sent(&task("WORKING", None))
        }
        _ => AgentReply::Result(answered("patience")),
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    keeper.wait_for_arrival();
    hub.signal(rustix::process::Signal::TERM);
    let deadline = Instant::now() + Duration::from_secs(20);
    while !hub.log().contains("stopping") {
        assert!(Instant::now() < deadline, "{}", hub.log());
        std::thread::yield_now();
    }
    keeper.open();
    assert!(hub.wait().success());
    hub.restart();
    assert_eq!(wait_for_status(&tenant.user, &task_id, "replied")["result"], "patience");
    assert_eq!(agent.methods(), ["SendMessage", "GetTask"]);
}

#[test]
fn an_agent_that_answers_after_long_work_works_once() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let agent = Agent::start(Binding::HttpJson, move |_, _| {
        // Longer than any other answer is waited for: the time is what this is about.
        std::thread::sleep(
            Duration::from_secs(limits::OUTBOUND_ANSWER_SECONDS.into()) + Duration::from_secs(2),
        );
        bare("long work")
    });
    register(&tenant, &agent.card_url(), None);
    let task_id = send(&tenant.user, "scout", "x");
    let row = wait_for_status(&tenant.user, &task_id, "replied");
    assert_eq!((&row["result"], &row["attempt"]), (&json!("long work"), &json!(1)));
    assert_eq!(agent.methods(), ["SendMessage"]);
}

#[test]
fn a_text_that_may_have_arrived_is_sent_three_times_and_then_fails_with_clear_words() {
    let hub = hub();
    let troubles = [("alice", AgentReply::Fault(500)), ("bob", AgentReply::Error(-32603))];
    let out = troubles.map(|(name, said)| {
        let tenant = Tenant::register(&hub, name);
        let agent = Agent::start(Binding::JsonRpc, move |_, _| said.clone());
        register(&tenant, &agent.card_url(), None);
        let task_id = send(&tenant.user, "scout", "x");
        (tenant, agent, task_id)
    });
    for (tenant, agent, task_id) in out {
        let row = wait_for_status(&tenant.user, &task_id, "failed");
        let said = row["result"].as_str().unwrap();
        assert!(said.starts_with("the remote agent gave no answer to the task, sent 3 times: "), "{row}");
        let sends = agent.wait_for("SendMessage", 3);
        assert_eq!((sends.len(), agent.methods().len()), (3, 3));
        assert!(sends.iter().all(|send| send["message"] == sends[0]["message"]), "{sends:?}");
    }
}

#[test]
fn a_card_that_is_away_while_a_task_is_out_says_nothing_of_the_task() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let base = Arc::new(std::sync::OnceLock::<String>::new());
    let (known, is_out, cards, looks) =
        (base.clone(), AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let outside = Outside::start(move |_, heard| {
        let result = |result| Reply::Json(200, json!({"jsonrpc": "2.0", "id": 1, "result": result}));
        if heard.path.contains(".well-known") {
            // Away when it is first read again.
            if is_out.load(Ordering::SeqCst) && cards.fetch_add(1, Ordering::SeqCst) == 0 {
                return Reply::Json(404, json!({}));
            }
            let interface =
                json!({"url": known.wait(), "protocolBinding": "JSONRPC", "protocolVersion": "1.0"});
            return Reply::Json(200, json!({"name": "Scout", "supportedInterfaces": [interface]}));
        }
        match heard.body["method"].as_str() {
            Some("SendMessage") => {
                is_out.store(true, Ordering::SeqCst);
                result(json!({"task": task("WORKING", None)}))
            }
            _ if looks.fetch_add(1, Ordering::SeqCst) == 0 => Reply::Json(502, json!({})),
            _ => result(answered("back again")),
        }
    });
    base.set(outside.url("/")).unwrap();
    register(&tenant, &outside.url("/"), None);
    let row = wait_for_status(&tenant.user, &send(&tenant.user, "scout", "x"), "replied");
    assert_eq!(row["result"], "back again");
}
