//! What is read of a packet and what stands in for what is not there: fields, versions, substitutions, notes,
//! the count and its level, capabilities, attributes, the event around the payload.

use baton_adapter::{Converted, ErrorKind, Level};
use serde_json::{Value, json};

use super::packets::{convert_hinted, convert_with, lenient, refusal, strict};

fn payload(packet: &str) -> Value {
    let converted = convert_with(packet.as_bytes(), &lenient()).unwrap_or_else(|e| panic!("{packet}: {e}"));
    serde_json::to_value(&converted.event.data).unwrap()
}

/// A packet with these members besides protocol and version.
fn packet(members: &str) -> String {
    format!(r#"{{"protocol":"a2a","version":"0.2"{}{members}}}"#, if members.is_empty() { "" } else { "," })
}

#[test]
fn versions_are_judged_by_their_first_two_parts() {
    for version in [
        "0.2",
        "0.2.0",
        "0.3.1",
        "0.99",
        "0.10",
        "0.02",
        "00.2",
        "+0.2",
        "0.+2",
        "0.2.",
        "0.2.garbage",
        "0.2..",
        "0.2.1.2.3",
        "0.18446744073709551615",
        "0.2.-1",
    ] {
        let packet = json!({"protocol": "a2a", "version": version}).to_string();
        let payload = payload(&packet);
        assert_eq!(payload["protocol_version"], version, "the version is given on verbatim");
    }
    for version in [
        "",
        "0",
        "0.",
        ".2",
        "0.1",
        "0.0",
        "1.0",
        "1.2",
        "2",
        "v0.2",
        "0.2-rc1",
        "0.v2",
        " 0.2",
        "0.2 ",
        "0 .2",
        "-0.2",
        "0.-2",
        "0,2",
        "0.18446744073709551616",
        "٠.٢",
        "0x0.2",
        "0.2\n",
        "latest",
    ] {
        let packet = json!({"protocol": "a2a", "version": version}).to_string();
        let refused = (ErrorKind::UnsupportedProtocolVersion, format!("unsupported A2A version: {version}"));
        assert_eq!(refusal(&packet, &lenient()), refused);
        assert_eq!(refusal(&packet, &strict()), refused);
    }
}

#[test]
fn the_hint_counts_only_where_the_packet_has_no_version_string() {
    let version = |packet: &str, hint: Option<&str>| -> Result<String, String> {
        match convert_hinted(packet.as_bytes(), &lenient(), hint) {
            Ok(converted) => Ok(converted.event.data.protocol_version.into_owned()),
            Err(error) => Err(error.message.into_owned()),
        }
    };
    let (with, empty, number, none) = (
        r#"{"protocol":"a2a","version":"0.2"}"#,
        r#"{"protocol":"a2a","version":""}"#,
        r#"{"protocol":"a2a","version":0.2}"#,
        r#"{"protocol":"a2a"}"#,
    );
    let missing = || Err("missing required field: version".to_owned());
    let unsupported = |version: &str| Err(format!("unsupported A2A version: {version}"));
    assert_eq!(version(with, Some("0.9")), Ok("0.2".into()));
    assert_eq!(version(with, Some("9.9")), Ok("0.2".into()));
    assert_eq!(version(empty, Some("0.9")), unsupported(""));
    for without in
        [number, none, r#"{"protocol":"a2a","version":null}"#, r#"{"protocol":"a2a","version":["0.2"]}"#]
    {
        assert_eq!(version(without, None), missing());
        assert_eq!(version(without, Some("0.9")), Ok("0.9".into()));
        assert_eq!(version(without, Some("1.0")), unsupported("1.0"));
        assert_eq!(version(without, Some("")), unsupported(""));
    }
}

#[test]
fn the_protocol_is_the_exact_string_in_an_object() {
    let refused = (ErrorKind::Measurement, "protocol must be 'a2a'".to_owned());
    for packet in [
        "{}",
        r#"{"protocol":"A2A","version":"0.2"}"#,
        r#"{"protocol":"a2a ","version":"0.2"}"#,
        r#"{"protocol":["a2a"],"version":"0.2"}"#,
        r#"{"protocol":null}"#,
        r#"{"protocol":"a2a","protocol":"b2b","version":"0.2"}"#,
        r#"[{"protocol":"a2a","version":"0.2"}]"#,
        r#""a2a""#,
        "null",
        "1",
        "true",
        "[]",
    ] {
        assert_eq!(refusal(packet, &lenient()), refused, "{packet}");
        assert_eq!(refusal(packet, &strict()), refused, "{packet}");
    }
    payload(r#" {"protocol":"b2b","version":"0.2","\u0070rotocol":"a\u0032a"} "#);
}

#[test]
fn substitutions_are_counted_and_noted_in_order() {
    let agent = "missing agent.id -> substituted unknown-agent";
    let event = "unsupported event_type -> emitted generic A2A message event";
    let task = "missing task.id -> substituted unknown-task";
    let artifact = "missing artifact.id -> substituted unknown-artifact";
    let message = "missing message.id -> substituted unknown-message";
    let a = r#""agent":{"id":"a"}"#;
    for (members, subject, notes) in [
        (String::new(), "unknown-message", vec![agent, event, message]),
        (a.to_owned(), "unknown-message", vec![event, message]),
        (format!(r#"{a},"message":{{"id":"m"}}"#), "m", vec![event]),
        (r#""event_type":"task.requested""#.into(), "unknown-task", vec![agent, task]),
        (format!(r#"{a},"event_type":"task.updated""#), "unknown-task", vec![task]),
        (
            r#""event_type":"artifact.shared","task":{"id":"t"}"#.into(),
            "unknown-artifact",
            vec![agent, artifact],
        ),
        (r#""event_type":"agent.capabilities""#.into(), "unknown-agent", vec![agent]),
        (format!(r#"{a},"event_type":"agent.capabilities""#), "a", vec![]),
    ] {
        let packet = packet(&members);
        let Converted { event, lossiness } = convert_with(packet.as_bytes(), &lenient()).unwrap();
        assert_eq!(lossiness.notes, notes, "{packet}");
        assert_eq!(lossiness.unmapped_fields_count, notes.len() as u64, "{packet}");
        assert_eq!(event.data.unmapped_fields_count, notes.len() as u64, "{packet}");
        assert_eq!(event.subject.as_deref(), Some(subject), "{packet}");
        assert_eq!(event.assayrunid, format!("a2a:{subject}"));
        assert_eq!((event.id, event.assayseq), (format!("a2a:{subject}:0"), 0));
    }
}

#[test]
fn an_id_that_the_event_does_not_need_is_neither_substituted_nor_emitted() {
    let packet = packet(
        r#""event_type":"agent.capabilities","agent":{"id":"a"},"task":{"status":"s","kind":"k"},
           "artifact":{"name":"n"},"message":{"role":"r"}"#,
    );
    let payload = payload(&packet);
    for part in ["task", "artifact", "message"] {
        assert_eq!(payload.get(part), None);
    }
    assert_eq!(payload["unmapped_fields_count"], 0);
}

#[test]
fn the_count_grades_from_none_over_low_to_high() {
    for (extra, level) in
        [(0, Level::None), (1, Level::Low), (2, Level::Low), (3, Level::High), (9, Level::High)]
    {
        let members: String = (0..extra).map(|n| format!(r#""x{n}":null,"#)).collect();
        let packet = packet(&format!(r#"{members}"event_type":"agent.capabilities","agent":{{"id":"a"}}"#));
        // Strict does not refuse keys without a place, and no note speaks of them.
        let Converted { event, lossiness } = convert_with(packet.as_bytes(), &strict()).unwrap();
        assert_eq!(lossiness.lossiness_level, level, "{extra}");
        assert_eq!((lossiness.unmapped_fields_count, event.data.unmapped_fields_count), (extra, extra));
        assert!(lossiness.notes.is_empty());
    }
}

#[test]
fn unmapped_keys_are_top_level_keys_of_their_own_counted_once() {
    let count = |members: &str| payload(&packet(members))["unmapped_fields_count"].as_u64().unwrap() - 3;
    assert_eq!(count(r#""x":1"#), 1);
    assert_eq!(count(r#""x":1,"x":2,"\u0078":3"#), 1);
    assert_eq!(count(r#""x":1,"X":2,"":3"#), 3);
    assert_eq!(
        count(r#""timestamp":1,"attributes":{"y":1},"agent":[],"task":1,"artifact":2,"message":{}"#),
        0
    );
    assert_eq!(count(r#""agent":{"x":1,"y":{}},"task":{"z":1}"#), 0, "keys inside parts are not counted");
    assert_eq!(count(r#""handoff":1,"discovery":1,"adapter_id":1"#), 3);
}

#[test]
fn leaves_are_strings_in_objects_and_anything_else_is_absent() {
    let odd = ["null", "1", "1.5", "true", "[]", r#"["x"]"#, "{}", r#"{"id":"x"}"#];
    for value in odd {
        let packet = packet(&format!(
            r#""event_type":{value},"agent":{{"id":"a","name":{value},"role":{value}}},
               "task":{{"id":"t","status":{value},"kind":{value}}},
               "artifact":{{"id":"x","name":{value},"media_type":{value}}},
               "message":{{"id":"m","role":{value}}}"#
        ));
        let payload = payload(&packet);
        assert_eq!(payload.get("upstream_event_type"), None, "{value}");
        assert_eq!(payload["agent"], json!({"id": "a"}), "{value}");
        assert_eq!(payload["task"], json!({"id": "t"}), "{value}");
        assert_eq!(payload["artifact"], json!({"id": "x"}), "{value}");
        assert_eq!(payload["message"], json!({"id": "m"}), "{value}");
        assert_eq!(payload["unmapped_fields_count"], 1, "only the event type counts: {value}");
    }
    for part in odd.into_iter().chain([r#""id""#]).filter(|odd| *odd != r#"{"id":"x"}"#) {
        let packet = packet(&format!(r#""agent":{part},"task":{part},"artifact":{part},"message":{part}"#));
        let payload = payload(&packet);
        assert_eq!(payload["agent"], json!({"id": "unknown-agent"}), "{part}");
        assert_eq!((payload.get("task"), payload.get("artifact")), (None, None), "{part}");
        assert_eq!(payload["unmapped_fields_count"], 3, "{part}");
    }
}

#[test]
fn the_last_of_repeated_parts_and_leaves_wins_also_when_it_is_no_string() {
    let packet = packet(
        r#""event_type":"task.updated","event_type":"task.requested","agent":{"id":"a","role":"r"},"agent":{"id":"b"},
           "task":{"id":"t","id":"u","kind":"delegation","kind":7,"status":1,"status":"s"},
           "message":{"id":"m"},"message":"none","attributes":1,"attributes":[2]"#,
    );
    let payload = payload(&packet);
    assert_eq!(payload["upstream_event_type"], "task.requested");
    assert_eq!(payload["agent"], json!({"id": "b"}));
    assert_eq!(payload["task"], json!({"id": "u", "status": "s"}));
    assert_eq!(payload.get("message"), None);
    assert_eq!(payload["attributes"], json!([2]));
    assert_eq!(payload["handoff"]["visible"], false);
}

#[test]
fn an_empty_string_is_present() {
    let packet = packet(
        r#""event_type":"task.requested","agent":{"id":"","name":"","role":""},
           "task":{"id":"","status":"","kind":"delegation"},"artifact":{"id":"","name":""},"message":{"id":"","role":""}"#,
    );
    let Converted { event, lossiness } = convert_with(packet.as_bytes(), &strict()).unwrap();
    assert_eq!((lossiness.unmapped_fields_count, lossiness.notes.len()), (0, 0));
    assert_eq!((&*event.assayrunid, &*event.id, event.subject.as_deref()), ("a2a:", "a2a::0", Some("")));
    let payload = serde_json::to_value(&event.data).unwrap();
    assert_eq!(payload["agent"], json!({"id": "", "name": "", "role": ""}));
    assert_eq!(payload["artifact"], json!({"id": "", "name": ""}));
    assert!(event.data.handoff.task_ref_visible && event.data.handoff.message_ref_visible);

    let untyped = r#"{"protocol":"a2a","version":"0.2","event_type":"","agent":{"id":""}}"#;
    let violation = (ErrorKind::StrictLossinessViolation, "unsupported event_type in strict mode".to_owned());
    assert_eq!(refusal(untyped, &strict()), violation);
    assert_eq!(self::payload(untyped)["upstream_event_type"], "");
}

#[test]
fn event_types_map_by_exact_match() {
    for name in [
        "task.requested\u{0}",
        "Task.requested",
        " task.requested",
        "task.request",
        "message",
        "taskrequested",
    ] {
        let packet = json!({"protocol": "a2a", "version": "0.2", "event_type": name}).to_string();
        let converted = convert_with(packet.as_bytes(), &lenient()).unwrap();
        assert_eq!(converted.event.kind, "assay.adapter.a2a.message", "{name}");
        assert_eq!(converted.event.data.upstream_event_type.as_deref(), Some(name));
    }
}

#[test]
fn capabilities_are_the_array_s_strings_sorted_by_bytes() {
    let capabilities = |value: &str| {
        let packet = packet(&format!(r#""agent":{{"id":"a","capabilities":{value}}}"#));
        payload(&packet)["agent"].get("capabilities").cloned()
    };
    assert_eq!(capabilities("[]"), Some(json!([])));
    assert_eq!(capabilities(r#"[1,null,{},["a"],true]"#), Some(json!([])));
    assert_eq!(capabilities(r#"["b","a","B","a",""]"#), Some(json!(["", "B", "a", "a", "b"])));
    // By bytes U+FF5E comes before U+1F600; by UTF-16 it would come after.
    assert_eq!(capabilities(r#"["😀","～","é","z"]"#), Some(json!(["z", "é", "～", "😀"])));
    for no_array in ["null", r#""a""#, "{}", r#"{"0":"a"}"#, "1", "true"] {
        assert_eq!(capabilities(no_array), None, "{no_array}");
    }
}

#[test]
fn attributes_are_normalised_at_every_depth() {
    let emitted = |attributes: &str| {
        let packet = packet(&format!(r#""attributes":{attributes}"#));
        let converted = convert_with(packet.as_bytes(), &lenient()).unwrap();
        serde_json::to_string(&converted.event.data.attributes).unwrap()
    };
    for (attributes, expected) in [
        ("null", "null"),
        ("{}", "{}"),
        ("\"text\"", "\"text\""),
        (r#"{"b":1,"a":2}"#, r#"{"a":2,"b":1}"#),
        (r#"{"b":{"d":1,"c":[{"z":1,"y":2}]},"a":2}"#, r#"{"a":2,"b":{"c":[{"y":2,"z":1}],"d":1}}"#),
        (r#"["b","a"]"#, r#"["a","b"]"#),
        (r#"["b","a",1]"#, r#"["b","a",1]"#),
        (r#"["b",["d","c"],"a"]"#, r#"["b",["c","d"],"a"]"#),
        (r#"[2,1]"#, "[2,1]"),
        (r#"["b","b","a"]"#, r#"["a","b","b"]"#),
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        (r#"{"z":1,"a":1,"z":2,"a":{"k":[3],"k":4},"z":3}"#, r#"{"a":{"k":4},"z":3}"#),
        // By bytes, not by UTF-16 as canonical JSON would.
        (r#"{"😀":1,"～":2,"é":3,"z":4}"#, r#"{"z":4,"é":3,"～":2,"😀":1}"#),
        (r#"["😀","～"]"#, r#"["～","😀"]"#),
        (r#"{"a\u0062":1,"ab":2}"#, r#"{"ab":2}"#),
        ("[-0, 0, -1, 1.0, 1e2, 18446744073709551615]", "[-0.0,0,-1,1.0,100.0,18446744073709551615]"),
        ("[18446744073709551616, -9223372036854775809]", "[1.8446744073709552e+19,-9.223372036854776e+18]"),
    ] {
        assert_eq!(emitted(attributes), expected, "{attributes}");
    }
    assert_eq!(payload(&packet("")).get("attributes"), None);
}

#[test]
fn only_an_exact_true_makes_a_card_visible() {
    let discovery =
        |attributes: &str| payload(&packet(&format!(r#""attributes":{attributes}"#)))["discovery"].clone();
    let expected = |card: bool, extended: bool| {
        json!({
            "agent_card_visible": card,
            "agent_card_source_kind": if card { "attributes" } else { "unknown" },
            "extended_card_access_visible": extended,
            "signature_material_visible": false,
        })
    };
    for (card, visible) in
        [("true", true), ("false", false), ("\"true\"", false), ("1", false), ("[true]", false)]
    {
        let card_only = format!(r#"{{"assay_g4":{{"agent_card":{{"visible":{card}}}}}}}"#);
        assert_eq!(discovery(&card_only), expected(visible, false), "{card}");
        let extended_only = format!(r#"{{"assay_g4":{{"extended_card_access":{{"visible":{card}}}}}}}"#);
        assert_eq!(discovery(&extended_only), expected(false, visible), "{card}");
    }
    let twice = r#"{"assay_g4":{"agent_card":{"visible":true}},"assay_g4":{"agent_card":{"visible":false}}}"#;
    assert_eq!(discovery(twice), expected(false, false));
    for elsewhere in [
        "null",
        "[]",
        r#"{"agent_card":{"visible":true}}"#,
        r#"{"assay_g4":[{"agent_card":{"visible":true}}]}"#,
    ] {
        assert_eq!(discovery(elsewhere), expected(false, false), "{elsewhere}");
    }
}

#[test]
fn the_event_around_the_payload_is_the_contract_s() {
    let packet = packet(
        r#""event_type":"artifact.shared","timestamp":"2026-03-04T06:06:07.250+01:00","agent":{"id":"a"},
           "artifact":{"id":"x:1"},"task":{"id":"t"}"#,
    );
    let converted = convert_with(packet.as_bytes(), &strict()).unwrap();
    let mut event = serde_json::to_value(&converted.event).unwrap();
    event.as_object_mut().unwrap().remove("data");
    assert_eq!(
        event,
        json!({
            "specversion": "1.0", "type": "assay.adapter.a2a.artifact.shared", "source": "urn:assay:adapter:a2a",
            "id": "a2a:x:1:0", "time": "2026-03-04T05:06:07.250Z", "datacontenttype": "application/json",
            "subject": "x:1", "assayrunid": "a2a:x:1", "assayseq": 0, "assayproducer": "baton",
            "assayproducerversion": env!("CARGO_PKG_VERSION"), "assaygit": "unknown", "assaypii": false,
            "assaysecrets": false,
        })
    );
}

#[test]
fn a_timestamp_that_is_none_gives_the_fixed_time_without_a_note() {
    for timestamp in
        ["\"\"", "\"yesterday\"", "\"2026-03-04\"", "1772600767", "null", "\"2026-03-04T05:06:07\""]
    {
        let packet = packet(&format!(
            r#""event_type":"agent.capabilities","agent":{{"id":"a"}},"timestamp":{timestamp}"#
        ));
        let converted = convert_with(packet.as_bytes(), &strict()).unwrap();
        assert_eq!(converted.event.time.to_string(), "2023-11-16T02:00:00Z", "{timestamp}");
        assert_eq!(converted.lossiness.notes.len(), 0);
    }
}
