//! W3C `traceparent`: from whoever sends, with the task, to whoever works on it.

use serde_json::{Value, json};

use crate::it::hub::{Hub, baton};
use crate::it::tenant::{Tenant, claim, send, text};
use crate::it::work::worker::{Worker, ended, tenant_with};

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const OTHER: &str = "00-11111111111111111111111111111111-2222222222222222-00";

/// Posts a send with these headers; what the next claim says of its trace.
fn sent_with(tenant: &Tenant, headers: &[(&str, &str)]) -> Value {
    let (lead, coder) = (tenant.agent("lead"), tenant.agent("coder"));
    let body = json!({"alias": "coder", "task": "x"});
    let answer = lead.send("POST", "/api/task", headers, Some(&body));
    assert!(matches!(answer.status, 200 | 202), "{}", answer.text());
    let claimed = claim(&coder, 0, 60);
    assert!(claimed["task"].is_object());
    claimed.get("traceparent").cloned().unwrap_or(Value::Null)
}

#[test]
fn a_rest_senders_trace_is_given_to_the_worker_and_what_is_none_is_ignored() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    assert_eq!(sent_with(&tenant, &[("traceparent", TRACE)]), json!(TRACE));
    assert_eq!(sent_with(&tenant, &[("traceparent", &format!("01{}-more", &TRACE[2..]))]), json!(TRACE));
    for none in ["", "00", &TRACE.to_uppercase(), &TRACE.replace("b7ad6b7169203331", "0000000000000000")] {
        assert_eq!(sent_with(&tenant, &[("traceparent", none)]), Value::Null, "{none}");
    }
    assert_eq!(sent_with(&tenant, &[]), Value::Null);
}

#[test]
fn a_tools_trace_comes_from_its_meta_or_else_from_the_header() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let (lead, coder) = (tenant.agent("lead"), tenant.agent("coder"));
    let arguments = json!({"alias": "coder", "task": "x"});
    let call = |meta: &Value, header: &str| {
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2025-03-26"),
            ("traceparent", header),
        ];
        let params = json!({"name": "send_task", "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        assert_eq!(lead.send("POST", "/mcp", &headers, Some(&body)).status, 200);
        crate::it::tool::call(&coder, "claim_task", &json!({}))["traceparent"].clone()
    };
    assert_eq!(call(&json!({"traceparent": TRACE}), OTHER), json!(TRACE));
    assert_eq!(call(&json!({}), OTHER), json!(OTHER));
    assert_eq!(call(&json!({"traceparent": "no trace"}), OTHER), json!(OTHER));
}

#[test]
fn an_a2a_senders_trace_is_given_to_the_worker() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let (lead, coder) = (tenant.agent("lead"), tenant.agent("coder"));
    let message = json!({"role": "ROLE_USER", "messageId": "m1", "parts": [{"text": "x"}]});
    let body = json!({"message": message, "configuration": {"returnImmediately": true}});
    let path = format!("/a2a/{}/coder/message:send", tenant.network_id);
    let answer = lead.send("POST", &path, &[("a2a-version", "1.0"), ("traceparent", TRACE)], Some(&body));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(claim(&coder, 0, 60)["traceparent"], json!(TRACE));
}

#[test]
fn a_retried_task_stays_in_its_trace() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    assert_eq!(sent_with(&tenant, &[("traceparent", TRACE)]), json!(TRACE));
    let tasks = tenant.user.get("/api/tasks").json();
    let task = text(&tasks["tasks"][0]["task_id"]);
    let cancelled = tenant.user.post(&format!("/api/tasks/{task}/cancel"), &json!({}));
    assert_eq!(cancelled.status, 200, "{}", cancelled.text());
    assert_eq!(tenant.user.post(&format!("/api/tasks/{task}/retry"), &json!({})).status, 200);
    assert_eq!(claim(&tenant.agent("coder"), 0, 60)["traceparent"], json!(TRACE));
}

#[test]
fn a_trace_goes_from_baton_send_through_baton_work_into_the_command() {
    let hub = Hub::start();
    let (tenant, agent) = tenant_with(&hub, "teller");
    let _worker = Worker::start_command(&agent, "teller", &[], &["sh", "-c", "echo \"[$TRACEPARENT]\""]);
    let sent = |trace: Option<&str>| {
        let mut send = baton();
        send.args(["send", "teller", "x", "--network", &tenant.network_id]);
        send.env("BATON_HUB", hub.url()).env("BATON_TOKEN", tenant.user.token.as_deref().unwrap());
        send.env_remove("TRACEPARENT").envs(trace.map(|trace| ("TRACEPARENT", trace)));
        let output = send.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let task = String::from_utf8(output.stdout).unwrap();
        text(&ended(&tenant.user, task.trim())["result"])
    };
    assert_eq!(sent(Some(TRACE)), format!("[{TRACE}]"));
    assert_eq!(sent(Some("no trace")), "[]");
    assert_eq!(sent(None), "[]");
    // Sent otherwise, too.
    let plain = send(&tenant.user, "teller", "x");
    assert_eq!(ended(&tenant.user, &plain)["result"], json!("[]"));
}
