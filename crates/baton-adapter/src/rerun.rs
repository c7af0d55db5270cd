//! The adapter once more, on a kept packet: does it say what the recorded event says? The adapter version is the
//! recorded one, so that a newer release of the same freeze still agrees.

use baton_evidence::canonical;
use baton_evidence::event_line::EventLine;
use baton_evidence::export::{Difference, Part};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

use crate::{DigestOnly, Input, Mode, Options, convert_as};

/// Lenient equals strict wherever strict accepts, so one run serves both. No bound is lower than any door's, or a
/// packet that was recorded could not be run again; the parser's own bound on nesting holds.
const OPTIONS: Options = Options {
    mode: Mode::Lenient,
    max_payload_bytes: Some(16 << 20),
    max_json_depth: None,
    max_array_length: None,
};

/// What a re-run takes from the recorded event and not from the packet.
#[derive(Deserialize)]
struct Recorded<'a> {
    #[serde(borrow)]
    adapter_version: Cow<'a, str>,
    /// A packet may name no version; what was recorded then is what the transport named.
    #[serde(borrow)]
    protocol_version: Cow<'a, str>,
}

/// Converts the packet again and compares type, source, subject, time and data with the recorded event. What the
/// event does not carry of the packet, no re-run can compare.
pub fn rerun(recorded: &EventLine<'_>, packet: &[u8]) -> Result<(), Difference> {
    let named: Recorded<'_> = serde_json::from_slice(recorded.data())
        .map_err(|_| Difference::new(Part::Data, "the recorded data is not an adapter's"))?;
    let input = Input {
        bytes: packet,
        media_type: "application/json",
        protocol_version: Some(&named.protocol_version),
    };
    let event = convert_as(&named.adapter_version, input, &OPTIONS, &mut DigestOnly)
        .map_err(|_| Difference::new(Part::Packet, "the adapter does not take the packet"))?
        .event;
    let same = |part, same: bool| same.then_some(()).ok_or_else(|| Difference::of(part));
    same(Part::Type, event.kind == recorded.kind)?;
    same(Part::Source, event.source == recorded.source)?;
    same(Part::Subject, event.subject == recorded.subject)?;
    same(Part::Time, event.time == recorded.time)?;
    let data = canonical::to_vec(&event.data)
        .map_err(|_| Difference::new(Part::Packet, "its event has no canonical form"))?;
    if data != recorded.data() {
        return Err(Difference::new(Part::Data, differing_member(&data, recorded.data())));
    }
    Ok(())
}

/// Names the first member of the payload that differs. Only names the adapter itself writes are repeated.
fn differing_member(made: &[u8], recorded: &[u8]) -> String {
    let read = |bytes| serde_json::from_slice::<Map<String, Value>>(bytes).unwrap_or_default();
    let (made, recorded) = (read(made), read(recorded));
    match made.iter().find(|(name, value)| recorded.get(*name) != Some(*value)) {
        Some((name, _)) => format!("data.{name} differs"),
        None => "data has more members".to_owned(),
    }
}
