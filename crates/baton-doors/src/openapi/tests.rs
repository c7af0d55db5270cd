//! The description against what is served, and the pages made of it against the ones in docs/.

use axum::body::Body;
use axum::http::{HeaderValue, Method, StatusCode};
use baton_core::Status;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tower::ServiceExt;

use super::bounds::{self, Bound};
use super::{errors, json, page};
use crate::fixture::{TestHub, hold_page, request};

fn described() -> Value {
    serde_json::from_str(json()).unwrap()
}

fn methods(api: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let paths = api["paths"].as_object().unwrap().iter();
    paths.map(|(path, item)| (path.clone(), item.as_object().unwrap().keys().cloned().collect())).collect()
}

#[tokio::test]
async fn a_described_path_takes_the_described_methods_and_no_other() {
    let hub = TestHub::start();
    let router = crate::server::router(hub.hub.clone());
    for (path, methods) in methods(&described()) {
        for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
            let uri = path.replace(['{', '}'], "x");
            let mut request = request(method.as_str(), &uri, "none", Body::empty());
            request.headers_mut().insert("host", HeaderValue::from_static("localhost"));
            let status = router.clone().oneshot(request).await.unwrap().status();
            // Only signing in and up ask for a sign of the hub's own page; any other 403 is the gate's, and shows nothing.
            let asks_for_page = ["/api/session", "/api/session/register"].contains(&&*path);
            assert!(status != StatusCode::FORBIDDEN || asks_for_page, "{method} {path}");
            let is_described = methods.contains(&method.as_str().to_lowercase());
            // The doors of MCP and A2A ask who calls before they look at the method.
            let asks_first = path == "/mcp" || path.starts_with("/a2a/");
            if is_described || !asks_first {
                let is_taken = status != StatusCode::METHOD_NOT_ALLOWED;
                assert_eq!(is_taken, is_described, "{method} {path}: {status}");
            }
        }
    }
}

#[test]
fn what_the_gate_may_answer_and_the_headers_that_are_taken_are_described() {
    let api = described();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let answers = &operation["responses"];
            assert!(answers["413"].is_object(), "{method} {path}");
            for status in ["429", "503"] {
                let header = answers[status]["headers"]["retry-after"]["$ref"].as_str();
                assert_eq!(header, Some("#/components/headers/retry-after"), "{method} {path} {status}");
            }
        }
    }
    assert_eq!(api["components"]["headers"]["retry-after"]["schema"]["type"], "integer");
    let headers = |path: &str, method: &str| -> Vec<(String, bool)> {
        let parameters = api["paths"][path][method]["parameters"].as_array().unwrap().iter();
        let headers = parameters.filter(|one| one["in"] == "header" && one["name"] != "A2A-Version");
        let named = |one: &Value| (one["name"].as_str().unwrap().to_lowercase(), one["required"] == true);
        headers.map(named).collect()
    };
    let optional = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), false)).collect::<Vec<_>>();
    let agent = "/a2a/{network_id}/{alias}";
    for path in ["/api/session", "/api/session/register"] {
        assert_eq!(headers(path, "post"), [("baton-page".to_owned(), true)], "{path}");
    }
    assert_eq!(headers("/api/task", "post"), optional(&["traceparent"]));
    assert_eq!(headers("/mcp", "post"), optional(&["traceparent"]));
    assert_eq!(headers("/events/{name}", "get"), optional(&["last-event-id"]));
    assert_eq!(headers("/events/network/{network_id}", "get"), optional(&["last-event-id"]));
    assert_eq!(headers(agent, "post"), optional(&["idempotency-key", "traceparent", "last-event-id"]));
    let sends = headers(&format!("{agent}/message:send"), "post");
    assert_eq!(sends, optional(&["idempotency-key", "traceparent"]));
    assert_eq!(headers(&format!("{agent}/tasks/{{id}}:subscribe"), "get"), optional(&["last-event-id"]));
}

#[test]
fn who_is_asked_for_which_key_is_described() {
    let api = described();
    assert_eq!(api["paths"]["/metrics"]["get"]["security"], serde_json::json!([{"bearer": []}]));
    for path in ["", "/", "/.well-known/agent-card.json"] {
        let card = &api["paths"][format!("/a2a/{{network_id}}/{{alias}}{path}")]["get"];
        assert!(card["responses"]["401"].is_object(), "{path:?}");
    }
    let session = api["components"]["securitySchemes"]["session"]["description"].as_str().unwrap();
    assert!(session.contains("baton-page") && session.contains("baton-PORT"), "{session}");
}

#[test]
fn every_name_of_an_operation_is_its_own() {
    let api = described();
    let operations =
        api["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let names: Vec<_> = operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    let unique: BTreeSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len(), "{names:?}");
}

#[test]
fn every_reference_leads_to_a_schema() {
    let api = described();
    let schemas = api["components"]["schemas"].as_object().unwrap();
    for name in json().split("#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(schemas.contains_key(name), "{name}");
    }
}

#[test]
fn every_bound_is_on_the_field_that_it_is_for() {
    let api = described();
    let holds = |place: &str, schema: &Value, bound: Bound| {
        let (name, most) = match bound {
            Bound::Value(_, most) => ("maximum", most),
            Bound::Length(_, most) => ("maxLength", most),
            Bound::Items(_, most) => ("maxItems", most),
        };
        assert_eq!(schema[name], most, "{place}: {schema}");
    };
    for (schema, field, bound) in bounds::FIELDS {
        let described = &api["components"]["schemas"][schema]["properties"][field];
        holds(&format!("{schema}.{field}"), described, *bound);
    }
    let operations =
        || api["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    for (operation, name, bound) in bounds::PARAMETERS {
        let described = operations().find(|one| one["operationId"] == **operation).unwrap();
        let mut parameters = described["parameters"].as_array().unwrap().iter();
        let schema = &parameters.find(|one| one["name"] == **name).unwrap()["schema"];
        holds(&format!("{operation} {name}"), schema, *bound);
    }
}

#[test]
fn whatever_shows_how_tasks_ended_shows_every_end() {
    let api = described();
    for schema in ["WorkEnds", "Minute"] {
        let shown = &api["components"]["schemas"][schema]["properties"];
        for end in Status::terminal() {
            assert!(shown[end.as_str()].is_object(), "{schema} has no {end}: {shown}");
        }
    }
}

#[test]
fn the_page_of_a2a_has_every_status() {
    let page = include_str!("../../../../docs/a2a.md");
    let statuses = page.lines().find(|line| line.starts_with("| hub |")).unwrap();
    for status in Status::ALL {
        assert!(statuses.contains(status.as_str()), "docs/a2a.md has no {status}: {statuses}");
    }
}

/// The variants of an enum as its source has them, so that a table of them cannot lack one.
fn variants(source: &str, name: &str) -> Vec<String> {
    let body = source.split(&format!("pub enum {name} {{")).nth(1).unwrap().split("\n}").next().unwrap();
    let lines = body.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "));
    let words = lines.map(|line| line.trim().split([' ', ',', '{']).next().unwrap_or_default());
    words.filter(|word| word.starts_with(char::is_uppercase)).map(str::to_owned).collect()
}

#[test]
fn every_kind_of_packet_error_and_a2a_fault_has_its_row() {
    let page = errors::page();
    let adapter = include_str!("../../../baton-adapter/src/error.rs");
    assert_eq!(errors::packet_kinds(), variants(adapter, "ErrorKind"));
    for (reason, ..) in crate::a2a::errors() {
        assert!(page.contains(reason), "{reason}");
    }
}

/// No door says a code that no table has: a code in a text of the source is one that the types do not know.
#[test]
fn no_error_body_is_made_of_a_text() {
    for source in [
        include_str!("../rest/arguments.rs"),
        include_str!("../rest/error.rs"),
        include_str!("../rest/evidence.rs"),
        include_str!("../server/gate.rs"),
        include_str!("../server/arrival.rs"),
        include_str!("../web/cookie.rs"),
        include_str!("../mcp.rs"),
    ] {
        assert!(!source.contains("ErrorBody::said(\"") && !source.contains("error: \""));
    }
}

#[test]
fn the_page_of_the_api_is_what_the_code_says() {
    hold_page("api.md", &page::page(&described()));
}

#[test]
fn the_page_of_errors_is_what_the_code_says() {
    hold_page("errors.md", &errors::page());
}
