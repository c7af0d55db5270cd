//! `docs/evidence-format.md` says what is so: its worked example is made here, byte for byte, and its lists of codes
//! and limits are the code's.

use baton_evidence::event::{PRODUCER_GIT, PRODUCER_VERSION};
use baton_evidence::event_line::EventLine;
use baton_evidence::export::Code;
use baton_evidence::log::{self, leaf_hash};
use baton_evidence::note::SigningKey;
use baton_evidence::side_file::limits;
use baton_evidence::{bundle, canonical::Writer, digest::RunRoot};

use sha2::{Digest as _, Sha256};

use super::exporter::{Export, Log, check, hub_packet, marked_event};

const PAGE: &str = include_str!("../../../../docs/evidence-format.md");

const REQUESTED: &str = r#"{"protocol":"a2a","version":"0.2","event_type":"task.requested","timestamp":"2026-03-04T05:06:07.089Z","agent":{"id":"planner"},"task":{"id":"task_1","status":"pending","kind":"delegation"},"message":{"id":"msg_1"},"attributes":{"baton":{"from":"planner","to":"worker","event":1,"content":{"hmac_sha256":"9163eb0d568a28e3994c969c9d5dfef181ccbbb0a8742b30464d4d200cbcb4f4","size_bytes":5}}}}"#;
const REPORTED: &str = r#"{"protocol":"a2a","version":"0.3.1","event_type":"artifact.shared","agent":{"id":"agent://worker"},"artifact":{"id":"artifact-7"}}"#;

/// The page's key: everybody may know it.
fn key() -> SigningKey {
    SigningKey::from_seed([7; 32], "baton").unwrap()
}

/// As the release of the page recorded it.
fn recorded(packet: &str, origin: &str) -> (String, String) {
    let line = marked_event(packet, origin)
        .replace(&format!("version\":\"{PRODUCER_VERSION}\""), "version\":\"0.1.0\"")
        .replace(&format!("\"assaygit\":\"{PRODUCER_GIT}\""), "\"assaygit\":\"unknown\"");
    (line, packet.to_owned())
}

fn example() -> (Log, Export) {
    let mut log = Log::new("net_1");
    log.append_events([
        recorded(REQUESTED, r#""batonorigin":"hub""#),
        recorded(&hub_packet(1), r#""batonorigin":"hub""#),
        recorded(REPORTED, r#""batonorigin":"reported","batonreporter":"alice""#),
    ]);
    let mut export = log.export([0, 2], 3);
    export.note = log.checkpoint(3).sign(&key()).unwrap();
    export.key = key().verifier_key();
    (log, export)
}

#[track_caller]
fn shows(text: &str) {
    assert!(PAGE.contains(text), "docs/evidence-format.md does not show\n{text}");
}

#[test]
fn the_worked_example_is_what_the_code_makes() {
    let (log, export) = example();
    for logged in [&log.events[0], &log.events[2]] {
        shows(&format!("\n{}\n", logged.packet));
        shows(&format!("\n{}\n", logged.line));
    }
    let mut root = RunRoot::default();
    let mut writer = Writer::new();
    for line in &export.lines {
        let event = EventLine::read(&mut writer, line).unwrap();
        shows(&event.compute_content_hash().to_string());
        root.add(&event.compute_content_hash());
    }
    shows(&format!("run root `{}`", root.finish()));
    for (index, logged) in log.events.iter().enumerate() {
        shows(&format!("leaf {index} `{}`", leaf_hash(logged.line.as_bytes())));
    }
    shows(&format!("\n{}", export.note));
    shows(&format!("`{}`", export.key));
    for entry in &export.entries {
        let proof: Vec<_> = entry.proof.iter().map(|hash| format!("`{hash}`")).collect();
        shows(&format!("proof of {} {}", entry.index, proof.join(" ")));
    }
    shows(&format!("\n{}", String::from_utf8(export.side_file()).unwrap()));
    check(&export.bundle(), &export.side_file(), Some(&key().verifier_key())).unwrap();
    // The root of the first two leaves and the proof between the sizes.
    shows(&format!("root of size 2 `{}`", log.checkpoint(2).root));
    let consistency = log.consistency(2, 3);
    shows(&format!("consistency from 2 to 3 `{}`", consistency[0]));
    log::check_consistency(2, &log.checkpoint(2).root, 3, &log.checkpoint(3).root, &consistency).unwrap();
}

#[test]
fn the_page_lists_every_code_and_limit() {
    for code in Code::ALL {
        shows(&format!("| `{code}` |"));
    }
    for code in bundle::Code::ALL {
        shows(&format!("`{code}`"));
    }
    let spaced = |number: u64| {
        let digits = number.to_string();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text.push(' ');
            }
            text.push(digit);
        }
        text
    };
    for limit in [
        limits::FILE_BYTES,
        limits::PACKET_BYTES as u64,
        limits::ENTRY_BYTES as u64,
        limits::PROOF_HASHES as u64,
        baton_evidence::note::NOTE_BYTES as u64,
        bundle::limits::EVENTS,
        bundle::limits::LINE_BYTES as u64,
    ] {
        shows(&spaced(limit));
    }
}

#[test]
fn the_page_claims_nothing_of_a_handoff() {
    let text = PAGE.split_whitespace().collect::<Vec<_>>().join(" ");
    for claim in
        ["handoff is valid", "verified handoff", "trusted handoff", "handoff succeeded", "handoff is trusted"]
    {
        assert!(!text.contains(claim), "{claim}");
    }
    assert!(text.contains(
        "Every `handoff.*` boolean is a bounded observed visibility flag only; none of them means that the handoff was \
         valid, authorised, complete, trusted or successful."
    ));
    assert!(text.contains("without an outside witness a log shows consistency, not honesty"));
}

#[test]
fn the_example_s_content_is_digested_with_the_salt_the_page_names() {
    // HMAC (RFC 2104) of `hello`, keyed with the bytes 0 to 15.
    let keyed = |pad: u8, rest: &[u8]| {
        let mut block = [pad; 64];
        (0..16).for_each(|byte| block[usize::from(byte)] ^= byte);
        Sha256::digest([&block[..], rest].concat())
    };
    let digest = keyed(0x5c, &keyed(0x36, b"hello"));
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(REQUESTED.contains(&hex));
    shows("salt `000102030405060708090a0b0c0d0e0f`");
}
