//! Any bytes into the adapter, strict and lenient, with and without bounds. It agrees with `serde_json::Value` on
//! what is JSON, and every event it gives has a content hash and a line that reads again to the same.

#![no_main]

use baton_adapter::{Converted, DigestOnly, Input, Mode, Options, convert};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::{EventLine, LineError};
use libfuzzer_sys::fuzz_target;

const LENIENT: Options =
    Options { mode: Mode::Lenient, max_payload_bytes: None, max_json_depth: None, max_array_length: None };

fuzz_target!(|bytes: &[u8]| {
    let input = Input { bytes, media_type: "application/json", protocol_version: Some("0.2") };
    let lenient = convert(input, &LENIENT, &mut DigestOnly);
    let is_json = serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    let refused_as_json =
        lenient.as_ref().is_err_and(|error| error.message.starts_with("invalid A2A payload JSON: "));
    assert_eq!(is_json, !refused_as_json);

    let strict = Options { mode: Mode::Strict, ..LENIENT };
    let bounded = Options {
        max_payload_bytes: Some(2048),
        max_json_depth: Some(5),
        max_array_length: Some(3),
        ..LENIENT
    };
    for narrower in [strict, bounded] {
        if let Ok(converted) = convert(input, &narrower, &mut DigestOnly) {
            assert_eq!(Some(&converted), lenient.as_ref().ok());
        }
    }
    if let Ok(converted) = &lenient {
        check_event(converted);
    }
});

fn check_event(converted: &Converted<'_>) {
    let hash = converted.event.content_hash(&mut Writer::new()).expect("every event has a content hash");
    let line = serde_json::to_string(&converted.event).expect("every event prints");
    let mut writer = Writer::new();
    match EventLine::read(&mut writer, &line) {
        Ok(event) => assert_eq!(event.compute_content_hash(), hash),
        // Bounds that only bundles have: depth, names in an object, characters in a string.
        Err(LineError::Text(error)) => {
            let text = error.to_string();
            assert!(text.contains(" deeper than ") || text.contains(" more than "), "{text}: {line}");
        }
        Err(error) => panic!("{error}: {line}"),
    }
}
