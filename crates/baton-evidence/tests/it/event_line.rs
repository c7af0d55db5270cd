//! One event's line: what is read of it, and the canonical line it is written as.

use baton_evidence::canonical::Writer;
use baton_evidence::event_line::{EventLine, LineError, Stamp};

use super::forge;

fn written(event: &EventLine<'_>) -> String {
    let mut line = Writer::new();
    event.write(&mut line);
    String::from_utf8(line.bytes().to_vec()).unwrap()
}

#[test]
fn an_event_is_written_in_canonical_form_with_every_member_it_came_with() {
    let line =
        forge::hashed("t-0", 3, r#"{"b": 1.0, "a": [ ]}"#).replacen('{', "{\"traceparent\":\"00-x\",", 1);
    let mut writer = Writer::new();
    let event = EventLine::read(&mut writer, &line).unwrap();
    assert_eq!(event.data(), br#"{"a":[],"b":1}"#);
    let text = written(&event);
    let canonical = serde_jcs::to_string(&serde_json::from_str::<serde_json::Value>(&line).unwrap()).unwrap();
    assert_eq!(text, canonical);
    let mut again = Writer::new();
    assert_eq!(written(&EventLine::read(&mut again, &text).unwrap()), text);
}

#[test]
fn a_restamp_changes_the_numbers_and_the_hash_and_nothing_else() {
    let line = forge::event_with("t-0", 3, "{}");
    let (mut writer, mut stamped) = (Writer::new(), Writer::new());
    let event = EventLine::read(&mut writer, &line).unwrap();
    assert_eq!(event.content_hash, None);
    event.write_restamped(&mut stamped, Stamp { run_id: "other", seq: 7 }, &event.compute_content_hash());
    let mut before: serde_json::Value = serde_json::from_str(&line).unwrap();
    before["assaycontenthash"] = event.compute_content_hash().to_string().into();
    before["assayrunid"] = "other".into();
    before["assayseq"] = 7.into();
    before["id"] = "other:7".into();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(stamped.bytes()).unwrap(), before);
}

#[test]
fn a_null_content_hash_is_an_absent_one() {
    let line = forge::event_with("t-0", 0, "{}");
    let null = line.replacen('{', "{\"assaycontenthash\":null,", 1);
    let (mut one, mut other) = (Writer::new(), Writer::new());
    let (absent, null) =
        (EventLine::read(&mut one, &line).unwrap(), EventLine::read(&mut other, &null).unwrap());
    assert_eq!((&absent.content_hash, &null.content_hash), (&None, &None));
    assert_eq!(absent.compute_content_hash(), null.compute_content_hash());
}

#[test]
fn known_members_must_be_there_and_of_their_type() {
    let good = forge::hashed("t-0", 0, "{}");
    let good: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&good).unwrap();
    for name in good.keys() {
        let mut changed = good.clone();
        // Data may be anything; so may the rest be only where it is not read.
        changed.insert(name.clone(), serde_json::json!([]));
        let line = serde_json::to_string(&changed).unwrap();
        assert_eq!(EventLine::read(&mut Writer::new(), &line).is_ok(), name == "data", "{name} as an array");
        changed.remove(name);
        let line = serde_json::to_string(&changed).unwrap();
        match EventLine::read(&mut Writer::new(), &line) {
            Err(LineError::Missing(missing)) => assert_eq!(missing, name),
            Err(error) => panic!("{name}: {error}"),
            // The two that may be absent before an event is packed.
            Ok(_) => {
                assert!(["subject", "assaycontenthash"].contains(&name.as_str()), "{name} is not missed");
            }
        }
    }
}
