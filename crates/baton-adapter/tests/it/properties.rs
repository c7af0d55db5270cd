//! Any bytes give an event or an error, never a panic; and the one typed pass agrees with a parse into a whole
//! document: on what is JSON, also in parts nobody reads, and on everything that is read. The oracle below digs
//! through a `serde_json::Value`, which the adapter itself never builds.

use baton_adapter::{Level, Options};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::{EventLine, LineError};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use super::packets::{convert_hinted, convert_with, fixtures, lenient, strict};

/// Holds one text against the oracle.
fn agrees(bytes: &[u8], hint: Option<&str>) -> Result<(), TestCaseError> {
    let shown = String::from_utf8_lossy(bytes);
    let converted = convert_hinted(bytes, &lenient(), hint);
    let document = match serde_json::from_slice::<Value>(bytes) {
        Ok(document) => document,
        Err(error) => {
            let Err(refused) = converted else {
                return Err(TestCaseError::fail(format!("not JSON ({error}) and taken: {shown}")));
            };
            prop_assert!(refused.message.starts_with("invalid A2A payload JSON: "), "{}: {}", refused, shown);
            return Ok(());
        }
    };
    match (expected(&document, hint), converted) {
        (Err(message), Err(refused)) => prop_assert_eq!(refused.message, message, "{}", shown),
        (Ok(expected), Ok(converted)) => {
            let mut payload = serde_json::to_value(&converted.event.data).unwrap();
            payload.as_object_mut().unwrap().remove("adapter_version");
            // As text, so that -0.0 and 0.0, 1 and 1.0 differ.
            prop_assert_eq!(payload.to_string(), expected.payload.to_string(), "{}", shown);
            prop_assert_eq!(&converted.lossiness.notes, &expected.notes, "{}", shown);
            prop_assert_eq!(converted.event.subject.as_deref(), Some(&*expected.subject), "{}", shown);
            let level = converted.lossiness.lossiness_level;
            let count = payload["unmapped_fields_count"].as_u64().unwrap();
            prop_assert_eq!(converted.lossiness.unmapped_fields_count, count);
            prop_assert_eq!(level == Level::None, count == 0);
            prop_assert_eq!(level == Level::High, count > 2);
            is_read_again(&serde_json::to_string(&converted.event).unwrap(), |writer| {
                converted.event.content_hash(writer).unwrap().to_string()
            })?;
        }
        (expected, converted) => {
            let expected = expected.map(|expected| expected.payload);
            return Err(TestCaseError::fail(format!("{converted:?} instead of {expected:?}: {shown}")));
        }
    }
    // Strict takes no more than lenient, and the same of what it takes.
    if let Ok(strictly) = convert_hinted(bytes, &strict(), hint) {
        prop_assert_eq!(&strictly, &convert_hinted(bytes, &lenient(), hint).unwrap());
        prop_assert!(strictly.lossiness.notes.is_empty());
    }
    Ok(())
}

/// An event's line reads again and hashes alike, unless it crosses a bound only bundles have.
fn is_read_again(line: &str, content_hash: impl Fn(&mut Writer) -> String) -> Result<(), TestCaseError> {
    let mut writer = Writer::new();
    match EventLine::read(&mut writer, line) {
        Ok(event) => {
            let computed = event.compute_content_hash().to_string();
            prop_assert_eq!(computed, content_hash(&mut Writer::new()), "{}", line);
        }
        Err(LineError::Text(error)) => {
            prop_assert_eq!(error.to_string(), "nested deeper than 64 containers", "{}", line);
        }
        Err(error) => return Err(TestCaseError::fail(format!("{error}: {line}"))),
    }
    Ok(())
}

struct Expected {
    payload: Value,
    notes: Vec<&'static str>,
    subject: String,
}

const MAPPED: [&str; 9] =
    ["protocol", "version", "event_type", "timestamp", "agent", "task", "artifact", "message", "attributes"];

/// Section A in lenient mode, from step 5 on, as plainly as possible.
fn expected(document: &Value, hint: Option<&str>) -> Result<Expected, String> {
    let text = |part: &str, name: &str| document.get(part)?.get(name)?.as_str().map(str::to_owned);
    let top = |name: &str| document.get(name).and_then(Value::as_str);
    if !document.is_object() || top("protocol") != Some("a2a") {
        return Err("protocol must be 'a2a'".into());
    }
    let version = top("version").or(hint).ok_or("missing required field: version")?;
    let mut parts = version.split('.');
    let mut number = || parts.next().and_then(|part| part.parse::<u64>().ok());
    if !(number() == Some(0) && number().is_some_and(|minor| minor >= 2)) {
        return Err(format!("unsupported A2A version: {version}"));
    }

    let mut notes = Vec::new();
    let mut stand_in = |id: Option<String>, note: &'static str, name: &str| {
        id.unwrap_or_else(|| {
            notes.push(note);
            name.to_owned()
        })
    };
    let agent_id =
        stand_in(text("agent", "id"), "missing agent.id -> substituted unknown-agent", "unknown-agent");
    let (mut task_id, mut artifact_id, mut message_id) =
        (text("task", "id"), text("artifact", "id"), text("message", "id"));
    let subject = match top("event_type") {
        Some("agent.capabilities") => agent_id.clone(),
        Some("task.requested" | "task.updated") => {
            let id = stand_in(task_id, "missing task.id -> substituted unknown-task", "unknown-task");
            task_id = Some(id.clone());
            id
        }
        Some("artifact.shared") => {
            let note = "missing artifact.id -> substituted unknown-artifact";
            let id = stand_in(artifact_id, note, "unknown-artifact");
            artifact_id = Some(id.clone());
            id
        }
        _ => {
            stand_in(None, "unsupported event_type -> emitted generic A2A message event", "");
            let note = "missing message.id -> substituted unknown-message";
            let id = stand_in(message_id, note, "unknown-message");
            message_id = Some(id.clone());
            id
        }
    };

    let part = |part: &str, id: String, names: &[&str]| {
        let mut members = Map::from_iter([("id".to_owned(), Value::from(id))]);
        members.extend(names.iter().filter_map(|name| Some(((*name).to_owned(), text(part, name)?.into()))));
        members
    };
    let mut agent = part("agent", agent_id, &["name", "role"]);
    if let Some(Value::Array(all)) = document.get("agent").and_then(|agent| agent.get("capabilities")) {
        let mut strings: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        strings.sort_unstable();
        agent.insert("capabilities".into(), strings.into());
    }
    let visible = top("event_type") == Some("task.requested")
        && text("task", "kind").is_some_and(|kind| kind == "delegation");
    let card = |name: &str| {
        let pointer = format!("/attributes/assay_g4/{name}/visible");
        document.pointer(&pointer) == Some(&Value::Bool(true)) && !in_an_array(document, name)
    };
    let mut payload = json!({
        "adapter_id": "assay-adapter-a2a", "protocol": "a2a", "protocol_name": "a2a", "protocol_version": version,
        "agent": agent,
        "discovery": {
            "agent_card_visible": card("agent_card"),
            "agent_card_source_kind": if card("agent_card") { "attributes" } else { "unknown" },
            "extended_card_access_visible": card("extended_card_access"),
            "signature_material_visible": false,
        },
        "handoff": {
            "visible": visible,
            "source_kind": if visible { "typed_payload" } else { "unknown" },
            "task_ref_visible": visible && text("task", "id").is_some(),
            "message_ref_visible": visible && text("message", "id").is_some(),
        },
        "unmapped_fields_count": notes.len()
            + document.as_object().unwrap().keys().filter(|key| !MAPPED.contains(&key.as_str())).count(),
    });
    let members = payload.as_object_mut().unwrap();
    let optional = [
        ("upstream_event_type", top("event_type").map(Value::from)),
        ("task", task_id.map(|id| part("task", id, &["status", "kind"]).into())),
        ("artifact", artifact_id.map(|id| part("artifact", id, &["name", "media_type"]).into())),
        ("message", message_id.map(|id| part("message", id, &["role"]).into())),
        ("attributes", document.get("attributes").map(normalised)),
    ];
    members.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Ok(Expected { payload, notes, subject })
}

/// A JSON pointer also walks into arrays by number; the names here are never numbers.
fn in_an_array(document: &Value, name: &str) -> bool {
    let g4 = &document["attributes"]["assay_g4"];
    document["attributes"].is_array() || g4.is_array() || g4[name].is_array()
}

/// `Value`'s maps are sorted by bytes already.
fn normalised(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(normalised).collect();
            if items.iter().all(Value::is_string) {
                items.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            }
            items.into()
        }
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), normalised(value))).collect()
        }
        scalar => scalar.clone(),
    }
}

// Texts that are JSON or nearly.

/// Scalars, good and bad, as they are written.
const SCALARS: [&str; 44] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "1.5",
    "1e2",
    "1E-7",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "0.1e-400",
    "1e308",
    r#""""#,
    r#""a""#,
    r#""a2a""#,
    r#""delegation""#,
    r#""\u0064elegation""#,
    r#""task.requested""#,
    r#""0.2""#,
    r#""é😀\ud83d\ude00\u0000\n\/""#,
    r#""2026-03-04T05:06:07Z""#,
    // From here on not JSON.
    "1e999",
    "-1e309",
    "01",
    "1.",
    ".5",
    "+1",
    "nul",
    "NaN",
    r#""\ud800""#,
    r#""\udc00\ud800""#,
    r#""\ud800x""#,
    r#""\x""#,
    r#""\u12g4""#,
    "\"\u{1}\"",
    "\"\n\"",
    r#""unended"#,
    "'a'",
    "",
];
const GOOD_SCALARS: usize = 26;

const KEYS: [&str; 30] = [
    "protocol",
    "version",
    "event_type",
    "timestamp",
    "agent",
    "task",
    "artifact",
    "message",
    "attributes",
    "id",
    "name",
    "role",
    "kind",
    "status",
    "media_type",
    "capabilities",
    "assay_g4",
    "agent_card",
    "extended_card_access",
    "visible",
    "handoff",
    "x",
    "X",
    "",
    r"\u0069d",
    r"\u0074ask",
    "é",
    "😀",
    "～",
    r"\n",
];

/// Sometimes a scalar that is none, so that most texts have few faults.
fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        40 => select(&SCALARS[..GOOD_SCALARS]),
        1 => select(&SCALARS[GOOD_SCALARS..]),
    ]
    .prop_map(Into::into)
}

fn value() -> impl Strategy<Value = String> {
    scalar().prop_recursive(6, 48, 6, |inner| {
        let members = prop::collection::vec((key(), inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(", "))),
            members.prop_map(|members| object(&members)),
            prop::collection::vec(select(&["\"b\"", "\"a\"", "\"～\"", "\"😀\"", "\"\""][..]), 0..5)
                .prop_map(|strings| format!("[{}]", strings.join(","))),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![60 => select(&KEYS[..]).prop_map(str::to_owned), 1 => Just(r"\ud800".to_owned())]
}

fn object(members: &[(String, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\" :{value}")).collect();
    format!("{{{}}}", members.join("\n, "))
}

/// Members that make a packet, in any order and number, among others that do not.
pub(super) fn packet() -> impl Strategy<Value = String> {
    let member = prop_oneof![
        6 => member("event_type", strings(&EVENT_TYPES).boxed()),
        4 => member("agent", part(&["id", "id", "name", "role", "capabilities"]).boxed()),
        6 => member("task", part(&["id", "id", "status", "kind", "kind", "kind"]).boxed()),
        2 => member("artifact", part(&["id", "name", "media_type"]).boxed()),
        4 => member("message", part(&["id", "role"]).boxed()),
        3 => member("attributes", value().boxed()),
        1 => member("timestamp", strings(&TIMES).boxed()),
        1 => member("version", strings(&["0.2", "0.3.1", "1.0", ""]).boxed()),
        1 => (key(), value()).boxed(),
    ];
    (prop::collection::vec(member, 0..12), any::<Index>(), any::<Index>()).prop_map(|(mut members, p, v)| {
        members.insert(p.index(members.len() + 1), ("protocol".into(), "\"a2a\"".into()));
        members.insert(v.index(members.len() + 1), ("version".into(), "\"0.2\"".into()));
        object(&members)
    })
}

/// Some more often than others: what is drawn is what is interesting.
const EVENT_TYPES: [&str; 8] = [
    "task.requested",
    "task.requested",
    "task.requested",
    "task.updated",
    "artifact.shared",
    "agent.capabilities",
    "message",
    "",
];
const TIMES: [&str; 4] =
    ["2026-03-04T05:06:07.5+01:00", "9999-12-31T23:59:60-01:00", "0000-01-01T00:00:00+01:00", "-"];

fn strings(all: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(all).prop_map(|text| format!("\"{text}\""))
}

fn member(name: &'static str, value: BoxedStrategy<String>) -> BoxedStrategy<(String, String)> {
    value.prop_map(move |value| (name.to_owned(), value)).boxed()
}

/// A part of a packet: mostly an object, mostly of strings, mostly under the names that are read.
fn part(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    let leaf =
        prop_oneof![9 => strings(&["", "x", "delegation", "delegation", "unknown-task"]), 1 => value()];
    let name = prop_oneof![9 => select(names).prop_map(str::to_owned), 1 => key()];
    let members = prop::collection::vec((name, leaf), 1..7);
    prop_oneof![19 => members.prop_map(|members| object(&members)), 1 => value()]
}

/// A fixture with some bytes changed, added, taken away, or its end cut off.
fn damaged_fixture() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![select(&b"{}[]\",:\\u0e-+.dtf \n\x01\x80\xff\xed\xa0"[..]), any::<u8>()];
    let edits = prop::collection::vec((any::<Index>(), byte, 0..4u8), 1..4);
    (select(fixtures()), edits).prop_map(|((_, mut bytes), edits)| {
        for (at, byte, edit) in edits {
            let at = at.index(bytes.len() + 1);
            match edit {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                2 if byte == 0 => bytes.truncate(at),
                _ => bytes.insert(at, byte),
            }
        }
        bytes
    })
}

fn depth_of(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(depth_of).max().unwrap_or(0),
        Value::Object(members) => members.values().map(depth_of).max().unwrap_or(0),
        _ => 0,
    }
}

fn longest_in(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(longest_in).chain([items.len()]).max().unwrap_or(0),
        Value::Object(members) => members.values().map(longest_in).max().unwrap_or(0),
        _ => 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_an_event_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        agrees(&bytes, None)?;
    }

    #[test]
    fn any_text_that_is_nearly_json_is_taken_exactly_if_it_is_json(text in value()) {
        agrees(text.as_bytes(), Some("0.2"))?;
    }

    #[test]
    fn any_packet_is_read_as_a_whole_document_would_be(text in packet()) {
        agrees(text.as_bytes(), None)?;
    }

    #[test]
    fn a_bad_part_is_refused_wherever_it_stands(text in packet(), bad in select(&SCALARS[GOOD_SCALARS..]), at in any::<Index>()) {
        let room = ["x", "attributes", "task", "message", "timestamp", "event_type", "agent"];
        let member = format!(",\"{}\":{bad}}}", at.get(&room));
        let text = format!("{}{member}", text.strip_suffix('}').unwrap());
        prop_assert!(serde_json::from_str::<Value>(&text).is_err());
        agrees(text.as_bytes(), None)?;
    }

    #[test]
    fn a_damaged_packet_is_taken_exactly_if_it_is_json(bytes in damaged_fixture()) {
        agrees(&bytes, None)?;
    }

    #[test]
    fn depth_is_bounded_where_a_document_s_is(depth in 120usize..135, at in any::<Index>(), object in any::<bool>()) {
        let room = at.get(&["x", "attributes", "task", "agent", "version"]);
        let (open, close) = if object { (r#"{"id":"#, "}") } else { ("[", "]") };
        let nested = format!("{}0{}", open.repeat(depth), close.repeat(depth));
        agrees(nested.as_bytes(), None)?;
        agrees(format!(r#"{{"protocol":"a2a","version":"0.2","{room}":{nested}}}"#).as_bytes(), Some("0.2"))?;
    }

    #[test]
    fn each_bound_refuses_exactly_what_is_over_it(text in packet(), bound in 0usize..8) {
        if let Ok(document) = serde_json::from_str::<Value>(&text) {
            let told = |options: &Options, message: &str| {
                let converted = convert_with(text.as_bytes(), options);
                converted.is_err_and(|error| error.message == format!("payload exceeds {message} ({bound})"))
            };
            let depth = Options { max_json_depth: Some(bound), ..lenient() };
            prop_assert_eq!(told(&depth, "max_json_depth"), depth_of(&document) > bound, "{}", text);
            let length = Options { max_array_length: Some(bound), ..lenient() };
            prop_assert_eq!(told(&length, "max_array_length"), longest_in(&document) > bound, "{}", text);
        }
    }
}

#[test]
fn texts_on_the_edge_of_json_are_taken_exactly_if_a_document_takes_them() {
    let packet = |extra: &str| format!(r#"{{"protocol":"a2a","version":"0.2",{extra}}}"#);
    let good = packet(r#""x":1"#);
    let mut texts: Vec<Vec<u8>> = vec![
        b"".into(),
        b" ".into(),
        format!("\u{feff}{good}").into(),
        format!(" \t\r\n{good}\n \n").into(),
        format!("{good}\u{0}").into(),
        format!("{good},").into(),
        format!("{good}{good}").into(),
        format!("{good}//").into(),
        format!("\u{b}{good}").into(),
        format!("\u{a0}{good}").into(),
        [good.as_bytes(), b"\xff"].concat(),
        [b"\xef\xbb\xbf", good.as_bytes()].concat(),
        good.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        packet(r#""x":1,"#).into(),
        packet(r#"x:1"#).into(),
        packet(r#"'x':1"#).into(),
        packet(r#"1:1"#).into(),
    ];
    for room in ["x", "attributes", "task", "agent", "timestamp", "message"] {
        texts.extend(SCALARS.iter().map(|scalar| packet(&format!("\"{room}\":{scalar}")).into_bytes()));
        texts.extend(SCALARS.iter().map(|scalar| packet(&format!("\"{room}\":[{scalar}]")).into_bytes()));
        texts.extend(
            SCALARS.iter().map(|scalar| packet(&format!("\"{room}\":{{\"id\":{scalar}}}")).into_bytes()),
        );
        // Bytes that are no UTF-8: a stray one, a cut one, an overlong one, a surrogate, one past the end.
        for bad in [&b"\x80"[..], b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff"] {
            let (before, after) = (format!(r#"{{"protocol":"a2a","version":"0.2","{room}":""#), b"\"}");
            texts.push([before.as_bytes(), bad, after].concat());
            let before = format!(r#"{{"protocol":"a2a","version":"0.2","{room}":{{""#);
            texts.push([before.as_bytes(), bad, b"\":1}}"].concat());
        }
    }
    let (mut taken, count) = (0, texts.len());
    for text in texts {
        agrees(&text, None).unwrap();
        taken += usize::from(convert_with(&text, &lenient()).is_ok());
    }
    assert!(taken > 300 && taken < count - 300, "{taken} of {count}");
}
