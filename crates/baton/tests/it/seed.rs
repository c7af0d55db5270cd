//! The second frozen contract, `hub-09-task-state-machine`: its nine steps and four contracts, in its own words and
//! order, against the real binary over real HTTP.

use serde_json::{Value, json};

use super::history::assert_legal;
use super::http::Client;
use super::hub::{ADMIN, Hub};
use super::tenant::{self, Tenant, text};
use super::tool::{call, rpc};

const ALIAS: &str = "worker";

/// Sends with the user token, as an admin's script does; the user has one network, so none is named.
fn send(admin: &Client, task: &str) -> String {
    let sent = call(admin, "send_task", &json!({"alias": ALIAS, "task": task}));
    assert_eq!(sent["ok"], true, "{sent}");
    assert_eq!(sent["task_id"], sent["message_id"]);
    text(&sent["task_id"])
}

fn task(reader: &Client, task_id: &str) -> Value {
    let answer = call(reader, "get_task", &json!({"task_id": task_id}));
    assert_eq!(answer["ok"], true, "{answer}");
    answer["task"].clone()
}

fn reply(agent: &Client, task_id: &str, words: &str, status: &str) -> Value {
    let arguments = json!({"alias": ADMIN, "text": words, "in_reply_to": task_id, "status": status});
    call(agent, "send_reply", &arguments)
}

fn cancel(client: &Client, task_id: &str, reason: &str) -> Value {
    call(client, "cancel_task", &json!({"task_id": task_id, "reason": reason}))
}

fn inbox(agent: &Client) -> Vec<String> {
    let answer = call(agent, "get_inbox", &json!({"alias": ALIAS, "limit": 100}));
    assert_eq!(answer["ok"], true, "{answer}");
    answer["messages"].as_array().unwrap().iter().map(|message| text(&message["id"])).collect()
}

#[test]
fn the_nine_steps_and_four_contracts_of_the_seed_hold() {
    // [0-2] hub + admin + network + ntok + report_status(idle): session row
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (admin, agent) = (&network.user, network.agent(ALIAS));
    let reported = tenant::report(&agent, ALIAS, "idle");
    assert_eq!((&reported["ok"], &reported["alias"]), (&json!(true), &json!(ALIAS)), "{reported}");
    let session =
        call(admin, "get_session_status", &json!({"alias": ALIAS, "network_id": network.network_id}));
    assert_eq!(session["session"]["status"], "idle", "{session}");

    // [3] BRANCH replied
    let replied = send(admin, "to be replied");
    assert_eq!(reply(&agent, &replied, "the answer", "replied")["ok"], true);
    let row = task(admin, &replied);
    assert_eq!((&row["status"], &row["result"]), (&json!("replied"), &json!("the answer")));
    assert!(row["completed_at"].is_string(), "{row}");

    // [4] BRANCH failed
    let failed = send(admin, "to fail");
    assert_eq!(reply(&agent, &failed, "no such file", "failed")["ok"], true);
    let row = task(admin, &failed);
    assert_eq!(row["status"], "failed");
    assert!(row["completed_at"].is_string(), "{row}");

    // [5] BRANCH cancelled
    let cancelled = send(admin, "to be cancelled");
    assert!(inbox(&agent).contains(&cancelled));
    let answer = cancel(&agent, &cancelled, "no longer needed");
    assert_eq!(answer, json!({"ok": true, "task_id": cancelled, "cancelled": true}));
    let row = task(admin, &cancelled);
    assert_eq!(row["status"], "cancelled");
    assert!(text(&row["result"]).contains("no longer needed"), "{row}");

    // [6] cancelled inbox auto-acked (contract 3)
    assert!(!inbox(&agent).contains(&cancelled));

    // [7] PIN: send_reply on a terminal task: a structured error, the row unchanged (contract 2)
    let before = task(admin, &replied);
    let answer = reply(&agent, &replied, "another answer", "failed");
    assert_eq!((&answer["ok"], &answer["error"]), (&json!(false), &json!("reply_task_terminal")), "{answer}");
    assert_eq!(answer["task_status"], "replied");
    assert_eq!(task(admin, &replied), before);

    // [8] PIN: cancel_task on a terminal task: ok:false, the row unchanged (contract 2)
    let before = task(admin, &cancelled);
    let answer = cancel(&agent, &cancelled, "once more");
    assert_eq!(answer, json!({"ok": false, "task_id": cancelled, "cancelled": false}));
    assert_eq!(task(admin, &cancelled), before);

    // [9] all three terminal tasks have completed_at and the right final status, and a legal history
    for (task_id, status) in [(&replied, "replied"), (&failed, "failed"), (&cancelled, "cancelled")] {
        let row = task(admin, task_id);
        assert_eq!(row["status"], status);
        assert_legal(&row, &tenant::events(admin, task_id));
    }

    // Contract 1: three ends an agent can give, nothing else
    let open = send(admin, "still open");
    let arguments = json!({"text": "late", "in_reply_to": open, "status": "timeout"});
    let refused = rpc(&agent, "send_reply", &arguments);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert!(refused["error"].to_string().contains("status"), "{refused}");

    // Contract 4: cancel_task with a user token and no network is refused; naming the network is the admin path
    let answer = cancel(admin, &open, "by the admin");
    assert_eq!((&answer["ok"], &answer["error"]), (&json!(false), &json!("permission_denied")), "{answer}");
    assert!(text(&answer["message"]).contains("network_id"), "{answer}");
    assert_eq!(task(admin, &open)["status"], "delivered");
    let arguments = json!({"task_id": open, "reason": "by the admin", "network_id": network.network_id});
    assert_eq!(call(admin, "cancel_task", &arguments)["cancelled"], true);
    assert_eq!(task(admin, &open)["status"], "cancelled");
}
