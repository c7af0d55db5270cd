//! `--otlp-endpoint`: spans arrive at a collector on loopback, in OTLP's JSON, as part of the sender's trace; a collector
//! that is away harms nobody.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use super::page::Page;
use crate::it::hub::{ADMIN, Hub, PASSWORD, baton};
use crate::it::tenant::{Tenant, act, claim, text};
use crate::it::work::worker::{PATIENCE, eventually};

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const UNRECORDED: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

/// A collector that answers with these statuses in turn, the last one forever.
struct Collector {
    url: String,
    spans: Receiver<Value>,
}

impl Collector {
    fn start(statuses: &'static [u16]) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", socket.local_addr().unwrap());
        let (tell, spans) = channel();
        std::thread::spawn(move || {
            let mut statuses = statuses.iter().copied();
            let mut status = 200;
            for stream in socket.incoming() {
                status = statuses.next().unwrap_or(status);
                let mut stream = BufReader::new(stream.unwrap());
                let (mut head, mut length) = (String::new(), 0);
                while !head.ends_with("\r\n\r\n") {
                    let begin = head.len();
                    if stream.read_line(&mut head).unwrap() == 0 {
                        break;
                    }
                    if let Some(value) = head[begin..].to_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                }
                assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
                assert!(head.to_lowercase().contains("content-type: application/json"), "{head}");
                let mut body = vec![0; length];
                stream.read_exact(&mut body).unwrap();
                let answer =
                    format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}");
                stream.get_mut().write_all(answer.as_bytes()).unwrap();
                if status != 200 {
                    continue;
                }
                let body: Value = serde_json::from_slice(&body).unwrap();
                let resource = &body["resourceSpans"][0];
                let service = json!({"key": "service.name", "value": {"stringValue": "baton"}});
                assert_eq!(resource["resource"]["attributes"][0], service);
                for span in resource["scopeSpans"][0]["spans"].as_array().unwrap() {
                    let _ = tell.send(span.clone()); // the test may have seen enough
                }
            }
        });
        Self { url, spans }
    }

    /// Waits for a span of this name.
    fn span(&self, name: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let span = self.spans.recv_timeout(left).unwrap_or_else(|_| panic!("no span {name}"));
            if span["name"] == json!(name) {
                return span;
            }
        }
    }
}

fn hub_with(collector: &str) -> Hub {
    Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--otlp-endpoint", collector])
}

fn attribute(span: &Value, key: &str) -> Value {
    let attributes = span["attributes"].as_array().unwrap();
    attributes.iter().find(|one| one["key"] == json!(key)).map_or(Value::Null, |one| one["value"].clone())
}

#[test]
fn requests_and_tasks_are_spans_of_their_senders_trace() {
    let collector = Collector::start(&[200]);
    let hub = hub_with(&collector.url);
    let tenant = Tenant::of_admin(&hub);
    let (lead, coder) = (tenant.agent("zebra-lead"), tenant.agent("zebra-coder"));
    let body = json!({"alias": "zebra-coder", "task": "zebra-text", "kind": "question"});
    let headers = [("traceparent", TRACE), ("x-request-id", "mine")];
    let sent = lead.send("POST", "/api/task", &headers, Some(&body)).json();
    let claimed = claim(&coder, 0, 60);
    let reply = json!({"text": "zebra-result", "lease_id": claimed["lease_id"]});
    assert_eq!(act(&coder, &text(&sent["task_id"]), "reply", &reply).status, 200);

    let request = collector.span("POST /api/task");
    assert_eq!(request["traceId"], json!("0af7651916cd43dd8448eb211c80319c"));
    assert_eq!(request["parentSpanId"], json!("b7ad6b7169203331"));
    assert_eq!(request["kind"], json!(2));
    assert_eq!(attribute(&request, "http.route"), json!({"stringValue": "/api/task"}));
    assert_eq!(attribute(&request, "baton.request.id"), json!({"stringValue": "mine"}));
    assert_eq!(attribute(&request, "http.response.status_code")["intValue"].as_str().map(str::len), Some(3));
    let task = collector.span("task");
    assert_eq!(task["traceId"], request["traceId"]);
    assert_eq!(task["parentSpanId"], request["parentSpanId"]);
    assert_eq!(attribute(&task, "baton.task.id"), json!({"stringValue": sent["task_id"]}));
    assert_eq!(attribute(&task, "baton.task.status"), json!({"stringValue": "replied"}));
    let nanos = |span: &Value, key: &str| text(&span[key]).parse::<u128>().unwrap();
    for span in [&request, &task] {
        assert!(nanos(span, "startTimeUnixNano") <= nanos(span, "endTimeUnixNano"));
        assert!(!span.to_string().contains("zebra"), "{span}");
    }
}

#[test]
fn what_belongs_to_no_trace_begins_one_and_what_is_not_recorded_is_left_out() {
    let collector = Collector::start(&[200]);
    let mut hub = hub_with(&collector.url);
    hub.client().send("GET", "/health", &[("traceparent", UNRECORDED)], None);
    hub.client().get("/ready");
    let root = collector.span("GET /ready");
    assert_eq!(root["parentSpanId"], Value::Null);
    assert_eq!(text(&root["traceId"]).len(), 32);
    assert!(hub.stop().success());
    let rest: Vec<Value> = collector.spans.try_iter().collect();
    assert!(rest.iter().all(|span| span["name"] != json!("GET /health")), "{rest:?}");
}

#[test]
fn a_method_that_is_not_known_is_repeated_in_no_span_and_no_line_of_the_log() {
    let collector = Collector::start(&[200]);
    let options =
        ["--username", ADMIN, "--password", PASSWORD, "--log", "json", "--otlp-endpoint", &collector.url];
    let mut hub = Hub::start_with_env(&options, &[("BATON_LOG", "debug")]);
    hub.client().send("ZEBRA", "/health", &[], None);
    let span = collector.span("_OTHER /health");
    assert_eq!(attribute(&span, "http.request.method"), json!({"stringValue": "_OTHER"}));
    assert!(!span.to_string().contains("ZEBRA"), "{span}");
    assert!(hub.stop().success());
    let log = hub.log();
    assert!(log.contains(r#""method":"_OTHER""#) && !log.contains("ZEBRA"), "{log}");
}

#[test]
fn a_collector_that_is_busy_is_tried_again() {
    let collector = Collector::start(&[503, 200]);
    let hub = hub_with(&collector.url);
    hub.client().get("/health");
    collector.span("GET /health");
    let exported = r#"baton_otlp_spans_total{outcome="exported"}"#;
    eventually("it is counted", || {
        (Page::read(&hub.admin().get("/metrics")).value(exported) >= 1.0).then_some(())
    });
}

#[test]
fn a_collector_that_is_away_or_refuses_harms_nobody_and_is_counted() {
    let away = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refusing = Collector::start(&[400]);
    for (url, why) in [(format!("http://{away}"), "Connection refused"), (refusing.url, "answered 400")] {
        let mut hub = hub_with(&url);
        (0..50).for_each(|_| assert_eq!(hub.client().get("/health").status, 200));
        let failed = r#"baton_otlp_spans_total{outcome="failed"}"#;
        eventually("the failure is counted", || {
            (Page::read(&hub.admin().get("/metrics")).value(failed) >= 1.0).then_some(())
        });
        assert!(hub.stop().success());
        assert!(hub.log().contains(why), "{}", hub.log());
    }
}

#[test]
fn the_last_spans_leave_before_the_hub_does() {
    let collector = Collector::start(&[200]);
    let mut hub = hub_with(&collector.url);
    hub.client().get("/openapi.json");
    assert!(hub.stop().success());
    collector.span("GET /openapi.json");
}

#[test]
fn a_collector_that_could_never_be_called_refuses_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    let mut command = baton();
    command.args(["hub", "start", "--port", "0", "--otlp-endpoint", "https://localhost:4318", "--data-dir"]);
    command.arg(folder.path().join("data")).env("SSL_CERT_FILE", &nowhere).env("SSL_CERT_DIR", &nowhere);
    let said = command.output().unwrap();
    let error = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(2), "{error}");
    assert!(error.contains("spans cannot be sent") && error.contains("No CA certificates"), "{error}");
}
