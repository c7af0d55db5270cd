//! Readers of exports that take nothing: other networks export meanwhile, and so does their own.

use baton_core::limits;
use serde_json::json;
use std::io::Read;
use std::net::TcpStream;

use super::slow_readers::ask_and_stall;
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, refused, send, succeed};

/// As many as one account may have open, and as many as may wait to be.
const READERS: usize = limits::EXPORTS_OPEN_PER_ACCOUNT_MAX_COUNT;
const SIDE_FILE: &str = "/api/evidence/side-file";

/// Hands in packets of so many mebibytes in all, so that a side file is more than the system keeps of an answer.
fn report(network: &Tenant, mebibytes: usize) {
    for round in 0..mebibytes {
        let packets: String = (0..4)
            .map(|n| {
                let packet = json!({
                    "protocol": "a2a", "version": "0.2", "event_type": "task.requested",
                    "timestamp": "2026-01-02T03:04:05Z", "agent": {"id": "elsewhere"},
                    "task": {"id": format!("t-{round}-{n}"), "kind": "request"}, "message": {"id": "m"},
                    "padding": "x".repeat(250_000),
                });
                format!("{packet}\n")
            })
            .collect();
        let headers = [("content-type", "application/x-ndjson")];
        let path = "/api/evidence/packets?mode=lenient";
        succeed(&network.user.send_text("POST", path, &headers, Some(&packets)));
    }
}

/// The figure of exports in a state.
fn exports(admin: &Client, state: &str) -> usize {
    let page = admin.get("/metrics").text();
    let line =
        page.lines().find_map(|line| line.strip_prefix(&format!("baton_exports{{state=\"{state}\"}} ")));
    line.expect("the figure is there").parse().unwrap()
}

#[test]
fn stalled_readers_of_side_files_do_not_keep_others_from_exporting() {
    let hub = Hub::start();
    let (mallory, alice) = (Tenant::register(&hub, "mallory"), Tenant::register(&hub, "alice"));
    alice.agent("coder");
    send(&alice.user, "coder", "a task");
    // More than a hub that reads ahead of its readers would keep for one of them.
    report(&mallory, 80);
    let ask = || ask_and_stall(&mallory.user, SIDE_FILE);
    let mut readers: Vec<TcpStream> = (0..READERS).map(|_| ask()).collect();
    // As many as the hub works on at once have begun.
    for reader in &mut readers[..limits::EXPORTS_AT_ONCE] {
        reader.read_exact(&mut [0; 12]).unwrap();
    }
    readers.extend((0..READERS).map(|_| ask()));
    for _ in 0..2 {
        let bundle = alice.user.get("/api/evidence/bundle");
        assert_eq!(bundle.status, 200, "{}", bundle.text());
        assert_eq!(alice.user.get(SIDE_FILE).status, 200);
    }
    drop(readers);
    assert_eq!(mallory.user.get("/api/evidence/bundle").status, 200);
}

#[test]
fn an_account_with_as_many_exports_as_it_may_is_told_so_in_words_about_exports() {
    let hub = Hub::start();
    let (admin, mallory, alice) =
        (hub.admin(), Tenant::register(&hub, "mallory"), Tenant::register(&hub, "alice"));
    report(&mallory, 4);
    let ask = || ask_and_stall(&mallory.user, SIDE_FILE);
    let mut readers: Vec<TcpStream> = (0..READERS).map(|_| ask()).collect();
    while exports(&admin, "open") < READERS {}
    readers.extend((0..READERS).map(|_| ask()));
    while exports(&admin, "waiting") < READERS {}
    let answer = mallory.user.get("/api/evidence/bundle");
    let body = refused(&answer, 429, "too_many_exports");
    assert!(body["message"].as_str().unwrap().contains("evidence exports"), "{body}");
    assert_eq!(answer.header("retry-after"), Some("5"));
    // What is refused there is refused to nobody else.
    alice.agent("coder");
    send(&alice.user, "coder", "a task");
    let bundle = alice.user.get("/api/evidence/bundle");
    assert_eq!(bundle.status, 200);
    assert_eq!(bundle.header("content-length"), Some(&*bundle.body.len().to_string()));
    drop(readers);
}
