//! OTLP's JSON encoding of spans (opentelemetry-proto, trace/v1): ids as hex, 64-bit numbers as text, enums as numbers.
//!
//! `opentelemetry-otlp` 0.33 would replace this file and the retries. It indents its JSON (1,060 bytes for a span that has 346
//! here) and brings 17 crates, among them older `rand`, `getrandom` and `base64`, and 0.5 MB of code.

use baton_core::hex;
use serde::Serialize;

use super::span::{Span, Value};

/// `ExportTraceServiceRequest`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'s> {
    resource_spans: [ResourceSpans<'s>; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'s> {
    resource: Resource<'s>,
    scope_spans: [ScopeSpans<'s>; 1],
}

#[derive(Debug, Serialize)]
struct Resource<'s> {
    attributes: Vec<Attribute<'s>>,
}

#[derive(Debug, Serialize)]
struct ScopeSpans<'s> {
    scope: Scope,
    spans: Vec<SpanJson<'s>>,
}

#[derive(Debug, Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SpanJson<'s> {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    name: &'s str,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute<'s>>,
    status: Status,
}

/// 0 is unset, 2 an error; what else there is judges.
#[derive(Debug, Serialize)]
struct Status {
    code: u8,
}

#[derive(Debug, Serialize)]
struct Attribute<'s> {
    key: &'s str,
    value: AnyValue<'s>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum AnyValue<'s> {
    StringValue(&'s str),
    IntValue(String),
}

/// The body of one export.
pub fn request(spans: &[Span], service_name: &str) -> Result<Vec<u8>, serde_json::Error> {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [("service.name", service_name), ("service.version", version)];
    let resource = resource.map(|(key, text)| Attribute { key, value: AnyValue::StringValue(text) });
    let scope = Scope { name: "baton", version };
    let scope_spans = [ScopeSpans { scope, spans: spans.iter().map(span).collect() }];
    let resource = Resource { attributes: resource.into() };
    serde_json::to_vec(&Request { resource_spans: [ResourceSpans { resource, scope_spans }] })
}

fn span(span: &Span) -> SpanJson<'_> {
    SpanJson {
        trace_id: hex::encode(&span.trace_id),
        span_id: hex::encode(&span.span_id),
        parent_span_id: span.parent.map(|parent| hex::encode(&parent)),
        name: &span.name,
        kind: span.kind as u8,
        start_time_unix_nano: span.start.to_string(),
        end_time_unix_nano: span.end.to_string(),
        attributes: span.attributes.iter().map(|(key, value)| attribute(key, value)).collect(),
        status: Status { code: if span.has_failed { 2 } else { 0 } },
    }
}

fn attribute<'s>(key: &'s str, value: &'s Value) -> Attribute<'s> {
    let value = match value {
        Value::Text(text) => AnyValue::StringValue(text),
        Value::Number(number) => AnyValue::IntValue(number.to_string()),
    };
    Attribute { key, value }
}

#[cfg(test)]
mod tests {
    use super::super::span::Kind;
    use super::*;
    use serde_json::json;

    #[test]
    fn a_span_is_written_as_otlp_says() {
        let span = Span {
            trace_id: [0xab; 16],
            span_id: [1; 8],
            parent: Some([2; 8]),
            name: "GET /health".into(),
            kind: Kind::Server,
            start: 1_700_000_000_000_000_001,
            end: 1_700_000_000_000_000_009,
            attributes: vec![("a.text", Value::Text("x".into())), ("a.number", Value::Number(200))],
            has_failed: true,
        };
        let written: serde_json::Value = serde_json::from_slice(&request(&[span], "baton").unwrap()).unwrap();
        let spans = &written["resourceSpans"][0]["scopeSpans"][0]["spans"];
        let expected = json!([{
            "traceId": "abababababababababababababababab", "spanId": "0101010101010101",
            "parentSpanId": "0202020202020202", "name": "GET /health", "kind": 2,
            "startTimeUnixNano": "1700000000000000001", "endTimeUnixNano": "1700000000000000009",
            "attributes": [
                {"key": "a.text", "value": {"stringValue": "x"}}, {"key": "a.number", "value": {"intValue": "200"}}
            ],
            "status": {"code": 2},
        }]);
        assert_eq!(*spans, expected);
    }
}
