//! Every fixture packet against its golden payload and the golden digest of its handoff object. After a change
//! that is meant, `BATON_BLESS=1 cargo test -p baton-hub-adapter fixtures` writes the goldens again.

use baton_adapter::{EventType, Mode, Options, convert};
use std::collections::BTreeSet;
use std::fs;

use super::packets::{as_version, convert_with, digest_of, fixtures, fixtures_folder, lenient, strict};

/// What a fixture becomes: strict if it can be, else lenient.
struct Emitted {
    mode: Mode,
    event_type: &'static str,
    payload: String,
    handoff_digest: String,
}

fn emit(name: &str, packet: &[u8]) -> Emitted {
    let (mode, converted) = match convert_with(packet, &strict()) {
        Ok(converted) => (Mode::Strict, converted),
        Err(_) => (Mode::Lenient, convert_with(packet, &lenient()).unwrap_or_else(|e| panic!("{name}: {e}"))),
    };
    let payload = as_version(&converted.event.data, "(any)");
    Emitted {
        mode,
        event_type: converted.event.kind,
        payload: serde_json::to_string(&payload).unwrap(),
        handoff_digest: digest_of(&payload.handoff),
    }
}

#[track_caller]
fn check_golden(name: &str, emitted: &str) {
    let path = fixtures_folder().join("golden").join(name);
    if std::env::var_os("BATON_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, emitted).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(emitted, golden, "{name} is not what it was");
}

#[test]
fn every_payload_is_the_golden_one() {
    for (name, packet) in fixtures() {
        check_golden(&format!("{name}.json"), &(emit(&name, &packet).payload + "\n"));
    }
}

#[test]
fn every_handoff_digest_is_the_golden_one() {
    let lines: Vec<String> = fixtures()
        .iter()
        .map(|(name, packet)| format!("{}  {name}\n", emit(name, packet).handoff_digest))
        .collect();
    check_golden("handoff.sha256", &lines.concat());
}

#[test]
fn there_is_a_golden_payload_for_every_fixture_and_no_other() {
    let folder = fs::read_dir(fixtures_folder().join("golden")).unwrap();
    let goldens: BTreeSet<String> = folder
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".json").map(Into::into))
        .collect();
    assert_eq!(goldens, fixtures().into_iter().map(|(name, _)| name).collect());
}

#[test]
fn the_fixtures_have_every_event_type_and_every_handoff_digest() {
    let emitted: Vec<Emitted> = fixtures().iter().map(|(name, packet)| emit(name, packet)).collect();
    let types: BTreeSet<&str> = emitted.iter().map(|emitted| emitted.event_type).collect();
    assert_eq!(types, EventType::ALL.map(EventType::name).into());
    let digests: BTreeSet<&str> = emitted.iter().map(|emitted| &*emitted.handoff_digest).collect();
    assert_eq!(digests.len(), 5, "default, and visible with and without each reference");
    assert!(emitted.iter().any(|emitted| emitted.mode == Mode::Strict));
    assert!(emitted.iter().any(|emitted| emitted.mode == Mode::Lenient));
}

#[test]
fn the_shared_packets_are_the_fixtures_of_the_same_name() {
    let shared = fixtures_folder().join("../../../../../shared/data/packets");
    let Ok(folder) = fs::read_dir(shared) else { return }; // only where the project's shared folder is at hand
    for file in folder {
        let path = file.unwrap().path();
        let copy = fixtures_folder().join("packets").join(path.file_name().unwrap());
        assert_eq!(fs::read(copy).unwrap(), fs::read(&path).unwrap(), "{}", path.display());
    }
}

#[test]
fn repeated_conversion_gives_identical_bytes() {
    for (name, packet) in fixtures() {
        let once = || {
            let converted = convert_with(&packet, &lenient()).unwrap();
            (
                serde_json::to_string(&converted.event).unwrap(),
                serde_json::to_string(&converted.lossiness).unwrap(),
            )
        };
        let first = once();
        for _ in 0..10 {
            assert_eq!(once(), first, "{name}");
        }
    }
}

#[test]
fn a_packet_that_is_strictly_right_is_the_same_in_lenient_mode_and_under_wide_limits() {
    for (name, packet) in fixtures() {
        let Ok(strictly) = convert_with(&packet, &strict()) else { continue };
        assert_eq!(strictly.lossiness.notes, [""; 0], "{name}");
        assert_eq!(convert_with(&packet, &lenient()).unwrap(), strictly, "{name}");
        let bound = Options {
            max_payload_bytes: Some(packet.len() as u64),
            max_json_depth: Some(8),
            max_array_length: Some(16),
            ..strict()
        };
        assert_eq!(convert_with(&packet, &bound).unwrap(), strictly, "{name}");
    }
}

#[test]
fn the_media_type_is_passed_on_and_changes_nothing_else() {
    let packet = fixtures().remove(0).1;
    let input = |media_type| baton_adapter::Input { bytes: &packet, media_type, protocol_version: None };
    let plain = convert(input("text/plain"), &lenient(), &mut baton_adapter::DigestOnly).unwrap();
    let json = convert(input("application/json"), &lenient(), &mut baton_adapter::DigestOnly).unwrap();
    assert_eq!(plain.event, json.event);
    assert_eq!(plain.lossiness.raw_payload_ref.media_type, "text/plain");
}
