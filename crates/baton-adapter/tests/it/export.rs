//! Exports of a log, good and tampered with. Whoever tampers here knows the format: hashes, numbers and the manifest
//! of a changed bundle are recreated, so that only log, signature and packets can tell.

use baton_evidence::export::{Check, ExportError, KeyFrom, Reporter, Span, Tally};
use baton_evidence::note::{Checkpoint, SigningKey};
use serde_json::{Value, json};

use super::exporter::{Entry, Export, Log, check, hub_key, hub_packet, marked_event, refused};

const INCLUSION_2: &str = "proof/inclusion at event 2";

/// Events 1, 4, 5 and 8 of a log of 11.
fn some() -> Export {
    Log::observed("net-1", 11).export([1, 4, 5, 8], 11)
}

#[test]
fn a_good_export_is_reported_with_what_was_checked() {
    let mut log = Log::observed("net-1", 300);
    let reported = |by: &str| format!(r#""batonorigin":"reported","batonreporter":"{by}""#);
    log.append([
        (hub_packet(0), reported("alice")),
        (hub_packet(1), reported("bob")),
        (hub_packet(2), reported("alice")),
        (hub_packet(4), r#""batonorigin":"else""#.to_owned()),
    ]);
    let report = log.export(0..304, 304).check().unwrap();
    assert_eq!(report.hub, Tally { events: 300, handoffs_visible: 150 });
    assert_eq!(report.reported, Tally { events: 3, handoffs_visible: 2 });
    assert_eq!(report.unmarked, 1);
    let reporter = |name: &str, events| Reporter { name: name.to_owned(), events };
    assert_eq!(report.reporters, [reporter("alice", 2), reporter("bob", 1)]);
    assert_eq!(report.span, Span { first: 0, last: 303, events: 304 });
    assert_eq!(report.checkpoint, log.checkpoint(304));
    assert_eq!(report.key_from, KeyFrom::Caller);
    assert!(Check::ALL.into_iter().all(|check| report.made(check)));
}

#[test]
fn a_part_of_a_log_says_that_it_is_one() {
    let report = some().check().unwrap();
    assert!(!report.made(Check::Completeness) && !report.span.is_gapless());
    let report = Log::observed("net-1", 11).export(3..7, 11).check().unwrap();
    assert!(!report.made(Check::Completeness) && report.span.is_gapless());
}

#[test]
fn without_a_known_key_only_consistency_with_the_key_that_came_along_is_shown() {
    let mut export = some();
    let report = check(&export.bundle(), &export.side_file(), None).unwrap();
    assert_eq!((report.key_from, report.made(Check::KnownKey)), (KeyFrom::SideFile, false));

    // Somebody else's whole log passes then; with the hub's key it does not.
    let other = SigningKey::from_seed([8; 32], "baton-hub").unwrap();
    export.note = Log::observed("net-1", 11).checkpoint(11).sign(&other).unwrap();
    export.key = other.verifier_key();
    let report = check(&export.bundle(), &export.side_file(), None).unwrap();
    assert!(!report.made(Check::KnownKey));
    assert_eq!(export.refused(), "note/key at the checkpoint");
}

#[test]
fn reporters_are_named_up_to_a_bound() {
    let mut log = Log::new("net-1");
    let long = "é".repeat(300);
    log.append((0..50).map(|number| {
        let by = if number == 0 { long.clone() } else { format!("agent-{number}") };
        (hub_packet(number), format!(r#""batonorigin":"reported","batonreporter":"{by}""#))
    }));
    log.append([(hub_packet(9), r#""batonorigin":"reported""#.to_owned())]);
    let report = log.export(0..51, 51).check().unwrap();
    assert_eq!((report.reporters.len(), report.reported_by_others), (20, 31));
    assert_eq!(report.reporters[0].name.chars().count(), 200);
    assert_eq!(report.hub, Tally::default());
}

/// The paths to all scalars of a value.
fn scalars(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| scalars(value, &format!("{path}/{name}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| scalars(item, &format!("{path}/{at}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

#[test]
fn no_changed_member_of_an_event_goes_unseen() {
    let good = some();
    let event: Value = serde_json::from_str(&good.lines[1]).unwrap();
    let mut paths = Vec::new();
    scalars(&event, "", &mut paths);
    // These the bundle gives again, and this one it would not pack.
    let numbers = ["/id", "/assayrunid", "/assayseq", "/assaycontenthash", "/specversion"];
    paths.retain(|path| !numbers.contains(&path.as_str()));
    assert!(paths.len() > 30, "{paths:?}");
    for path in paths {
        let mut event = event.clone();
        event.as_object_mut().unwrap().remove("assaycontenthash");
        let value = event.pointer_mut(&path).unwrap();
        *value = match &*value {
            Value::String(text) if path == "/time" => json!(text.replace("2026", "2025")),
            Value::String(text) if path == "/source" => json!(text),
            Value::String(text) => json!(format!("{text}x")),
            Value::Bool(flag) => json!(!flag),
            Value::Number(number) => json!(number.as_u64().unwrap() + 1),
            _ => json!("x"),
        };
        if path == "/source" {
            continue; // one source for the whole bundle: changed for all below
        }
        let mut export = good.clone();
        export.lines[1] = event.to_string();
        assert_eq!(export.refused(), INCLUSION_2, "{path}");
    }
    let mut export = good.clone();
    for line in &mut export.lines {
        *line = line.replace("urn:assay:adapter:a2a", "urn:assay:adapter:a2b");
    }
    assert_eq!(export.refused(), "proof/inclusion at event 1");
}

#[test]
fn a_member_added_or_taken_away_is_seen() {
    let good = some();
    let event: Value = serde_json::from_str(&good.lines[1]).unwrap();
    for change in [
        |event: &mut Value| event["more"] = json!(1),
        |event: &mut Value| event["data"]["more"] = json!(1),
        |event: &mut Value| event["batonreporter"] = json!("alice"),
        |event: &mut Value| event["batonorigin"] = json!("reported"),
        |event: &mut Value| drop(event.as_object_mut().unwrap().remove("batonorigin")),
        |event: &mut Value| drop(event.as_object_mut().unwrap().remove("subject")),
        |event: &mut Value| drop(event["data"].as_object_mut().unwrap().remove("message")),
    ] {
        let mut event = event.clone();
        event.as_object_mut().unwrap().remove("assaycontenthash");
        change(&mut event);
        let mut export = good.clone();
        export.lines[1] = event.to_string();
        assert_eq!(export.refused(), INCLUSION_2, "{event}");
    }
}

#[test]
fn a_dropped_event_is_seen_or_the_export_says_less() {
    let good = some();
    let mut export = good.clone();
    export.lines.remove(1);
    assert_eq!(export.refused(), INCLUSION_2);
    let mut export = good.clone();
    export.lines.pop();
    assert_eq!(export.refused(), "proof/extra at event 4");
    let mut export = good.clone();
    export.entries.remove(1);
    assert_eq!(export.refused(), INCLUSION_2);
    let mut export = good.clone();
    export.entries.pop();
    assert_eq!(export.refused(), "proof/missing at event 4");
    // With its entry it is an export of fewer events, and does not claim to be all of the log.
    let mut export = Log::observed("net-1", 4).export(0..4, 4);
    assert!(export.check().unwrap().made(Check::Completeness));
    export.lines.remove(2);
    export.entries.remove(2);
    let report = export.check().unwrap();
    assert!(!report.made(Check::Completeness) && !report.span.is_gapless());
}

#[test]
fn reordered_events_are_seen() {
    let good = some();
    let mut export = good.clone();
    export.lines.swap(1, 2);
    assert_eq!(export.refused(), INCLUSION_2);
    let side_file = String::from_utf8(good.side_file()).unwrap();
    // Entries too: indexes no longer grow.
    let (head, entries) = side_file.split_once('[').unwrap();
    let mut parts: Vec<&str> = entries.strip_suffix("]}\n").unwrap().split(",{").collect();
    assert_eq!(parts.len(), 4);
    parts.swap(1, 2);
    let swapped = format!("{head}[{}]}}", parts.join(",{"));
    let key = hub_key().verifier_key();
    assert_eq!(
        refused(check(&export.bundle(), swapped.as_bytes(), Some(&key))),
        "proof/index_order at event 3"
    );
    assert_eq!(refused(check(&good.bundle(), swapped.as_bytes(), Some(&key))), INCLUSION_2);
}

#[test]
fn an_added_event_is_seen() {
    let good = some();
    let forged = marked_event(&hub_packet(6), r#""batonorigin":"hub""#);
    let mut export = good.clone();
    export.lines.push(forged.clone());
    assert_eq!(export.refused(), "proof/missing at event 5");
    let mut export = good.clone();
    export.lines.insert(1, forged.clone());
    assert_eq!(export.refused(), INCLUSION_2);
    for index in [9, 11, u64::MAX] {
        let mut export = good.clone();
        export.lines.push(forged.clone());
        let proof = export.entries[3].proof.clone();
        export.entries.push(Entry { index, proof, packet: hub_packet(6) });
        assert_eq!(export.refused(), "proof/inclusion at event 5", "{index}");
    }
}

#[test]
fn a_replayed_event_is_seen() {
    let good = some();
    let mut export = good.clone();
    export.lines.insert(1, good.lines[1].clone());
    assert_eq!(export.refused(), "proof/inclusion at event 3");
    // With its entry: the writer would not write it, so it is put there by hand.
    let side_file = String::from_utf8(good.side_file()).unwrap();
    let (head, entries) = side_file.split_once('[').unwrap();
    let mut parts: Vec<&str> = entries.strip_suffix("]}\n").unwrap().split(",{").collect();
    parts.insert(1, parts[1]);
    let replayed = format!("{head}[{}]}}", parts.join(",{"));
    let key = hub_key().verifier_key();
    let checked = check(&export.bundle(), replayed.as_bytes(), Some(&key));
    assert_eq!(refused(checked), "proof/index_order at event 3");
}

#[test]
fn a_checkpoint_of_another_log_or_size_is_seen() {
    let good = some();
    for (network_id, count, size) in
        [("net-2", 11, 11), ("net-1", 12, 12), ("net-1", 11, 10), ("net-1", 11, 2)]
    {
        let mut export = good.clone();
        export.note = Log::observed(network_id, count).checkpoint(size).sign(&hub_key()).unwrap();
        let refused = export.refused();
        assert!(refused.starts_with("proof/inclusion at event "), "{network_id} {size}: {refused}");
    }
    let mut export = good.clone();
    export.entries[0].proof = good.entries[1].proof.clone();
    assert_eq!(export.refused(), "proof/inclusion at event 1");
}

#[test]
fn another_signature_key_or_origin_is_seen() {
    let good = some();
    let other = SigningKey::from_seed([8; 32], "baton-hub").unwrap();
    let checkpoint = Log::observed("net-1", 11).checkpoint(11);

    let mut export = good.clone();
    export.note = checkpoint.sign(&other).unwrap();
    assert_eq!(export.refused(), "note/key at the checkpoint");
    assert_eq!(refused(check(&export.bundle(), &export.side_file(), None)), "note/key at the checkpoint");
    let mut export = good.clone();
    export.key = other.verifier_key();
    assert_eq!(export.refused(), "note/key at the checkpoint");
    let mut export = good.clone();
    export.note = good.note.replace("\n11\n", "\n12\n");
    assert_eq!(export.refused(), "note/signature at the checkpoint");
    let mut export = good.clone();
    export.note = checkpoint.to_string();
    assert_eq!(export.refused(), "note/signature at the checkpoint");
    for origin in ["other/net-1", "baton/", "baton/net:1", "net-1"] {
        let mut export = good.clone();
        let checkpoint = Checkpoint { origin: origin.to_owned(), ..checkpoint.clone() };
        export.note = checkpoint.sign(&hub_key()).unwrap();
        assert_eq!(export.refused(), "note/origin at the checkpoint", "{origin}");
    }
}

#[test]
fn a_witness_s_key_may_be_given_if_it_cosigned() {
    let witness = SigningKey::from_seed([3; 32], "witness.example").unwrap();
    let mut export = some();
    let checkpoint = Log::observed("net-1", 11).checkpoint(11);
    let cosignature = checkpoint.sign(&witness).unwrap().lines().last().unwrap().to_owned();
    export.note = format!("{}{cosignature}\n", export.note);
    let key = witness.verifier_key();
    let report = check(&export.bundle(), &export.side_file(), Some(&key)).unwrap();
    assert_eq!(report.key, key);
    export.check().unwrap();
    // But the key the side file names has signed in any case.
    export.note = checkpoint.sign(&witness).unwrap();
    assert_eq!(
        refused(check(&export.bundle(), &export.side_file(), Some(&key))),
        "note/key at the checkpoint"
    );
}

#[test]
fn swapped_or_changed_packets_are_seen() {
    let good = some();
    let packet = &good.entries[1].packet;
    for (changed, code) in [
        (good.entries[3].packet.clone(), "rerun/subject"),
        (good.entries[2].packet.clone(), "rerun/type"),
        (packet.replace("05:06", "05:07"), "rerun/time"),
        (packet.replace("delegation", "question"), "rerun/data"),
        (packet.replace("planner", "plotter"), "rerun/data"),
        (packet.replace("\"size_bytes\":4", "\"size_bytes\":5"), "rerun/data"),
        (packet.replace("\"a2a\"", "\"b2b\""), "rerun/packet"),
        (packet[1..].to_owned(), "rerun/packet"),
        (String::new(), "rerun/packet"),
        (packet.replacen('{', r#"{"unmapped":1,"#, 1), "rerun/data"),
    ] {
        assert_ne!(changed, *packet);
        let mut export = good.clone();
        export.entries[1].packet = changed.clone();
        assert_eq!(export.refused(), format!("{code} at event 2"), "{changed}");
    }
    // What no event carries, no re-run sees: white space, and what an unmapped key holds.
    let mut export = good.clone();
    export.entries[1].packet = format!(" {packet} ");
    export.check().unwrap();
}

#[test]
fn a_side_file_cut_short_anywhere_is_seen() {
    let export = Log::observed("net-1", 3).export([0, 2], 3);
    let (bundle, side_file) = (export.bundle(), export.side_file());
    let key = hub_key().verifier_key();
    let whole = side_file.len() - 1; // without the final line feed it is whole
    for length in 0..whole {
        let refused = refused(check(&bundle, &side_file[..length], Some(&key)));
        assert!(refused.starts_with("side_file/truncated at "), "{length}: {refused}");
    }
    check(&bundle, &side_file[..whole], Some(&key)).unwrap();
}

#[test]
fn no_changed_byte_of_a_side_file_goes_unseen() {
    let export = Log::observed("net-1", 3).export([0, 2], 3);
    let (bundle, side_file) = (export.bundle(), export.side_file());
    let key = hub_key().verifier_key();
    for at in 0..side_file.len() {
        for change in [1, 4] {
            let mut changed = side_file.clone();
            changed[at] ^= change;
            let checked = check(&bundle, &changed, Some(&key));
            assert!(
                matches!(checked, Err(ExportError::Refused(_))),
                "byte {at}: {:?} in {}",
                changed[at] as char,
                String::from_utf8_lossy(&changed[at.saturating_sub(40)..changed.len().min(at + 40)])
            );
        }
    }
}

#[test]
fn a_damaged_bundle_is_refused_for_what_is_wrong_with_it() {
    let export = some();
    let mut bundle = export.bundle();
    bundle.truncate(bundle.len() - 1);
    let checked = check(&bundle, b"nonsense", None);
    let Err(ExportError::Bundle(error)) = checked else { panic!("{checked:?}") };
    assert!(error.to_string().starts_with("integrity/gzip at "), "{error}");
    assert_eq!(
        refused(check(&export.bundle(), b"nonsense", None)),
        "side_file/form at the side file's beginning"
    );
}
