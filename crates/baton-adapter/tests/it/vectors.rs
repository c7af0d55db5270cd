//! The shared test vectors, observed on an independent implementation of the same freeze.

use baton_adapter::{Converted, DigestOnly, Input, Mode, Options, convert};
use serde_json::Value;
use std::path::Path;

use super::packets::digest_of;

const COPY: &str = include_str!("../fixtures/adapter-vectors.ndjson");

/// The shared file where it is there, the project's copy of it otherwise.
pub(super) fn vectors() -> Vec<Value> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adapter-vectors.ndjson");
    let text = std::fs::read_to_string(shared).unwrap_or_else(|_| COPY.to_owned());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_vector_holds() {
    let vectors = vectors();
    assert!(vectors.len() >= 72, "only {} vectors", vectors.len());
    for vector in &vectors {
        check(vector);
    }
}

#[test]
fn the_copy_has_every_vector() {
    let copy: Vec<Value> = COPY.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(copy, vectors());
}

fn check(vector: &Value) {
    let name = vector["name"].as_str().unwrap();
    let length = |key: &str| vector[key].as_u64().map(|bound| usize::try_from(bound).unwrap());
    let options = Options {
        mode: if vector["mode"] == "lenient" { Mode::Lenient } else { Mode::Strict },
        max_payload_bytes: vector["max_payload_bytes"].as_u64(),
        max_json_depth: length("max_json_depth"),
        max_array_length: length("max_array_length"),
    };
    let input = Input {
        bytes: vector["packet_text"].as_str().unwrap().as_bytes(),
        media_type: "application/json",
        protocol_version: vector["protocol_version"].as_str(),
    };
    let expected = &vector["expected"];
    match convert(input, &options, &mut DigestOnly) {
        Ok(converted) => check_event(name, &converted, expected),
        Err(error) => {
            assert_eq!(expected["ok"], false, "{name}: {error}");
            assert_eq!(serde_json::to_value(error.kind).unwrap(), expected["error_kind"], "{name}");
            let message = expected["error_message"].as_str().unwrap();
            let matches = error.message == message || error.message.starts_with(&format!("{message}: "));
            assert!(matches, "{name}: {error} is not {message}");
        }
    }
}

fn check_event(name: &str, converted: &Converted<'_>, expected: &Value) {
    assert_eq!(expected["ok"], true, "{name} converted");
    let Converted { event, lossiness } = converted;
    assert_eq!(event.kind, expected["event_type"], "{name}");
    assert_eq!(event.subject.as_deref(), expected["subject"].as_str(), "{name}");
    assert_eq!(event.assayrunid, expected["run_id"], "{name}");
    assert_eq!(event.id, format!("{}:0", expected["run_id"].as_str().unwrap()), "{name}");
    assert_eq!(event.time.to_string(), expected["time"], "{name}");
    let report = serde_json::to_value(lossiness).unwrap();
    for key in ["lossiness_level", "unmapped_fields_count", "notes"] {
        assert_eq!(report[key], expected[key], "{name}: {key}");
    }
    assert_eq!(digest_of(&event.data.handoff), expected["handoff_digest"], "{name}");
    assert_eq!(digest_of(&event.data.discovery), expected["discovery_digest"], "{name}");

    // The vectors leave out which implementation spoke.
    let mut payload = serde_json::to_value(&event.data).unwrap();
    let members = payload.as_object_mut().unwrap();
    members.remove("adapter_id");
    members.remove("adapter_version");
    if let Some(expected) = expected.get("payload") {
        assert_eq!(payload, *expected, "{name}");
    }
    assert_eq!(digest_of(&payload), expected["payload_digest"], "{name}");
}
