//! Every REST operation as callers get it wrong: no token, a stranger, no body, a body of something else, a field too
//! many.

use serde_json::{Value, json};

use super::record::Record;
use crate::it::hub::Hub;
use crate::it::tenant::Tenant;

/// They have no end, or say what changes with every build.
const LEFT_OUT: [&str; 3] = ["GET /openapi.json", "GET /metrics", "GET /health"];
const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

#[test]
fn wrong_calls_are_answered_as_recorded() {
    let hub = Hub::start();
    let admin = Tenant::of_admin(&hub);
    let stranger = Tenant::register(&hub, "stranger");
    let agent = admin.agent("helper");
    let mut record = Record::default();
    for (method, path) in operations(&hub.client().get("/openapi.json").json()) {
        let path = filled(&path, &admin.network_id);
        let request = (&*method, &*path);
        let ends_a_session = path.ends_with("logout") || path == "/api/session" || path.ends_with("password");
        record.send(&hub.client(), request, &[], None);
        if path.contains("/auth/login") || path.contains("/auth/register") || ends_a_session {
            continue;
        }
        record.send(&stranger.user, request, &[], (method != "GET").then(|| json!({})).as_ref());
        if method == "GET" || method == "DELETE" {
            continue;
        }
        for client in [&admin.user, &agent] {
            record.send(client, request, &[], Some(&json!({"no_such_field": 1})));
            record.send_text(client, request, &[], Some("{"));
            record.send(client, request, &[("content-type", "text/plain")], Some(&json!({})));
        }
    }
    record.hold("refusals.txt");
}

fn operations(api: &Value) -> Vec<(String, String)> {
    let paths = api["paths"].as_object().unwrap().iter();
    let of_path = |(path, item): (&String, &Value)| -> Vec<(String, String)> {
        let methods = item.as_object().unwrap().keys().map(|method| method.to_uppercase());
        methods.map(|method| (method, path.clone())).collect()
    };
    let all = paths.flat_map(of_path);
    all.filter(|(method, path)| {
        !LEFT_OUT.contains(&&*format!("{method} {path}")) && !path.contains("/artifacts")
    })
    .collect()
}

/// The path with the admin's network, an agent that exists, and ids that belong to nobody.
fn filled(path: &str, network: &str) -> String {
    let path = path.replace("{network}", network).replace("{network_id}", network);
    let path = path.replace("{alias}", "helper").replace("{name}", "helper").replace("{worker_id}", "w");
    let mut filled = String::new();
    for (at, piece) in path.split('{').enumerate() {
        let rest = if at == 0 { piece } else { piece.split_once('}').unwrap().1 };
        filled.push_str(if at == 0 { "" } else { NOBODY });
        filled.push_str(rest);
    }
    filled
}
