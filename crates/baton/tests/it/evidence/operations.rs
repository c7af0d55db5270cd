//! Every operation and the event it leaves: its type, the status, who acted, the handoff object of the freeze's table.

use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{log, no_handoff, of_task, visible_handoff};
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, events, report, send, send_with, succeed, task, text};
use crate::it::tool::call;

/// What one operation is expected to leave.
struct Left<'a> {
    kind: &'a str,
    status: &'a str,
    actor: &'a str,
    handoff: Value,
}

fn requested(actor: &str, handoff: Value) -> Left<'_> {
    Left { kind: "task.requested", status: "delivered", actor, handoff }
}

fn updated<'a>(status: &'a str, actor: &'a str) -> Left<'a> {
    Left { kind: "task.updated", status, actor, handoff: no_handoff() }
}

/// A task's events of evidence are exactly these, and agree with its history one to one.
fn assert_left(reader: &Client, task_id: &str, expected: &[Left<'_>]) {
    let row = task(reader, task_id);
    let recorded = of_task(reader, task_id);
    let history = events(reader, task_id);
    let of_changes: Vec<&Value> =
        recorded.iter().filter(|event| event["type"] != "assay.adapter.a2a.artifact.shared").collect();
    assert_eq!(of_changes.len(), expected.len(), "{recorded:#?}");
    assert_eq!(history.len(), expected.len(), "{history:#?}");
    for (((event, expected), row_of_history), number) in
        of_changes.iter().zip(expected).zip(&history).zip(1..)
    {
        let data = &event["data"];
        assert_eq!(event["type"], format!("assay.adapter.a2a.{}", expected.kind), "{event:#}");
        assert_eq!(data["task"]["status"], expected.status, "{event:#}");
        assert_eq!(data["agent"]["id"], expected.actor, "{event:#}");
        assert_eq!(data["handoff"], expected.handoff, "{event:#}");
        assert_eq!(data["task"]["id"], task_id);
        assert_eq!(data["task"]["kind"], row["kind"]);
        assert_eq!(event["subject"], task_id);
        assert_eq!(event["batonorigin"], "hub");
        assert_eq!(event.get("batonreporter"), None);
        assert_eq!(data["attributes"]["baton"]["event"], number);
        assert_eq!(data["attributes"]["baton"]["from"], row["from_name"]);
        assert_eq!(row_of_history["actor"], expected.actor);
        assert_eq!(row_of_history["to_status"], expected.status);
        assert_eq!(data["unmapped_fields_count"], 0);
    }
}

fn hmac(salt: &Value, text: &str) -> Value {
    let salt = salt.as_str().unwrap();
    let key: Vec<u8> =
        (0..salt.len()).step_by(2).map(|at| u8::from_str_radix(&salt[at..at + 2], 16).unwrap()).collect();
    assert_eq!(key.len(), 16);
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(text.as_bytes());
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    json!({"hmac_sha256": hex, "size_bytes": text.len()})
}

#[test]
fn a_delegation_from_one_node_to_another_is_a_visible_handoff_and_nothing_after_it_is() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, coder) = (network.agent("planner"), network.agent("coder"));
    let task_id = send(&planner, "coder", "SECRET-CONTENT");
    let claimed = claim(&coder, 0, 60);
    let body = json!({"text": "SECRET-RESULT", "lease_id": claimed["lease_id"]});
    succeed(&act(&coder, &task_id, "reply", &body));
    let expected =
        [requested("planner", visible_handoff()), updated("running", "coder"), updated("replied", "coder")];
    assert_left(&network.user, &task_id, &expected);

    let recorded = of_task(&network.user, &task_id);
    let salt = &task(&network.user, &task_id)["evidence_salt"];
    assert_eq!(recorded[0]["data"]["message"]["id"], *task_id, "a task's first delivery has the task's id");
    assert_eq!(recorded[0]["data"]["attributes"]["baton"]["content"], hmac(salt, "SECRET-CONTENT"));
    assert_eq!(recorded[2]["data"]["attributes"]["baton"]["result"], hmac(salt, "SECRET-RESULT"));
    let inbox = succeed(&planner.get("/api/inbox"));
    assert_eq!(recorded[2]["data"]["message"]["id"], inbox["messages"][0]["id"], "the reply's delivery");
    let all = Value::from(log(&network.user, &network.network_id)).to_string();
    assert!(!all.contains("SECRET"), "texts stay out of the log");
}

#[test]
fn tasks_from_people_to_themselves_or_of_another_kind_claim_no_handoff() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, _coder) = (network.agent("planner"), network.agent("coder"));
    let by_user = send(&network.user, "coder", "from a person");
    assert_left(&network.user, &by_user, &[requested("alice", no_handoff())]);
    let to_self = send(&planner, "planner", "a note");
    assert_left(&network.user, &to_self, &[requested("planner", no_handoff())]);
    for kind in ["request", "delegation.review", "delegation-", "a2a"] {
        let task_id = send_with(&planner, &json!({"alias": "coder", "task": "x", "kind": kind}));
        assert_left(&network.user, &task_id, &[requested("planner", no_handoff())]);
    }
    let spelled_out = send_with(&planner, &json!({"alias": "coder", "task": "x", "kind": "delegation"}));
    assert_left(&network.user, &spelled_out, &[requested("planner", visible_handoff())]);
}

#[test]
fn acks_starts_cancels_retries_and_reassignments_are_updates_by_who_did_them() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, coder, _reviewer) =
        (network.agent("planner"), network.agent("coder"), network.agent("reviewer"));
    let task_id = send(&planner, "coder", "x");
    succeed(&act(&coder, &task_id, "ack", &json!({})));
    report(&coder, "coder", "idle");
    let working = json!({"resume_id": "coder", "alias": "coder", "status": "working", "task": task_id});
    call(&coder, "report_status", &working);
    succeed(&act(&planner, &task_id, "reassign", &json!({"new_alias": "reviewer"})));
    succeed(&act(&network.user, &task_id, "cancel", &json!({"reason": "SECRET-REASON"})));
    let retried = succeed(&act(&network.user, &task_id, "retry", &json!({})));
    let expected = [
        requested("planner", visible_handoff()),
        updated("acked", "coder"),
        updated("running", "coder"),
        updated("delivered", "planner"),
        updated("cancelled", "alice"),
    ];
    assert_left(&network.user, &task_id, &expected);
    let recorded = of_task(&network.user, &task_id);
    let to = |at: usize| &recorded[at]["data"]["attributes"]["baton"]["to"];
    assert_eq!((to(2), to(3)), (&json!("coder"), &json!("reviewer")), "the assignee after the change");
    let salt = &task(&network.user, &task_id)["evidence_salt"];
    assert_eq!(recorded[4]["data"]["attributes"]["baton"]["reason"], hmac(salt, "SECRET-REASON"));

    // The new task is the planner's, asked for again by a user: the one who acted is named.
    let again = text(&retried["task_id"]);
    assert_left(&network.user, &again, &[requested("alice", visible_handoff())]);
    assert_eq!(of_task(&network.user, &again)[0]["data"]["attributes"]["baton"]["from"], "planner");
    assert!(!Value::from(log(&network.user, &network.network_id)).to_string().contains("SECRET"));
}

#[test]
fn a_completion_leaves_its_artifacts_beside_it_without_their_names() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, coder) = (network.agent("planner"), network.agent("coder"));
    let task_id = send(&planner, "coder", "x");
    report(&coder, "coder", "idle");
    let artifacts = json!([{"name": "SECRET-NAME.txt", "url": "SECRET-URL"}, "SECRET-TEXT"]);
    let completion =
        json!({"alias": "coder", "task": task_id, "result": "SECRET-RESULT", "artifacts": artifacts});
    assert_eq!(call(&coder, "report_completion", &completion)["ok"], true);
    assert_left(
        &network.user,
        &task_id,
        &[requested("planner", visible_handoff()), updated("replied", "coder")],
    );
    let recorded = of_task(&network.user, &task_id);
    let shared: Vec<&Value> =
        recorded.iter().filter(|event| event["type"] == "assay.adapter.a2a.artifact.shared").collect();
    assert_eq!(shared.len(), 2);
    let salt = &task(&network.user, &task_id)["evidence_salt"];
    for ((event, number), canonical) in
        shared.iter().zip(1..).zip([r#"{"name":"SECRET-NAME.txt","url":"SECRET-URL"}"#, r#""SECRET-TEXT""#])
    {
        let data = &event["data"];
        assert_eq!(event["subject"], format!("{task_id}:{number}"));
        assert_eq!(data["artifact"], json!({"id": format!("{task_id}:{number}")}));
        assert_eq!(data["agent"]["id"], "coder");
        assert_eq!(data["handoff"], no_handoff());
        assert_eq!(data["attributes"]["baton"]["event"], 2);
        assert_eq!(data["attributes"]["baton"]["artifact"], hmac(salt, canonical));
    }
    assert!(!Value::from(log(&network.user, &network.network_id)).to_string().contains("SECRET"));
}

#[test]
fn lapses_and_expiries_are_the_hubs_own() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, coder) = (network.agent("planner"), network.agent("coder"));
    let mut heard = planner.stream("/events/planner", None).unwrap();
    let lapsing = send(&planner, "coder", "x");
    claim(&coder, 0, 5);
    let expiring = send_with(&planner, &json!({"alias": "coder", "task": "soon", "ttl_seconds": 1}));
    assert_eq!(heard.next_of("new_reply").unwrap().data["in_reply_to"], *expiring);
    assert_left(
        &network.user,
        &expiring,
        &[requested("planner", visible_handoff()), updated("expired", "hub")],
    );
    // Taken again as soon as the lease has lapsed.
    assert_eq!(claim(&coder, 20, 60)["task"]["task_id"], *lapsing);
    let expected = [
        requested("planner", visible_handoff()),
        updated("running", "coder"),
        updated("delivered", "hub"),
        updated("running", "coder"),
    ];
    assert_left(&network.user, &lapsing, &expected);
}

#[test]
fn a_first_report_and_changed_skills_leave_capabilities_and_nothing_else_does() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let coder = network.agent("coder");
    let say = |more: Value| {
        let mut report = json!({"resume_id": "coder", "alias": "coder", "status": "idle"});
        report.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(call(&coder, "report_status", &report)["ok"], true);
    };
    say(json!({"model": "SECRET-MODEL"}));
    say(json!({"status": "idle", "output": "SECRET-OUTPUT"}));
    say(json!({"skills": [{"id": "review", "name": "SECRET-NAME"}, {"id": "code"}]}));
    say(json!({"skills": [{"id": "code", "description": "SECRET"}, {"id": "review"}]}));
    say(json!({"skills": []}));
    let log = log(&network.user, &network.network_id);
    let said: Vec<&Value> = log.iter().map(|event| &event["data"]["agent"]["capabilities"]).collect();
    assert_eq!(said, [&json!([]), &json!(["code", "review"]), &json!([])]);
    for event in &log {
        assert_eq!(event["type"], "assay.adapter.a2a.agent.capabilities");
        assert_eq!((&event["subject"], &event["data"]["handoff"]), (&json!("coder"), &no_handoff()));
    }
    assert!(!Value::from(log).to_string().contains("SECRET"));
}

#[test]
fn a_refused_operation_leaves_nothing() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, coder) = (network.agent("planner"), network.agent("coder"));
    let task_id = send(&planner, "coder", "x");
    succeed(&act(&network.user, &task_id, "cancel", &json!({})));
    let before = log(&network.user, &network.network_id);
    for (client, action, body) in [
        (&coder, "reply", json!({"text": "late"})),
        (&network.user, "cancel", json!({})),
        (&planner, "reassign", json!({"new_alias": "planner"})),
        (&coder, "ack", json!({})),
    ] {
        act(client, &task_id, action, &body);
    }
    planner.post("/api/task", &json!({"alias": "nobody", "task": "x"}));
    assert_eq!(log(&network.user, &network.network_id), before);
}
