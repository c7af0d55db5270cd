//! Any bytes before the verifier: as a bundle, and, so that it gets past the container and the hashes, as the
//! tar, the events, the manifest or one event's data inside a bundle that is otherwise right.

#![no_main]

use baton_evidence::bundle::{BundleWriter, Checked, VerifyError, verify, verify_each};
use baton_evidence::canonical::Writer;
use baton_evidence::digest::{Digest, RunRoot};
use baton_evidence::event_line::EventLine;
use flate2::{Compression, write::GzEncoder};
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use std::io::{Cursor, Write};

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return;
    }
    check(&gzip(bytes));
    check(&bundle(&manifest(bytes), bytes));
    let event = event("{\"n\":0}");
    check(&bundle(bytes, format!("{event}\n").as_bytes()));
    if let Ok(data) = std::str::from_utf8(bytes) {
        pack(data);
    }
});

/// Verifies; only a rule may refuse, and what it says is one line without anything a terminal would obey.
fn check(bundle: &[u8]) -> Option<Checked> {
    match verify(bundle) {
        Ok(checked) => Some(checked),
        Err(VerifyError::Refused(refusal)) => {
            assert!(!refusal.to_string().chars().any(char::is_control), "{refusal:?}");
            None
        }
        Err(VerifyError::Unreadable(error)) => panic!("a slice can always be read: {error}"),
    }
}

/// An event that reads is packed, and what is packed verifies with the same hash and data.
fn pack(data: &str) {
    let line = event(data);
    let (mut reading, mut again) = (Writer::new(), Writer::new());
    let Ok(event) = EventLine::read(&mut reading, &line) else { return };
    let mut writer = BundleWriter::new(Cursor::new(Vec::new()), None).expect("no run id is given");
    if writer.add(&event).is_err() {
        return; // longer than a line may be
    }
    let (packed, bytes) = writer.finish(Vec::new()).expect("one event was added");
    let checked = verify_each(&*bytes, |shown| {
        assert_eq!(shown.compute_content_hash(), event.compute_content_hash());
        assert_eq!(shown.data(), event.data());
    });
    assert_eq!(checked.expect("what is packed verifies").run_root, packed.run_root);
    // Canonical form is a fixed point.
    let mut canonical = Writer::new();
    event.write(&mut canonical);
    let text = std::str::from_utf8(canonical.bytes()).expect("canonical JSON is UTF-8");
    let reread = EventLine::read(&mut again, text).expect("canonical JSON reads again");
    let mut twice = Writer::new();
    reread.write(&mut twice);
    assert_eq!(twice.bytes(), canonical.bytes());
}

/// One event of run `run` with this text as its data; without a hash if it does not read.
fn event(data: &str) -> String {
    let line = |hash: &str| {
        format!(
            r#"{{"specversion":"1.0","type":"t","source":"urn:x","id":"run:0","time":"2026-03-04T05:06:07Z","datacontenttype":"application/json","assayrunid":"run","assayseq":0,"assayproducer":"f","assayproducerversion":"1","assaygit":"g","assaypii":false,"assaysecrets":false{hash},"data":{data}}}"#
        )
    };
    let bare = line("");
    match EventLine::read(&mut Writer::new(), &bare) {
        Ok(event) => line(&format!(r#","assaycontenthash":"{}""#, event.compute_content_hash())),
        Err(_) => bare,
    }
}

/// A manifest in step with these events, as far as they can be read.
fn manifest(events: &[u8]) -> Vec<u8> {
    let (mut root, mut count) = (RunRoot::default(), 0);
    for line in events.split(|byte| *byte == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        if let Ok(event) = EventLine::read(&mut Writer::new(), line) {
            root.add(&event.compute_content_hash());
            count += 1;
        }
    }
    let root = root.finish().to_string();
    let manifest = json!({
        "schema_version": 1, "bundle_id": root, "producer": {"name": "f", "version": "1"}, "run_id": "run",
        "event_count": count, "run_root": root, "algorithms": {"canon": "c", "hash": "h", "root": "r"},
        "files": {"events.ndjson": {
            "path": "events.ndjson", "sha256": Digest::of(events).to_string(), "bytes": events.len(),
        }},
    });
    manifest.to_string().into_bytes()
}

fn bundle(manifest: &[u8], events: &[u8]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in [("manifest.json", manifest), ("events.ndjson", events)] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, name, bytes).expect("a vector takes all");
    }
    gzip(&tar.into_inner().expect("a vector takes all"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
    gzip.write_all(bytes).expect("a vector takes all");
    gzip.finish().expect("a vector takes all")
}
