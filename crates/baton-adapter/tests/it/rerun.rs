//! The adapter run again on a kept packet: it agrees with every recorded event, whatever release recorded it, and
//! names what differs.

use baton_adapter::{DigestOnly, Input, Mode, Options, convert, rerun};
use baton_evidence::canonical::{self, Writer};
use baton_evidence::event_line::EventLine;
use baton_evidence::export::{Difference, Part};
use serde_json::{Value, json};

const PACKET: &str = r#"{"protocol":"a2a","version":"0.2","event_type":"task.requested","timestamp":"2026-03-04T05:06:07Z","agent":{"id":"a"},"task":{"id":"t-1","status":"requested","kind":"delegation"},"message":{"id":"m-1"},"attributes":{"baton":{"from":"a","to":"b"}}}"#;

/// The event of a packet, as it would be recorded.
fn recorded(packet: &[u8], hint: Option<&str>, mode: Mode) -> Option<Value> {
    let input = Input { bytes: packet, media_type: "application/json", protocol_version: hint };
    let options = Options { mode, ..Options::default() };
    let converted = convert(input, &options, &mut DigestOnly).ok()?;
    Some(serde_json::from_slice(&canonical::to_vec(&converted.event).unwrap()).unwrap())
}

fn differs(event: &Value, packet: &[u8]) -> Option<Difference> {
    let (mut writer, line) = (Writer::new(), event.to_string());
    rerun(&EventLine::read(&mut writer, &line).unwrap(), packet).err()
}

#[test]
fn every_packet_that_was_converted_agrees_with_its_event() {
    let mut agreed = 0;
    for vector in super::vectors::vectors() {
        let packet = vector["packet_text"].as_str().unwrap().as_bytes();
        for mode in [Mode::Strict, Mode::Lenient] {
            let Some(event) = recorded(packet, vector["protocol_version"].as_str(), mode) else { continue };
            assert_eq!(differs(&event, packet), None, "{vector}");
            agreed += 1;
        }
    }
    assert!(agreed > 60, "{agreed}");
}

#[test]
fn an_event_of_another_release_agrees_too() {
    let mut event = recorded(PACKET.as_bytes(), None, Mode::Strict).unwrap();
    event["data"]["adapter_version"] = json!("3.4.0");
    assert_eq!(differs(&event, PACKET.as_bytes()), None);
}

#[test]
fn a_version_that_only_the_transport_named_is_taken_from_the_event() {
    let packet = PACKET.replace(r#""version":"0.2","#, "");
    let event = recorded(packet.as_bytes(), Some("0.3"), Mode::Strict).unwrap();
    assert_eq!(event["data"]["protocol_version"], "0.3");
    assert_eq!(differs(&event, packet.as_bytes()), None);
    // One the packet names itself is compared.
    let difference = differs(&event, PACKET.as_bytes()).unwrap();
    assert_eq!((difference.part, &*difference.message), (Part::Data, "data.protocol_version differs"));
}

#[test]
fn what_differs_is_named() {
    let event = recorded(PACKET.as_bytes(), None, Mode::Strict).unwrap();
    let part = |event: &Value| differs(event, PACKET.as_bytes()).unwrap().part;
    for (member, part_of_it) in [("type", Part::Type), ("source", Part::Source), ("subject", Part::Subject)] {
        let mut changed = event.clone();
        changed[member] = json!("urn:other");
        assert_eq!(part(&changed), part_of_it, "{member}");
    }
    let mut changed = event.clone();
    changed["time"] = json!("2026-03-04T05:06:08Z");
    assert_eq!(part(&changed), Part::Time);

    for name in event["data"].as_object().unwrap().keys().filter(|name| *name != "adapter_version") {
        let mut changed = event.clone();
        changed["data"][name] = json!("0.9");
        let difference = differs(&changed, PACKET.as_bytes()).unwrap();
        assert_eq!(difference.part, Part::Data);
        assert_eq!(difference.message, format!("data.{name} differs"));
    }
    let mut changed = event.clone();
    changed["data"]["more"] = json!(1);
    assert_eq!(differs(&changed, PACKET.as_bytes()).unwrap().message, "data has more members");
    changed["data"] = json!([]);
    assert_eq!(part(&changed), Part::Data);
    assert_eq!(differs(&event, b"nonsense").unwrap().part, Part::Packet);
    let other = PACKET.replace("delegation", "question");
    assert_eq!(differs(&event, other.as_bytes()).unwrap().message, "data.handoff differs");
}

#[test]
fn nothing_from_the_packet_is_quoted() {
    let event = recorded(PACKET.as_bytes(), None, Mode::Strict).unwrap();
    let evil = PACKET.replace("0.2", "\\u001b[31m");
    assert_eq!(differs(&event, evil.as_bytes()).unwrap().message, "the adapter does not take the packet");
}

#[test]
fn a_packet_as_deep_as_the_parser_goes_agrees() {
    let deep = format!("{}0{}", "[".repeat(126), "]".repeat(126));
    let packet = PACKET.replacen('{', &format!("{{\"unmapped\":{deep},"), 1);
    let event = recorded(packet.as_bytes(), None, Mode::Strict).unwrap();
    assert_eq!(differs(&event, packet.as_bytes()), None);
}
