//! Exports: both files, whole or not at all, of the same events also while the log grows.

use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::workbench::{Workbench, events, handoff, key};
use crate::it::hub::Hub;
use crate::it::program::names;
use crate::it::tenant::{Tenant, send};

#[test]
fn a_networks_export_agrees_with_its_side_file_and_the_key() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    handoff(&tenant);
    let count = events(&tenant).len();

    let wrote = workbench.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(0);
    assert!(wrote.stdout.contains(&format!("index 0 to {}\n", count - 1)), "{wrote:?}");
    assert!(wrote.stdout.ends_with("check them, offline: baton evidence verify all.tar.gz\n"), "{wrote:?}");
    assert_eq!(names(workbench.home()), ["all.tar.gz", "all.tar.gz.proof.json"]);

    drop(hub); // offline from here on
    let key = fs::read(workbench.path("all.tar.gz.proof.json")).unwrap();
    let key = serde_json::from_slice::<serde_json::Value>(&key).unwrap()["key"].as_str().unwrap().to_owned();
    let checked = workbench.baton(["evidence", "verify", "all.tar.gz", "--key", &key, "--json"]).exited(0);
    let found = &checked.lines()[0];
    assert_eq!(found["not_checked"], json!([]), "{found}");
    assert_eq!(found["events"], count);
    assert_eq!(found["log"]["observed_by_hub"]["handoffs_visible"], 1, "{found}");
}

#[test]
fn a_tasks_export_holds_its_events_only() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    let task = handoff(&tenant);
    send(&tenant.user, "bob", "something else");
    let about = |event: &&serde_json::Value| event["data"]["task"]["id"] == task.as_str();
    let count = events(&tenant).iter().filter(about).count();
    assert!(count >= 3);

    let args = ["evidence", "export", "--task", &task, "-o", "task.tar.gz", "--json"];
    let wrote = &workbench.baton(args).exited(0).lines()[0];
    assert_eq!((&wrote["ok"], &wrote["task_id"]), (&json!(true), &json!(task)));
    assert_eq!(wrote["files"][0]["side_file"], "task.tar.gz.proof.json");
    let found = &workbench
        .baton(["evidence", "verify", "task.tar.gz", "--key", &key(&tenant), "--json"])
        .exited(0)
        .lines()[0];
    assert_eq!(found["events"], count);
    assert_eq!(found["not_checked"], json!(["completeness"]), "{found}");

    // An agent may export what is about its own tasks, and nothing else.
    let bob = Workbench::of(&hub, &tenant).with_token(tenant.agent("bob").token.as_deref().unwrap());
    bob.baton(args).exited(0);
    let refused = bob.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(6);
    assert!(refused.stderr.contains("permission_denied") && refused.stderr.contains("--task"), "{refused:?}");
    assert!(!bob.path("all.tar.gz").exists());
}

#[test]
fn a_range_is_what_was_asked_for() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    handoff(&tenant);
    workbench.baton(["evidence", "export", "--from", "1", "--to", "3", "-o", "part"]).exited(0);
    let found = &workbench.baton(["evidence", "verify", "part", "--json"]).exited(0).lines()[0];
    assert_eq!(
        (&found["log"]["first_index"], &found["log"]["last_index"]),
        (&json!(1), &json!(2)),
        "{found}"
    );
    let refused = workbench.baton(["evidence", "export", "--to", "1000", "-o", "more"]).exited(6);
    assert!(refused.stderr.contains("to"), "{refused:?}");
    let refused = workbench.baton(["evidence", "export", "--from", "1000", "-o", "more"]).exited(6);
    assert!(refused.stderr.contains("no_evidence"), "{refused:?}");
    assert!(!workbench.path("more").exists());
}

#[test]
fn both_files_cover_the_same_events_while_tasks_are_being_sent() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    tenant.agent("bob");
    send(&tenant.user, "bob", "the first");
    let is_done = AtomicBool::new(false);
    let sizes: Vec<u64> = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                send(&tenant.user, "bob", "one more");
            }
        });
        let export = |number: usize| {
            let file = format!("{number}.tar.gz");
            workbench.baton(["evidence", "export", "-o", &file]).exited(0);
            let found = &workbench
                .baton(["evidence", "verify", &file, "--key", &key(&tenant), "--json"])
                .exited(0)
                .lines()[0];
            found["events"].as_u64().unwrap()
        };
        let sizes = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (0..4).map(export).collect()));
        is_done.store(true, Ordering::Relaxed); // also if an export failed, or the sender never ends
        sizes.unwrap()
    });
    assert!(sizes.is_sorted() && sizes.first() < sizes.last(), "the log did not grow: {sizes:?}");
}

#[test]
fn an_export_that_fails_leaves_what_was_there() {
    let mut hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    fs::write(workbench.path("old.tar.gz"), "old").unwrap();

    let again = ["evidence", "export", "--force", "-o", "old.tar.gz"];
    let refused = workbench.baton(again).exited(6);
    assert!(refused.stderr.contains("no_evidence"), "{refused:?}");
    workbench.baton(["evidence", "export", "-o", "-"]).exited(2);
    let unwritten = workbench.baton(["evidence", "export", "-o", "no/such/folder.tar.gz"]);
    assert_ne!(unwritten.code, Some(0));
    hub.stop();
    workbench.baton(again).exited(5);
    assert_eq!(names(workbench.home()), ["old.tar.gz"]);
    assert_eq!(fs::read(workbench.path("old.tar.gz")).unwrap(), b"old");
}

#[test]
fn an_export_replaces_no_file_unless_it_is_told_to() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    handoff(&tenant);
    // The bundle, its side file, and a link that leads nowhere: each is somebody's.
    for there in ["all.tar.gz", "all.tar.gz.proof.json"] {
        fs::write(workbench.path(there), "old").unwrap();
        let refused = workbench.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(2);
        assert!(refused.stderr.contains(&format!("{there} already exists")), "{refused:?}");
        assert!(refused.stderr.contains("--force"), "{refused:?}");
        assert_eq!(names(workbench.home()), [there]);
        assert_eq!(fs::read(workbench.path(there)).unwrap(), b"old");
        fs::remove_file(workbench.path(there)).unwrap();
    }
    std::os::unix::fs::symlink("nowhere", workbench.path("all.tar.gz")).unwrap();
    workbench.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(2);
    fs::remove_file(workbench.path("all.tar.gz")).unwrap();

    workbench.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(0);
    send(&tenant.user, "bob", "one more");
    workbench.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(2);
    workbench.baton(["evidence", "export", "--force", "-o", "all.tar.gz"]).exited(0);
    let found = &workbench.baton(["evidence", "verify", "all.tar.gz", "--json"]).exited(0).lines()[0];
    assert_eq!(found["events"], events(&tenant).len(), "both files are new: {found}");
}

#[test]
fn a_further_part_replaces_no_file_either() {
    let size = r#"{"ok":true,"events":[],"size":5}"#;
    let answers = |from: u64, to: u64| {
        let stretch = format!("baton-log-from: {from}\r\nbaton-log-to: {to}\r\n");
        [answer(3, &stretch, "abc"), answer(3, &stretch, "def")]
    };
    let all = [vec![answer(size.len(), "", size)], answers(0, 3).into(), answers(3, 5).into()].concat();
    let workbench_of = |answers: Vec<String>| {
        Workbench::new(scripted(answers), "utok_00112233445566778899aabbccddeeff", "net_000000000000")
    };
    for there in ["all.2.tar.gz", "all.2.tar.gz.proof.json"] {
        let workbench = workbench_of(all.clone());
        fs::write(workbench.path(there), "old").unwrap();
        let refused = workbench.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(2);
        assert!(refused.stderr.contains(&format!("{there} already exists")), "{refused:?}");
        assert_eq!(names(workbench.home()), [there], "the first part has no name either");
    }
    let workbench = workbench_of(all);
    fs::write(workbench.path("all.2.tar.gz"), "old").unwrap();
    workbench.baton(["evidence", "export", "--force", "-o", "all.tar.gz"]).exited(0);
    assert_eq!(fs::read(workbench.path("all.2.tar.gz")).unwrap(), b"abc");
    assert_eq!(names(workbench.home()).len(), 4);
}

/// A hub that answers each connection with the next of these and hangs up.
fn scripted(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for answer in answers {
            let (mut socket, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                socket.read_exact(&mut byte).unwrap();
                request.push(byte[0]);
            }
            socket.write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

fn answer(length: usize, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
}

#[test]
fn an_export_that_breaks_off_or_covers_two_stretches_leaves_nothing() {
    let size = r#"{"ok":true,"events":[],"size":5}"#;
    let size = answer(size.len(), "", size);
    let stretch = |to: u64| format!("baton-log-from: 0\r\nbaton-log-to: {to}\r\n");
    let bundle = answer(3, &stretch(5), "abc");
    for (answers, words) in [
        (vec![size.clone(), answer(99, &stretch(5), "abc")], "cannot be reached"),
        (vec![size.clone(), bundle.clone(), answer(99, &stretch(5), "abc")], "cannot be reached"),
        (vec![size.clone(), bundle, answer(3, &stretch(6), "abc")], "covers other events"),
        (vec![size, answer(3, "", "abc")], "does not say which events"),
    ] {
        let workbench =
            Workbench::new(scripted(answers), "utok_00112233445566778899aabbccddeeff", "net_000000000000");
        let ran = workbench.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(5);
        assert!(ran.stderr.contains(words), "{ran:?}");
        assert_eq!(names(workbench.home()), [""; 0]);
    }
}
