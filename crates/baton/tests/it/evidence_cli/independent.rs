//! Our exports before another verifier: `tests/evidence_verifier.py`, written from docs/evidence-format.md alone. What
//! we write it accepts with the same counts and root; of what was damaged, both refuse the same.

use baton_evidence::bundle::BundleWriter;
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use super::workbench::{Workbench, handoff, key, seal};
use crate::it::hub::Hub;
use crate::it::program::{Ran, run};
use crate::it::tenant::{Tenant, act, send, succeed};

/// An export, and what it can be checked with.
struct Exported {
    bundle: Vec<u8>,
    side_file: Value,
    key: String,
    workbench: Workbench,
}

impl Exported {
    fn of_a_small_network() -> Self {
        let hub = Hub::start();
        let tenant = Tenant::register(&hub, "ada");
        for _ in 0..3 {
            handoff(&tenant);
        }
        let cancelled = send(&tenant.user, "bob", "never mind");
        succeed(&act(&tenant.user, &cancelled, "cancel", &json!({"reason": "é😀"})));
        let odd = json!({
            "protocol": "a2a", "version": "0.2", "event_type": "task.requested", "agent": {"id": "é\u{1}\""},
            "task": {"id": "t", "kind": "delegation"}, "attributes": {"f": 1.5, "b": 9007199254740992_u64, "€": [1e21, -0.0, 5e-324]},
        });
        succeed(&tenant.user.post("/api/evidence/packets", &odd));
        seal(&tenant);
        let workbench = Workbench::of(&hub, &tenant);
        workbench.baton(["evidence", "export", "-o", "x.tar.gz"]).exited(0);
        let side_file = fs::read_to_string(workbench.path("x.tar.gz.proof.json")).unwrap();
        Self {
            bundle: fs::read(workbench.path("x.tar.gz")).unwrap(),
            side_file: serde_json::from_str(&side_file).unwrap(),
            key: key(&tenant),
            workbench,
        }
    }

    fn events(&self) -> Vec<Value> {
        let mut events = Vec::new();
        let mut archive = tar::Archive::new(GzDecoder::new(&*self.bundle));
        for member in archive.entries().unwrap() {
            let mut member = member.unwrap();
            if member.path().unwrap() == Path::new("events.ndjson") {
                let mut text = String::new();
                member.read_to_string(&mut text).unwrap();
                events = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            }
        }
        events
    }

    /// Both verifiers on a bundle and a side file.
    fn check(&self, bundle: &[u8], side_file: &[u8], key: &str) -> (Ran, Ran) {
        let (file, proof) = (self.workbench.path("y.tar.gz"), self.workbench.path("y.tar.gz.proof.json"));
        fs::write(&file, bundle).unwrap();
        fs::write(&proof, side_file).unwrap();
        let ours = self.workbench.baton(["evidence", "verify", "y.tar.gz", "--json", "--key", key]);
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/evidence_verifier.py");
        let theirs = run(Command::new("python3").arg(script).arg(&file).args(["--key", key]), |_| Ok(()));
        (ours, theirs)
    }
}

/// A bundle of these events, whole in itself: only the log can tell that they were changed.
fn packed(events: &[Value]) -> Vec<u8> {
    let run_id = events[0]["assayrunid"].as_str().unwrap().to_owned();
    let mut bundle = BundleWriter::new(tempfile::tempfile().unwrap(), Some(run_id)).unwrap();
    for event in events {
        let mut event = event.clone();
        event.as_object_mut().unwrap().remove("assaycontenthash");
        let line = serde_json::to_string(&event).unwrap();
        bundle.add(&EventLine::read(&mut Writer::new(), &line).unwrap()).unwrap();
    }
    bundle.finish(Vec::new()).unwrap().1
}

/// A side file in its own order of members.
fn written(side_file: &Value) -> Vec<u8> {
    let entry = |entry: &Value| {
        let (index, proof, packet) = (&entry["index"], &entry["proof"], &entry["packet"]);
        format!(r#"{{"index":{index},"proof":{proof},"packet":{packet}}}"#)
    };
    let entries: Vec<String> = side_file["events"].as_array().unwrap().iter().map(entry).collect();
    let (checkpoint, key) = (&side_file["checkpoint"], &side_file["key"]);
    format!(r#"{{"checkpoint":{checkpoint},"key":{key},"events":[{}]}}"#, entries.join(",")).into_bytes()
}

#[test]
fn an_export_is_accepted_by_both_with_the_same_counts_and_root() {
    let export = Exported::of_a_small_network();
    let (ours, theirs) = export.check(&export.bundle, &written(&export.side_file), &export.key);
    let (ours, theirs) = (&ours.exited(0).lines()[0], &theirs.exited(0).lines()[0]);
    let log = &ours["log"];
    let expected = json!({
        "ok": true, "events": ours["events"], "hub": log["observed_by_hub"]["events"],
        "reported": log["reported"]["events"], "size": log["size"], "root": log["root"],
    });
    assert_eq!(*theirs, expected);
    assert_eq!(log["reported"]["events"], 1);
}

#[test]
fn what_was_done_to_an_export_is_refused_by_both() {
    let export = Exported::of_a_small_network();
    let events = export.events();
    let good_side = written(&export.side_file);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut side_file = export.side_file.clone();
        change(&mut side_file);
        written(&side_file)
    };
    let without = |at: usize| {
        let mut events = events.clone();
        events.remove(at);
        packed(&events)
    };
    let changed = |pointer: &str, value: Value| {
        let mut events = events.clone();
        *events[2].pointer_mut(pointer).unwrap() = value;
        packed(&events)
    };
    let mut swapped = events.clone();
    swapped.swap(1, 2);
    let mut replayed = events.clone();
    replayed.push(events[0].clone());
    let mut flipped = export.bundle.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    let bundle = &export.bundle;
    let note = export.side_file["checkpoint"].as_str().unwrap().to_owned();
    let cases: Vec<(&str, Vec<u8>, Vec<u8>)> = vec![
        ("a changed byte", flipped, good_side.clone()),
        ("a cut bundle", bundle[..bundle.len() - 9].to_vec(), good_side.clone()),
        ("another actor", changed("/data/agent/id", "mallory".into()), good_side.clone()),
        ("another status", changed("/data/task/status", "failed".into()), good_side.clone()),
        ("a claimed handoff", changed("/data/handoff/visible", true.into()), good_side.clone()),
        ("another time", changed("/time", "2026-01-01T00:00:00Z".into()), good_side.clone()),
        ("another origin", changed("/batonorigin", "reported".into()), good_side.clone()),
        ("a dropped event", without(3), good_side.clone()),
        ("events in another order", packed(&swapped), good_side.clone()),
        ("an event replayed", packed(&replayed), good_side.clone()),
        ("a cut side file", bundle.clone(), good_side[..good_side.len() - 40].to_vec()),
        (
            "an entry dropped",
            bundle.clone(),
            with(&|side| drop(side["events"].as_array_mut().unwrap().pop())),
        ),
        ("entries swapped", bundle.clone(), with(&|side| side["events"].as_array_mut().unwrap().swap(0, 1))),
        (
            "a foreign hash in a proof",
            bundle.clone(),
            with(&|side| side["events"][0]["proof"][0] = side["events"][1]["proof"][0].clone()),
        ),
        ("another index", bundle.clone(), with(&|side| side["events"][4]["index"] = json!(5))),
        (
            "another size",
            bundle.clone(),
            with(&|side| {
                side["checkpoint"] = note.replacen(&format!("\n{}\n", events.len()), "\n7\n", 1).into();
            }),
        ),
        (
            "another network",
            bundle.clone(),
            with(&|side| side["checkpoint"] = note.replacen("net_", "net-", 1).into()),
        ),
        (
            "no signature",
            bundle.clone(),
            with(&|side| side["checkpoint"] = note.split("\n\n").next().unwrap().into()),
        ),
    ];
    for (what, bundle, side_file) in cases {
        let (ours, theirs) = export.check(&bundle, &side_file, &export.key);
        assert_eq!((ours.code, theirs.code), (Some(2), Some(2)), "{what}: {ours:?} {theirs:?}");
        assert_eq!(theirs.lines()[0]["ok"], false, "{what}: {theirs:?}");
    }
    let another = "baton+1271e75d+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs";
    let (ours, theirs) = export.check(&export.bundle, &good_side, another);
    assert_eq!((ours.code, theirs.code), (Some(2), Some(2)), "another key: {ours:?} {theirs:?}");
}
