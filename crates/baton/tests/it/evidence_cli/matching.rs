//! `baton evidence match`: a file is held against the salted digests in the evidence of its task, with a hub and without.

use serde_json::{Value, json};
use std::path::PathBuf;

use super::workbench::{Workbench, seal};
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, send_with, succeed, task, text};

fn upload(client: &Client, network: &str, name: &str, bytes: &str) -> Value {
    let path = format!("/api/artifacts?network_id={network}&name={name}&media_type=text/plain");
    let answer = client.send_text("PUT", &path, &[("content-type", "text/plain")], Some(bytes));
    succeed(&answer)["artifact"]["sha256"].clone()
}

/// A task with files in everything that can have one.
struct Story {
    id: String,
    folder: tempfile::TempDir,
}

impl Story {
    fn tell(tenant: &Tenant) -> Self {
        let worker = tenant.agent("worker");
        let network = &tenant.network_id;
        let sent = upload(&tenant.user, network, "in.txt", "what came in");
        let body = json!({"alias": "worker", "task": "the text", "artifacts": [{"sha256": sent}]});
        let id = send_with(&tenant.user, &body);
        let lease = claim(&worker, 5, 60)["lease_id"].clone();
        let said = upload(&tenant.user, network, "said.txt", "what was written");
        let more = json!({"text": "and this", "artifacts": [{"sha256": said}]});
        succeed(&act(&tenant.user, &id, "answer", &more));
        let shared = json!({"lease_id": lease, "artifact_id": "a", "parts": [{"text": "what was shared"}]});
        succeed(&act(&worker, &id, "artifacts", &shared));
        let brought = upload(&worker, network, "out.txt", "what came out");
        let reply = json!({"text": "the result", "lease_id": lease, "artifacts": [{"sha256": brought}]});
        succeed(&act(&worker, &id, "reply", &reply));
        Self { id, folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, words: &str) -> PathBuf {
        let path = self.folder.path().join("file");
        std::fs::write(&path, words).unwrap();
        path
    }
}

#[test]
fn every_text_part_and_artifact_of_a_task_is_recorded_and_a_changed_byte_is_named() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    let story = Story::tell(&tenant);
    let recorded = [
        ("the text", "the content of event 1"),
        ("what came in", "part 1, text/plain, of event 1"),
        ("what was written", "part 1, text/plain, of event 2"),
        ("what was shared", "part 1, text/plain, of event 3"),
        ("what came out", "part 1, text/plain, of event 4"),
        ("the result", "the result of event 4"),
    ];
    for (words, place) in recorded {
        let file = story.file(words).display().to_string();
        let ran = workbench.baton(["evidence", "match", &file, "--task", &story.id]).exited(0);
        assert!(ran.stdout.contains(&format!("recorded: {place}")), "{words}: {}", ran.stdout);
    }
    let file = story.file("what came Out").display().to_string();
    let ran = workbench.baton(["evidence", "match", &file, "--task", &story.id]).exited(1);
    assert!(ran.stdout.contains("not recorded"), "{}", ran.stdout);
    assert!(ran.stdout.contains("part 1, text/plain, of event 4"), "{}", ran.stdout);
    assert!(ran.stdout.contains("some byte differs"), "{}", ran.stdout);
    let file = story.file("nothing like it at all").display().to_string();
    let said =
        &workbench.baton(["evidence", "match", &file, "--task", &story.id, "--json"]).exited(1).lines()[0];
    assert_eq!((&said["ok"], &said["recorded"], &said["same_size"]), (&json!(false), &json!([]), &json!([])));
}

#[test]
fn a_bundle_and_the_salt_are_enough_and_neither_a_name_nor_a_byte_is_in_it() {
    let mut hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    let story = Story::tell(&tenant);
    let salt = text(&task(&tenant.user, &story.id)["evidence_salt"]);
    seal(&tenant);
    let bundle = story.folder.path().join("evidence.tar.gz").display().to_string();
    workbench.baton(["evidence", "export", "-o", &bundle]).exited(0);
    let events = workbench.baton(["evidence", "show", &bundle, "--json"]).exited(0).stdout;
    for secret in ["in.txt", "out.txt", "what came", "what was", "the result"] {
        assert!(!events.contains(secret), "{secret}");
    }
    hub.stop();
    let file = story.file("what came out").display().to_string();
    let offline = |salt: &str| {
        workbench
            .baton(["evidence", "match", &file, "--task", &story.id, "--bundle", &bundle, "--salt", salt])
    };
    assert!(offline(&salt).exited(0).stdout.contains("recorded: part 1, text/plain, of event 4"));
    offline(&"0".repeat(32)).exited(1);
    offline("short").exited(2);
}
