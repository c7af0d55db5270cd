//! What an outsider learns from ids and cursors: how much its own network does, and nothing of others.

use serde_json::{Value, json};

use crate::it::evidence_cli::workbench::handoff;
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, refused, send, succeed, text};

fn ids(reader: &Client, path: &str, list: &str) -> Vec<i64> {
    let answer = succeed(&reader.get(path));
    answer[list].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Everything a network does, once.
fn work(tenant: &Tenant, tasks: usize) {
    (0..tasks).for_each(|_| drop(handoff(tenant)));
}

#[test]
fn events_and_completions_are_numbered_within_their_network() {
    let hub = Hub::start();
    let (busy, quiet) = (Tenant::register(&hub, "busy"), Tenant::register(&hub, "quiet"));
    work(&quiet, 1);
    work(&busy, 5);
    work(&quiet, 1);
    let alone = Hub::start();
    let same = Tenant::register(&alone, "quiet");
    work(&same, 2);
    for (path, list) in [("/api/task_events", "events"), ("/api/completions", "completions")] {
        let (seen, expected) = (ids(&quiet.user, path, list), ids(&same.user, path, list));
        assert_eq!(seen, expected, "{path}: as if there were no other network");
        assert!(seen.windows(2).all(|pair| pair[0] > pair[1]), "{path}: newest first: {seen:?}");
    }
    assert_eq!(ids(&quiet.user, "/api/completions", "completions"), [2, 1]);
    assert_eq!(ids(&busy.user, "/api/completions", "completions"), [5, 4, 3, 2, 1]);
}

#[test]
fn a_cursor_tells_nothing_and_opens_only_its_own_list_for_its_own_user() {
    let hub = Hub::start();
    let (ada, eve) = (Tenant::register(&hub, "ada"), Tenant::register(&hub, "eve"));
    for tenant in [&ada, &eve] {
        tenant.agent("bob");
        tenant.agent("carol");
        (0..3).for_each(|number| drop(send(&tenant.user, "bob", &format!("task {number}"))));
    }
    let tokens = format!("/api/networks/{}/tokens", ada.network_id);
    let next = |reader: &Client, path: &str| text(&succeed(&reader.get(path))["next_cursor"]);
    let cursor = next(&ada.user, "/api/tasks?limit=1");
    let others = next(&eve.user, "/api/tasks?limit=1");
    let of_tokens = next(&ada.user, &format!("{tokens}?limit=1"));
    // It works, and two that are next to each other look nothing like it.
    let page = succeed(&ada.user.get(&format!("/api/tasks?limit=1&cursor={cursor}")));
    assert_eq!(page["tasks"][0]["content"], "task 1");
    assert_eq!(cursor.len(), 48);
    assert!(cursor.parse::<i64>().is_err());
    let mut altered = cursor.clone();
    altered.replace_range(..1, if cursor.starts_with('A') { "B" } else { "A" });
    let bad = |reader: &Client, path: &str, cursor: &str| {
        let separator = if path.contains('?') { '&' } else { '?' };
        let body = refused(&reader.get(&format!("{path}{separator}cursor={cursor}")), 400, "invalid input");
        assert_eq!(body["details"][0]["field"], "cursor", "{cursor}: {body}");
    };
    for cursor in [&*altered, &*others, &*of_tokens, "1", "3", "-1", "9223372036854775807", "AAAA", "%00"] {
        bad(&ada.user, "/api/tasks", cursor);
    }
    bad(&ada.user, &tokens, &cursor);
    bad(&eve.user, "/api/tasks", &cursor);
}

#[test]
fn a_cursor_survives_a_restart() {
    let mut hub = Hub::start();
    let tenant = Tenant::register(&hub, "ada");
    tenant.agent("bob");
    (0..3).for_each(|number| drop(send(&tenant.user, "bob", &format!("task {number}"))));
    let cursor = text(&succeed(&tenant.user.get("/api/tasks?limit=2"))["next_cursor"]);
    hub.restart();
    let page = succeed(&tenant.user.get(&format!("/api/tasks?cursor={cursor}")));
    assert_eq!((&page["tasks"][0]["content"], &page["count"]), (&json!("task 0"), &json!(1)));
}

#[test]
fn an_a2a_page_token_is_a_cursor_too() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "ada");
    tenant.agent("bob");
    (0..3).for_each(|number| drop(send(&tenant.user, "bob", &format!("task {number}"))));
    let list = |query: &str| {
        let path = format!("/a2a/{}/bob/tasks?pageSize=1{query}", tenant.network_id);
        tenant.user.send("GET", &path, &[("a2a-version", "1.0")], None)
    };
    let first: Value = list("").json();
    let token = text(&first["nextPageToken"]);
    assert!(token.parse::<i64>().is_err(), "{token}");
    let second: Value = list(&format!("&pageToken={token}")).json();
    assert_ne!(first["tasks"][0]["id"], second["tasks"][0]["id"]);
    for token in ["1", "2", "9223372036854775807", &token[1..]] {
        let answer = list(&format!("&pageToken={token}"));
        assert_eq!(answer.status, 400, "{token}: {}", answer.text());
    }
}
