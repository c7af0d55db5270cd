//! Packets handed in by others: the same adapter, marked as reported and by whom, never taken for what the hub saw.

use baton_core::limits;
use serde_json::{Value, json};

use super::{log, no_handoff, of_task, visible_handoff};
use crate::it::http::{Client, Response};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, refused, send, succeed};

fn packet(task: &str, kind: &str) -> Value {
    json!({
        "protocol": "a2a", "version": "0.2", "event_type": "task.requested", "timestamp": "2026-01-02T03:04:05Z",
        "agent": {"id": "elsewhere"}, "task": {"id": task, "kind": kind}, "message": {"id": "m"},
    })
}

fn hand_in(client: &Client, query: &str, media_type: &str, body: &str) -> Response {
    let path = format!("/api/evidence/packets?{query}");
    client.send_text("POST", &path, &[("content-type", media_type)], Some(body))
}

fn json_in(client: &Client, query: &str, packet: &Value) -> Response {
    hand_in(client, query, "application/json", &packet.to_string())
}

#[test]
fn a_reported_packet_is_marked_with_its_reporter_and_written_once() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let coder = network.agent("coder");
    let first = succeed(&json_in(&coder, "", &packet("t-1", "delegation")));
    assert_eq!(first["packets"], json!([{"index": 0, "known": false}]));
    let again = succeed(&json_in(&coder, "", &packet("t-1", "delegation")));
    assert_eq!((&again["recorded"], &again["known"]), (&json!(0), &json!(1)));
    assert_eq!(again["packets"], json!([{"index": 0, "known": true}]));
    let by_another = succeed(&json_in(&network.user, "", &packet("t-1", "delegation")));
    assert_eq!(
        by_another["packets"],
        json!([{"index": 1, "known": false}]),
        "another reporter, another fact"
    );
    let log = log(&network.user, &network.network_id);
    for (event, reporter) in log.iter().zip(["coder", "alice"]) {
        assert_eq!((&event["batonorigin"], &event["batonreporter"]), (&json!("reported"), &json!(reporter)));
        assert_eq!(event["data"]["handoff"], visible_handoff(), "the packet's own typed fields");
        assert_eq!(event["time"], "2026-01-02T03:04:05Z");
    }
    assert_eq!(log.len(), 2);
}

#[test]
fn a_report_about_a_task_of_the_hub_stands_beside_what_the_hub_saw_and_stays_a_report() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    network.agent("coder");
    let task_id = send(&network.user, "coder", "from a person");
    succeed(&json_in(&network.user, "", &packet(&task_id, "delegation")));
    let recorded = of_task(&network.user, &task_id);
    let origins: Vec<_> = recorded.iter().map(|event| &event["batonorigin"]).collect();
    assert_eq!(origins, ["hub", "reported"]);
    assert_eq!(recorded[0]["data"]["handoff"], no_handoff(), "what the hub saw claims no handoff");
}

#[test]
fn packets_by_the_line_are_each_taken_or_refused() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let lines = format!(
        "{}\r\n\n{{\"protocol\":\"a2a\",\"version\":\"0.2\"}}\nnot json\n{}\n",
        packet("t-1", "request"),
        packet("t-2", "request"),
    );
    let strict = succeed(&hand_in(&network.user, "", "application/x-ndjson", &lines));
    assert_eq!((&strict["recorded"], &strict["refused"]), (&json!(2), &json!(2)));
    let errors: Vec<&Value> = strict["packets"].as_array().unwrap().iter().map(|one| &one["error"]).collect();
    assert_eq!(errors[1]["message"], "missing required field: agent.id");
    assert_eq!(errors[2]["kind"], "measurement");
    let lenient = succeed(&hand_in(&network.user, "mode=lenient", "application/x-ndjson", &lines));
    assert_eq!(
        (&lenient["recorded"], &lenient["known"], &lenient["refused"]),
        (&json!(1), &json!(2), &json!(1))
    );
    assert_eq!(log(&network.user, &network.network_id)[2]["data"]["agent"]["id"], "unknown-agent");
}

#[test]
fn what_cannot_be_taken_is_refused_in_words_and_changes_nothing() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (viewer, _) = hub.register("victor");
    network.admit(&viewer, "viewer");
    let stranger = Tenant::register(&hub, "mallory").user;
    let named = format!("network_id={}", network.network_id);
    assert_eq!(json_in(&hub.client(), "", &packet("t", "x")).status, 401);
    refused(&json_in(&viewer, &named, &packet("t", "x")), 403, "permission_denied");
    refused(&json_in(&stranger, &named, &packet("t", "x")), 404, "network not found");
    refused(&json_in(&network.user, "", &json!({"protocol": "b2b"})), 400, "measurement");
    refused(&json_in(&network.user, "mode=loose", &packet("t", "x")), 400, "invalid input");
    let unversioned = json!({"protocol": "a2a", "version": "1.0"});
    refused(&json_in(&network.user, "", &unversioned), 400, "unsupported_protocol_version");
    let plain = hand_in(&network.user, "", "text/plain", "{}");
    assert_eq!(plain.status, 415);
    let huge = "x".repeat(limits::JSON_BODY_MAX_BYTES + 1);
    assert_eq!(hand_in(&network.user, "", "application/json", &huge).status, 413);
    let mut big = packet("t", "x");
    big["attributes"] = json!("y".repeat(300 << 10));
    refused(&json_in(&network.user, "", &big), 400, "measurement");
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let mut nested = packet("t", "x");
    nested["attributes"] = serde_json::from_str(&deep).unwrap();
    refused(&json_in(&network.user, "", &nested), 400, "measurement");
    let many = format!("{}\n", packet("t", "x")).repeat(1001);
    refused(&hand_in(&network.user, "", "application/x-ndjson", &many), 400, "invalid input");
    assert!(log(&network.user, &network.network_id).is_empty());
}
