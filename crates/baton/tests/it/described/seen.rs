//! Answers held against the description: the status, the media type and, made strict, the schema.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

use crate::it::corpus::record::Record;
use crate::it::http::{Client, Response};
use crate::it::hub::Hub;

/// Their answers differ from build to build or with the machine; evidence has golden files of its own, and how much of
/// it is sealed differs too.
const UNLIKE: [&str; 6] = [
    "GET /health",
    "GET /ready",
    "GET /openapi.json",
    "GET /metrics",
    "GET /api/overview",
    "GET /api/evidence",
];

/// The description, and which of its operations have been seen to succeed.
pub(super) struct Seen {
    api: Value,
    succeeded: BTreeSet<String>,
    pub(super) record: Record,
}

impl Seen {
    pub(super) fn of(hub: &Hub) -> Self {
        let mut api = hub.client().get("/openapi.json").json();
        assert_eq!(api["openapi"], "3.1.0");
        let open = parts_of_others(&api);
        for (name, schema) in api["components"]["schemas"].as_object_mut().unwrap() {
            if !open.contains(name) {
                make_strict(schema);
            }
        }
        Self { api, succeeded: BTreeSet::new(), record: Record::default() }
    }

    /// Every operation, as `METHOD /path`.
    pub(super) fn operations(&self) -> BTreeSet<String> {
        let paths = self.api["paths"].as_object().unwrap().iter();
        let named = |(path, item): (&String, &Value)| -> Vec<String> {
            let methods = item.as_object().unwrap().keys();
            methods.map(|method| format!("{} {path}", method.to_uppercase())).collect()
        };
        paths.flat_map(named).collect()
    }

    pub(super) fn succeeded(&self) -> &BTreeSet<String> {
        &self.succeeded
    }

    /// Calls `METHOD /path?query` with the names of the path filled in; the answer must be a success and fit.
    pub(super) fn call(
        &mut self,
        client: &Client,
        operation: &str,
        names: &[&str],
        body: Option<&Value>,
    ) -> Value {
        self.call_with(client, operation, names, &[], body)
    }

    pub(super) fn call_with(
        &mut self,
        client: &Client,
        operation: &str,
        names: &[&str],
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Value {
        let (method, uri) = operation.split_once(' ').unwrap();
        let path = filled(uri, names);
        let answer = client.send(method, &path, headers, body);
        if !UNLIKE.iter().any(|unlike| operation.starts_with(unlike)) {
            self.record.note(&format!("{method} {path}"), body.map(Value::to_string).as_deref(), &answer);
        }
        assert!((200..300).contains(&answer.status), "{operation}: {} {}", answer.status, answer.text());
        self.check(operation, &answer)
    }

    /// Whether an answer is one that is described.
    pub(super) fn check(&mut self, operation: &str, answer: &Response) -> Value {
        let (method, uri) = operation.split_once(' ').unwrap();
        let path = uri.split('?').next().unwrap();
        let described = &self.api["paths"][path][method.to_lowercase()];
        let described = &described["responses"][answer.status.to_string()];
        assert!(described.is_object(), "{operation}: {} is not described", answer.status);
        let form = answer.header("content-type").unwrap_or_default().split(';').next().unwrap().to_owned();
        let content = &described["content"][&form];
        assert!(content.is_object() || answer.body.is_empty(), "{operation}: {form} is not described");
        if (200..300).contains(&answer.status) {
            self.succeeded.insert(format!("{method} {path}"));
        }
        if form != "application/json" {
            return Value::Null;
        }
        let body = answer.json();
        let mut schema = content["schema"].as_object().unwrap().clone();
        schema.insert("components".into(), self.api["components"].clone());
        let validator = jsonschema::validator_for(&Value::Object(schema)).unwrap();
        let broken: Vec<_> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
        assert!(broken.is_empty(), "{operation}: {broken:?} in {body}");
        body
    }
}

fn filled(uri: &str, names: &[&str]) -> String {
    let mut names = names.iter();
    let mut filled = String::new();
    for (at, piece) in uri.split('{').enumerate() {
        let rest = if at == 0 { piece } else { piece.split_once('}').unwrap().1 };
        if at > 0 {
            filled.push_str(names.next().expect("a name for each of the path's"));
        }
        filled.push_str(rest);
    }
    filled
}

/// Schemas that others are made of: they are not alone where they stand, so they stay open.
fn parts_of_others(api: &Value) -> BTreeSet<String> {
    let schemas = api["components"]["schemas"].as_object().unwrap().values();
    let parts = schemas.filter_map(|schema| schema["allOf"].as_array()).flatten();
    let names = parts.filter_map(|part| part["$ref"].as_str()?.rsplit('/').next());
    names.map(str::to_owned).collect()
}

/// A field that is not described is then a failure.
fn make_strict(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    let is_object = object.contains_key("properties") || object.contains_key("allOf");
    for key in ["oneOf", "anyOf"] {
        for part in object.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            make_strict(part);
        }
    }
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(make_strict);
    }
    if is_object && !is_theirs(object) {
        object.insert("unevaluatedProperties".into(), json!(false));
    }
}

/// The A2A protocol's own messages, of which the description says the least.
fn is_theirs(schema: &Map<String, Value>) -> bool {
    let has = |name: &str| schema.get("properties").and_then(|fields| fields.get(name)).is_some();
    has("jsonrpc") || (has("code") && has("message"))
}
