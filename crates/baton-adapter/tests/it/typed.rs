//! A packet converted by its maker gives the event that its bytes give, byte for byte; and an event written in one go
//! is the one that is written member by member.

use baton_adapter::{Converted, EventType, TypedPacket, TypedTask};
use baton_evidence::canonical::{self, Writer};
use baton_evidence::event::{Event, Origin};
use baton_evidence::event_line::Stamp;
use baton_evidence::time::Time;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use std::borrow::Cow;

use super::packets::{convert_with, fixtures, lenient, strict};

/// Attributes of any names and values; the order of the names is not the canonical one.
#[derive(Debug, Clone, Serialize)]
struct Attributes {
    baton: Baton,
}

#[derive(Debug, Clone, Serialize)]
struct Baton {
    to: String,
    event: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_token: Option<String>,
    from: String,
}

/// What the typed fields are made of.
#[derive(Debug, Clone)]
struct Said {
    event_type: EventType,
    millis: i64,
    agent: String,
    capabilities: Option<Vec<String>>,
    task: Option<(String, String, String)>,
    artifact: Option<String>,
    message: Option<String>,
    attributes: Option<Attributes>,
}

impl Said {
    fn packet(&self) -> TypedPacket<'_, &Attributes> {
        let task = self.task.as_ref();
        TypedPacket {
            event_type: self.event_type,
            time: Time::from_unix_millis(self.millis).unwrap_or(Time::UNKNOWN),
            agent_id: &self.agent,
            capabilities: self.capabilities.as_deref(),
            task: task.map(|(id, status, kind)| TypedTask { id, status, kind }),
            artifact_id: self.artifact.as_deref().map(Cow::Borrowed),
            message_id: self.message.as_deref(),
            attributes: self.attributes.as_ref(),
        }
    }
}

/// The event as a log has it, written member by member: first the content hash, then the whole.
fn slowly<D: Serialize>(event: Event<'_, D>, stamp: Stamp<'_>) -> Vec<u8> {
    let mut event = Event {
        assayrunid: stamp.run_id.to_owned(),
        assayseq: stamp.seq,
        id: stamp.to_string(),
        batonorigin: Some(Origin::Hub),
        ..event
    };
    event.assaycontenthash = Some(event.content_hash(&mut Writer::new()).unwrap());
    canonical::to_vec(&event).unwrap()
}

/// The same in one go.
fn at_once<D: Serialize>(event: Event<'_, D>, stamp: Stamp<'_>) -> Vec<u8> {
    let mut writer = Writer::with_capacity(16);
    let event = Event { batonorigin: Some(Origin::Hub), ..event };
    event.write_stamped(&mut writer, stamp).unwrap();
    writer.into_bytes()
}

const STAMP: Stamp<'_> = Stamp { run_id: "net_0123456789ab", seq: 41 };

/// Ids, names, words: plain ones, those a rule looks for, and any text at all.
fn text() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] =
        &["", "delegation", "task.requested", "unknown-task", "\"\\\n\u{0}", "\u{e000}", "😀"];
    prop_oneof![select(KNOWN).prop_map(str::to_owned), "[a-z0-9-]{1,40}", any::<String>()]
}

fn said() -> impl Strategy<Value = Said> {
    let millis = prop_oneof![any::<i64>(), -99_000_000_000_000..300_000_000_000_000_i64];
    let baton = (text(), any::<u64>(), prop::option::of(text()), text());
    let attributes = baton.prop_map(|(to, event, actor_token, from)| Attributes {
        baton: Baton { to, event, actor_token, from },
    });
    (
        (select(&EventType::ALL[..]), millis, text(), prop::option::of(prop::collection::vec(text(), 0..5))),
        prop::option::of((text(), text(), text())),
        (prop::option::of(text()), prop::option::of(text())),
        prop::option::of(attributes),
    )
        .prop_map(
            |((event_type, millis, agent, capabilities), task, (artifact, message), attributes)| Said {
                event_type,
                millis,
                agent,
                capabilities,
                task,
                artifact,
                message,
                attributes,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn a_typed_packet_gives_the_event_its_bytes_give(said in said()) {
        let packet = said.packet();
        let bytes = packet.to_bytes().unwrap();
        match (packet.event(), convert_with(&bytes, &strict())) {
            (Ok(typed), Ok(Converted { event, .. })) => {
                prop_assert_eq!(typed.data.handoff, event.data.handoff);
                prop_assert_eq!((&typed.id, &typed.assayrunid), (&event.id, &event.assayrunid));
                prop_assert_eq!(at_once(typed.clone(), STAMP), at_once(event.clone(), STAMP));
                prop_assert_eq!(at_once(typed, STAMP), slowly(event, STAMP));
            }
            (Err(typed), Err(read)) => prop_assert_eq!(typed, read),
            (typed, read) => prop_assert!(false, "{:?} and {:?}", typed, read),
        }
    }
}

#[test]
fn every_fixture_is_written_in_one_go_as_it_is_member_by_member() {
    let mut written = 0;
    for (name, packet) in fixtures() {
        let Ok(Converted { event, .. }) = convert_with(&packet, &lenient()) else { continue };
        for stamp in [STAMP, Stamp { run_id: "a\"b\\c\u{1}é", seq: u64::MAX }] {
            for reporter in [None, Some(Cow::Borrowed("a \"reporter\" é"))] {
                let event = Event { batonreporter: reporter, ..event.clone() };
                assert_eq!(at_once(event.clone(), stamp), slowly(event, stamp), "{name}");
            }
        }
        let event = Event { subject: None, ..event };
        assert_eq!(at_once(event.clone(), STAMP), slowly(event, STAMP), "{name}");
        written += 1;
    }
    assert!(written > 10, "{written}");
}
