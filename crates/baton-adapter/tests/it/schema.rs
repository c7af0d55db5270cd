//! The published schemas against what is emitted: every payload and event satisfies them, and they allow
//! nothing that is not emitted.

use baton_adapter::{Converted, EventType};
use baton_evidence::canonical::Writer;
use jsonschema::{Registry, Validator};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use super::packets::{convert_with, fixtures, lenient};
use super::{properties, vectors};

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

static PAYLOAD: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::validator_for(&schema("payload.schema.json")).unwrap());

static EVENT: LazyLock<Validator> = LazyLock::new(|| {
    let payload = schema("payload.schema.json");
    let registry = Registry::new().add("urn:baton:schema:payload", payload).unwrap().prepare().unwrap();
    jsonschema::options().with_registry(&registry).build(&schema("event.schema.json")).unwrap()
});

fn satisfies(schema: &Validator, value: &Value) -> Result<(), String> {
    let errors: Vec<String> =
        schema.iter_errors(value).map(|error| format!("{} at {}", error, error.instance_path())).collect();
    if errors.is_empty() { Ok(()) } else { Err(format!("{}: {value}", errors.join("; "))) }
}

/// The event as `baton adapt` prints it.
fn printed(converted: &Converted<'_>) -> Value {
    let mut event = converted.event.clone();
    event.assaycontenthash = Some(event.content_hash(&mut Writer::new()).unwrap());
    serde_json::to_value(&event).unwrap()
}

fn check(converted: &Converted<'_>) -> Result<(), String> {
    let event = printed(converted);
    satisfies(&PAYLOAD, &event["data"])?;
    satisfies(&EVENT, &event)
}

/// A payload that has every member.
fn fullest() -> Value {
    let packet = json!({
        "protocol": "a2a", "version": "0.2", "event_type": "task.requested", "attributes": {},
        "agent": {"id": "a", "name": "n", "role": "r", "capabilities": ["c"]},
        "task": {"id": "t", "status": "s", "kind": "delegation"},
        "artifact": {"id": "x", "name": "n", "media_type": "m"}, "message": {"id": "m", "role": "r"},
    });
    let text = packet.to_string();
    printed(&convert_with(text.as_bytes(), &lenient()).unwrap())
}

/// A payload that has no member it can do without.
fn barest() -> Value {
    printed(&convert_with(br#"{"protocol":"a2a","version":"0.2"}"#, &lenient()).unwrap())
}

#[test]
fn the_schemas_are_schemas() {
    for name in ["payload.schema.json", "event.schema.json"] {
        if let Err(error) = jsonschema::meta::validate(&schema(name)) {
            panic!("{name}: {error}");
        }
    }
}

#[test]
fn every_fixture_s_event_satisfies_the_schemas() {
    for (name, packet) in fixtures() {
        check(&convert_with(&packet, &lenient()).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn every_vector_s_event_satisfies_the_schemas() {
    let mut converted = 0;
    for vector in vectors::vectors() {
        let packet = vector["packet_text"].as_str().unwrap();
        if let Ok(event) = convert_with(packet.as_bytes(), &lenient()) {
            check(&event).unwrap_or_else(|error| panic!("{}: {error}", vector["name"]));
            converted += 1;
        }
    }
    assert!(converted > 40, "only {converted} vectors converted");
}

proptest! {
    #[test]
    fn every_packet_s_event_satisfies_the_schemas(text in properties::packet()) {
        if let Ok(converted) = convert_with(text.as_bytes(), &lenient()) {
            prop_assert_eq!(check(&converted), Ok(()));
        }
    }
}

/// The names a schema gives to an object's members.
fn names(schema: &Value) -> BTreeSet<String> {
    schema["properties"].as_object().unwrap().keys().cloned().collect()
}

fn required(schema: &Value) -> BTreeSet<String> {
    schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

const PARTS: [&str; 6] = ["agent", "task", "artifact", "message", "discovery", "handoff"];

#[test]
fn the_fullest_event_has_exactly_the_schemas_members_and_the_barest_exactly_the_required_ones() {
    let (payload, event) = (schema("payload.schema.json"), schema("event.schema.json"));
    let (fullest, barest) = (fullest(), barest());
    assert_eq!(keys(&fullest), names(&event));
    assert_eq!(keys(&barest), required(&event));
    assert_eq!(keys(&fullest["data"]), names(&payload));
    // A generic message always has a message id, its own or the stand-in.
    let mut always = required(&payload);
    always.insert("message".into());
    assert_eq!(keys(&barest["data"]), always);
    for part in PARTS {
        assert_eq!(keys(&fullest["data"][part]), names(&payload["properties"][part]), "{part}");
    }
    for part in ["agent", "message", "discovery", "handoff"] {
        assert_eq!(keys(&barest["data"][part]), required(&payload["properties"][part]), "{part}");
    }
}

#[test]
fn the_schema_s_members_stand_in_the_order_they_are_emitted() {
    // As text: a parsed document would sort them.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/payload.schema.json");
    let schema = std::fs::read_to_string(path).unwrap();
    let packet = fixtures().into_iter().find(|(name, _)| name == "empty_strings").unwrap().1;
    let emitted = serde_json::to_string(&convert_with(&packet, &lenient()).unwrap().event.data).unwrap();
    let properties = &schema[schema.find("\"properties\": {").unwrap()..];
    // The outermost members, by their indentation.
    let members = properties.lines().filter_map(|line| line.strip_prefix("    \"")?.split('"').next());
    let members: Vec<&str> = members.collect();
    assert_eq!(
        members.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(),
        names(&self::schema("payload.schema.json"))
    );
    let places: Vec<usize> =
        members.iter().map(|name| emitted.find(&format!("\"{name}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{members:?} at {places:?}");
}

#[test]
fn every_object_of_the_schemas_but_attributes_is_closed() {
    fn walk(schema: &Value, path: &str, open: &mut Vec<String>) {
        if schema["type"] == "object" && schema["additionalProperties"] != false {
            open.push(path.to_owned());
        }
        if let Some(properties) = schema["properties"].as_object() {
            for (name, inner) in properties {
                // Rules beside a type (`oneOf`, `if`) only narrow; they are not walked.
                walk(inner, &format!("{path}/{name}"), open);
                let typed = ["type", "const", "enum", "$ref"].iter().any(|key| inner.get(key).is_some());
                assert!(typed || name == "attributes", "{path}/{name} allows anything");
            }
        }
    }
    let mut open = Vec::new();
    walk(&schema("payload.schema.json"), "payload", &mut open);
    walk(&schema("event.schema.json"), "event", &mut open);
    assert_eq!(open, [""; 0]);
}

#[test]
fn an_extra_or_a_missing_member_is_refused() {
    let good = fullest();
    satisfies(&EVENT, &good).unwrap();
    let refuses = |what: &str, change: &dyn Fn(&mut Value)| {
        let mut changed = good.clone();
        change(&mut changed);
        assert!(satisfies(&EVENT, &changed).is_err(), "{what} is allowed");
        assert!(
            changed["data"] == good["data"] || satisfies(&PAYLOAD, &changed["data"]).is_err(),
            "{what} is allowed"
        );
    };
    for pointer in
        ["", "/data"].map(str::to_owned).into_iter().chain(PARTS.map(|part| format!("/data/{part}")))
    {
        refuses(&format!("an extra member in {pointer}"), &|event| {
            event.pointer_mut(&pointer).unwrap()["extra"] = json!(1);
        });
    }
    for name in required(&schema("payload.schema.json")) {
        refuses(&format!("a payload without {name}"), &|event| {
            event["data"].as_object_mut().unwrap().remove(&name);
        });
    }
    for name in required(&schema("event.schema.json")) {
        refuses(&format!("an event without {name}"), &|event| {
            event.as_object_mut().unwrap().remove(&name);
        });
    }
    for name in keys(&good["data"]["handoff"]) {
        refuses(&format!("a handoff without {name}"), &|event| {
            event["data"]["handoff"].as_object_mut().unwrap().remove(&name);
        });
        refuses(&format!("a handoff whose {name} is null"), &|event| {
            event["data"]["handoff"][&name] = Value::Null;
        });
    }
}

#[test]
fn values_no_packet_can_give_are_refused() {
    let good = fullest();
    for (pointer, values) in [
        ("/data/adapter_id", vec![json!("other"), json!(1)]),
        ("/data/protocol", vec![json!("A2A")]),
        (
            "/data/protocol_version",
            vec![json!("1.0"), json!("0.1"), json!("0.2-rc1"), json!("v0.2"), json!("")],
        ),
        ("/data/handoff/source_kind", vec![json!("attributes"), json!("unmapped"), json!("unknown")]),
        ("/data/handoff/visible", vec![json!(false), json!("true")]),
        ("/data/upstream_event_type", vec![json!("task.updated")]),
        ("/data/task/kind", vec![json!("execution"), Value::Null]),
        ("/data/message", vec![Value::Null, json!({})]),
        ("/data/discovery/signature_material_visible", vec![json!(true)]),
        ("/data/discovery/agent_card_visible", vec![json!(true)]),
        ("/data/discovery/agent_card_source_kind", vec![json!("attributes"), json!("typed_payload")]),
        ("/data/agent/capabilities", vec![json!([1]), json!("a")]),
        ("/data/unmapped_fields_count", vec![json!(-1), json!(0.5)]),
        ("/type", vec![json!("assay.adapter.a2a.other")]),
        ("/time", vec![json!("2026-03-04T05:06:07+00:00"), json!("2026-03-04T05:06:07.1Z")]),
        ("/assaycontenthash", vec![json!("0".repeat(64)), Value::Null]),
        ("/assaypii", vec![json!(true)]),
        ("/assayseq", vec![json!(-1), json!("0")]),
    ] {
        for value in values {
            let mut changed = good.clone();
            *changed.pointer_mut(pointer).unwrap() = value.clone();
            assert!(satisfies(&EVENT, &changed).is_err(), "{pointer} may be {value}");
        }
    }
    for value in [json!(null), json!([1, {"any": ["thing"]}]), json!("text"), json!(1.5)] {
        let mut changed = good.clone();
        changed["data"]["attributes"] = value;
        satisfies(&EVENT, &changed).unwrap();
    }
}

#[test]
fn the_schema_names_the_adapter_s_event_types_in_order() {
    let types = schema("event.schema.json")["properties"]["type"]["enum"].clone();
    assert_eq!(types, json!(EventType::ALL.map(EventType::name)));
}
