//! The frozen handoff contract (K1-A, phase 1): its negative matrix N1 to N7, its golden digests, its three
//! complete examples, and its reviewer checklist with each question answered by a test.

use baton_adapter::{DESCRIPTOR, ErrorKind, EventType, Handoff};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

use super::packets::{
    as_version, convert_with, digest_of, fixtures_folder, handoff_of, lenient, refusal, strict,
};

fn defaults() -> Value {
    handoff(false, false, false)
}

fn handoff(visible: bool, task_ref: bool, message_ref: bool) -> Value {
    json!({
        "visible": visible,
        "source_kind": if visible { "typed_payload" } else { "unknown" },
        "task_ref_visible": task_ref,
        "message_ref_visible": message_ref,
    })
}

/// The one packet that is all a handoff can be.
fn positive() -> Value {
    json!({
        "protocol": "a2a", "version": "0.2", "event_type": "task.requested", "agent": {"id": "a"},
        "task": {"id": "t", "kind": "delegation"}, "message": {"id": "m"},
    })
}

/// The positive packet with one place changed.
fn with(pointer: &str, value: Value) -> Value {
    let mut packet = positive();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    packet.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(name.into(), value);
    packet
}

fn without(pointer: &str) -> Value {
    let mut packet = positive();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    packet.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name).unwrap();
    packet
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(fixtures_folder().join("packets").join(name)).unwrap()
}

// The negative matrix, section 7.

#[test]
fn n1_artifact_shared_with_a_task_id_keeps_the_defaults() {
    let mut packet = with("/event_type", "artifact.shared".into());
    packet["artifact"] = json!({"id": "x"});
    assert_eq!(handoff_of(&packet), defaults());

    let packet = fixture("artifact_shared.json");
    let converted = convert_with(&packet, &strict()).unwrap();
    assert!(converted.event.data.task.is_some(), "the task id is there to be misread");
    assert_eq!(converted.event.data.handoff, Handoff::NOT_VISIBLE);
}

#[test]
fn n2_the_lenient_fallback_to_the_generic_message_keeps_the_defaults() {
    for event_type in [json!("task.delegated"), json!("TASK.REQUESTED"), json!(""), json!(7), Value::Null] {
        let named = with("/event_type", event_type.clone());
        assert_eq!(handoff_of(&named), defaults(), "{event_type} with a message.id");
        let mut nameless = named;
        nameless.as_object_mut().unwrap().remove("message");
        let text = nameless.to_string();
        let converted = convert_with(text.as_bytes(), &lenient()).unwrap();
        assert_eq!(converted.event.kind, "assay.adapter.a2a.message");
        assert_eq!(converted.event.data.message.as_ref().unwrap().id, "unknown-message");
        assert_eq!(converted.event.data.handoff, Handoff::NOT_VISIBLE, "{event_type} with unknown-message");
    }
    assert_eq!(handoff_of(&without("/event_type")), defaults());
}

#[test]
fn n3_a_strict_task_request_without_task_id_gives_no_event() {
    let packet = without("/task/id").to_string();
    let missing = (ErrorKind::Measurement, "missing required field: task.id".to_owned());
    assert_eq!(refusal(&packet, &strict()), missing);
    let packet = fixture("task_requested_missing_task_id.json");
    assert_eq!(refusal(str::from_utf8(&packet).unwrap(), &strict()), missing);
}

#[test]
fn n4_a_lenient_delegation_without_task_id_is_visible_without_a_task_reference() {
    assert_eq!(handoff_of(&without("/task/id")), handoff(true, false, true));
    for no_string in [Value::Null, json!(7), json!(["t"]), json!({"id": "t"}), json!(true)] {
        assert_eq!(
            handoff_of(&with("/task/id", no_string.clone())),
            handoff(true, false, true),
            "{no_string}"
        );
    }
}

#[test]
fn n5_a_missing_or_other_task_kind_keeps_the_defaults() {
    assert_eq!(handoff_of(&without("/task/kind")), defaults());
    for kind in [
        json!("execution"),
        json!(""),
        json!("Delegation"),
        json!("delegation "),
        json!("delegation\u{0}"),
        json!("sub-delegation"),
        json!(["delegation"]),
        json!({"kind": "delegation"}),
        json!(true),
        Value::Null,
    ] {
        assert_eq!(handoff_of(&with("/task/kind", kind.clone())), defaults(), "{kind}");
    }
    for task in [Value::Null, json!("delegation"), json!([{"id": "t", "kind": "delegation"}])] {
        assert_eq!(handoff_of(&with("/task", task.clone())), defaults(), "{task}");
    }
}

/// Everything that must not promote, at once.
fn add_noise(packet: &mut Value) {
    packet["agent"]["role"] = "delegation".into();
    packet["agent"]["capabilities"] = json!(["delegation", "handoff"]);
    packet["attributes"] = json!({
        "handoff": {"visible": true, "source_kind": "typed_payload"},
        "task": {"id": "t", "kind": "delegation"},
        "kind": "delegation",
        "assay_g4": {"agent_card": {"visible": true}, "extended_card_access": {"visible": true}},
    });
    packet["handoff"] = json!({"visible": true});
    packet["delegation"] = json!({"kind": "delegation"});
    packet["kind"] = "delegation".into();
}

#[test]
fn n6_roles_attributes_discovery_and_unmapped_keys_alone_keep_the_defaults() {
    for event_type in ["task.requested", "task.updated", "artifact.shared", "agent.capabilities", "other"] {
        let mut packet = with("/event_type", event_type.into());
        packet["task"].as_object_mut().unwrap().remove("kind");
        add_noise(&mut packet);
        let text = packet.to_string();
        let payload = convert_with(text.as_bytes(), &lenient()).unwrap().event.data;
        assert!(payload.discovery.agent_card_visible && payload.unmapped_fields_count >= 3);
        assert_eq!(payload.handoff, Handoff::NOT_VISIBLE, "{event_type}");
    }
}

#[test]
fn n7_task_updated_keeps_the_defaults() {
    assert_eq!(handoff_of(&with("/event_type", "task.updated".into())), defaults());
    let packet = fixture("task_updated.json");
    let converted = convert_with(&packet, &strict()).unwrap();
    assert_eq!(converted.event.data.task.as_ref().unwrap().kind.as_deref(), Some("delegation"));
    assert_eq!(converted.event.data.handoff, Handoff::NOT_VISIBLE);
}

// The reviewer checklist, section 10.

#[test]
fn checklist_handoff_is_a_single_bounded_top_level_object_on_every_event() {
    for event_type in ["task.requested", "task.updated", "artifact.shared", "agent.capabilities", "other"] {
        let text = with("/event_type", event_type.into()).to_string();
        let payload = convert_with(text.as_bytes(), &lenient()).unwrap().event.data;
        let payload = serde_json::to_value(&payload).unwrap();
        let names: Vec<&String> = payload["handoff"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["message_ref_visible", "source_kind", "task_ref_visible", "visible"]);
        assert_eq!(payload.to_string().matches("\"handoff\"").count(), 1, "{event_type}");
        assert_eq!(payload.to_string().matches("_ref_visible\"").count(), 2, "{event_type}");
    }
}

#[test]
fn checklist_only_a_typed_task_request_of_kind_delegation_promotes() {
    let ids = [Some(json!("x")), Some(json!("")), Some(json!(1)), None];
    for event_type in ["task.requested", "task.updated", "artifact.shared", "agent.capabilities", "message"] {
        for kind in ["delegation", "execution"] {
            for (task_id, message_id) in ids.iter().flat_map(|t| ids.iter().map(move |m| (t, m))) {
                let mut packet = with("/event_type", event_type.into());
                packet["task"] = json!({"kind": kind});
                packet["message"] = json!({});
                if let Some(id) = task_id {
                    packet["task"]["id"] = id.clone();
                }
                if let Some(id) = message_id {
                    packet["message"]["id"] = id.clone();
                }
                let given = |id: &Option<Value>| id.as_ref().is_some_and(Value::is_string);
                let expected = if event_type == "task.requested" && kind == "delegation" {
                    handoff(true, given(task_id), given(message_id))
                } else {
                    defaults()
                };
                assert_eq!(handoff_of(&packet), expected, "{packet}");
            }
        }
    }
}

#[test]
fn checklist_attributes_discovery_unmapped_keys_and_roles_change_nothing() {
    for mut packet in [positive(), without("/task/id"), without("/message"), without("/task/kind")] {
        let before = handoff_of(&packet);
        add_noise(&mut packet);
        assert_eq!(handoff_of(&packet), before, "{packet}");
    }
}

#[test]
fn checklist_the_substituted_unknown_task_is_no_reference_and_an_upstream_one_is() {
    let text = without("/task/id").to_string();
    let substituted = convert_with(text.as_bytes(), &lenient()).unwrap().event.data;
    let text = with("/task/id", "unknown-task".into()).to_string();
    let upstream = convert_with(text.as_bytes(), &lenient()).unwrap().event.data;
    assert_eq!(substituted.task, upstream.task, "the payloads' tasks do not tell them apart");
    assert!(!substituted.handoff.task_ref_visible);
    assert!(upstream.handoff.task_ref_visible);
}

#[test]
fn checklist_task_updated_never_promotes() {
    for mut packet in [positive(), without("/task/id"), without("/message")] {
        packet["event_type"] = "task.updated".into();
        assert_eq!(handoff_of(&packet), defaults());
        add_noise(&mut packet);
        assert_eq!(handoff_of(&packet), defaults());
    }
}

const GUARDRAIL: &str = "is a bounded observed visibility flag only; none of them means that the handoff was valid, \
    authorised, complete, trusted or successful";

/// Runs of white space and comment marks as one space, code marks gone, so that a sentence is found however it
/// is wrapped.
fn prose(text: &str) -> String {
    let text = text.replace("//!", " ").replace("///", " ").replace('`', "").to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn checklist_the_descriptions_stay_at_visibility_and_carry_the_guardrail() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["src/lib.rs", "src/payload/handoff.rs", "../../schemas/payload.schema.json"] {
        let text = prose(&fs::read_to_string(root.join(file)).unwrap());
        assert!(text.contains(GUARDRAIL), "{file} repeats the guardrail");
        let rest = text.replace(GUARDRAIL, "");
        for claim in ["verified", "authoris", "trusted", "successful", "route resolved", "guarantee"] {
            assert!(!rest.contains(claim), "{file} says {claim} outside the guardrail");
        }
    }
}

// The golden digests and the complete examples.

#[test]
fn golden_digests_of_the_handoff_object_hold() {
    let golden = [
        (without("/task/kind"), "60e992b4881c03d816cd94929856d8c8cade113f62273d42a8a75412533a294a"),
        (positive(), "e478af7359a254678c90b5eb2737d63f79c6d667a2b5c4bc323442f07d09d33b"),
        (without("/task/id"), "0be260743587b9594018a4ab7809560157be088be0372a8ae7c7faa6a744effe"),
        (without("/message"), "c956bc2d9e8ddd8e2f914f1b0ea5393625fd354248c614a0251687f816d0d623"),
        (
            {
                let mut neither = without("/task/id");
                neither.as_object_mut().unwrap().remove("message");
                neither
            },
            "d38c94c8e5bc2259dbae7a2b92bf1cfa6d0f57cb011b1b7e70dc6f9277330b5b",
        ),
    ];
    for (packet, digest) in golden {
        for _ in 0..3 {
            let text = packet.to_string();
            let converted = convert_with(text.as_bytes(), &lenient()).unwrap();
            assert_eq!(digest_of(&converted.event.data.handoff), digest, "{packet}");
        }
    }
}

#[test]
fn the_three_complete_examples_are_emitted_byte_for_byte() {
    // The packets are those the freeze names; the expected texts are cut from it.
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds/k1-a-handoff-freeze.txt");
    let seed = fs::read_to_string(seed).ok();
    for (example, packet) in [
        ("typed_positive.json", "task_requested.json"),
        ("lenient_partial.json", "task_requested_missing_task_id.json"),
        ("fully_default.json", "artifact_shared.json"),
    ] {
        let expected = fs::read_to_string(fixtures_folder().join("freeze").join(example)).unwrap();
        let packet = fixture(packet);
        let converted = convert_with(&packet, &lenient()).unwrap();
        let emitted = serde_json::to_string_pretty(&as_version(&converted.event.data, "3.4.0")).unwrap();
        assert_eq!(emitted, expected.trim_end(), "{example}");
        if let Some(seed) = &seed {
            assert!(seed.contains(expected.trim_end()), "{example} stands in the freeze");
        }
    }
}

#[test]
fn the_descriptor_says_what_the_contract_says() {
    assert_eq!(DESCRIPTOR.adapter_id, "assay-adapter-a2a");
    assert_eq!(DESCRIPTOR.adapter_version, env!("CARGO_PKG_VERSION"));
    assert_eq!((DESCRIPTOR.protocol, DESCRIPTOR.spec_version), ("a2a", "0.2.0"));
    assert_eq!((DESCRIPTOR.schema_id, DESCRIPTOR.supported_versions), ("a2a.message.v0_2", ">=0.2 <1.0"));
    assert_eq!(
        DESCRIPTOR.event_types.map(EventType::name),
        [
            "assay.adapter.a2a.agent.capabilities",
            "assay.adapter.a2a.task.requested",
            "assay.adapter.a2a.task.updated",
            "assay.adapter.a2a.artifact.shared",
            "assay.adapter.a2a.message",
        ]
    );
}
