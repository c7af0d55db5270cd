//! What the hub's writer does for every change of a task: packet and leaf of a send, a claim and a reply. Typed, as the
//! hub phrases them, beside the way over the packet's bytes, which gives the same and which others' packets take.

#![allow(clippy::unwrap_used, missing_docs)]

use baton_adapter::{Converted, DigestOnly, EventType, Input, Options, TypedPacket, TypedTask, convert};
use baton_evidence::canonical::Writer;
use baton_evidence::digest::Digest;
use baton_evidence::event::{Event, Origin};
use baton_evidence::event_line::Stamp;
use baton_evidence::time::Time;
use criterion::{Criterion, criterion_group, criterion_main};
use serde::Serialize;
use std::hint::black_box;
use std::time::Duration;

#[derive(Debug, Serialize)]
struct Attributes {
    baton: Baton,
}

/// As the hub's own.
#[derive(Debug, Serialize)]
struct Baton {
    from: &'static str,
    to: &'static str,
    event: u64,
    actor_token: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Digested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Digested>,
}

#[derive(Debug, Serialize)]
struct Digested {
    hmac_sha256: &'static str,
    size_bytes: usize,
}

type Packet = TypedPacket<'static, Attributes>;

const DIGESTED: Digested = Digested {
    hmac_sha256: "317ac329133782933a9c587b2672c3f8e12b57955619da1ec65e230088646a2a",
    size_bytes: 24,
};
const STAMP: Stamp<'_> = Stamp { run_id: "net_010101010101", seq: 123_456 };

fn packet(
    event_type: EventType,
    status: &'static str,
    event: u64,
    content: Option<Digested>,
    result: Option<Digested>,
) -> Packet {
    let baton =
        Baton { from: "planner", to: "coder", event, actor_token: "tk_a7a7a7a7a7a7a7a7", content, result };
    let task = TypedTask { id: "018bcfe5-687b-7101-8101-010101010101", status, kind: "delegation" };
    TypedPacket {
        event_type,
        time: Time::from_unix_millis(1_700_000_000_123).unwrap(),
        agent_id: "planner",
        capabilities: None,
        task: Some(task),
        artifact_id: None,
        message_id: (status != "running").then_some("018bcfe5-687b-7202-8202-020202020202"),
        attributes: Some(Attributes { baton }),
    }
}

/// Packet and leaf.
type Phrased = (Vec<u8>, Vec<u8>);

fn typed(packet: &Packet) -> Phrased {
    let bytes = packet.to_bytes().unwrap();
    let event = Event { batonorigin: Some(Origin::Hub), ..packet.event().unwrap() };
    let mut writer = Writer::with_capacity(2048);
    event.write_stamped(&mut writer, STAMP).unwrap();
    (bytes, writer.into_bytes())
}

fn over_bytes(packet: &Packet) -> Phrased {
    let bytes = serde_json::to_vec(packet).unwrap();
    let input = Input { bytes: &bytes, media_type: "application/json", protocol_version: None };
    let Converted { event, .. } = convert(input, &Options::default(), &mut DigestOnly).unwrap();
    let mut event = Event {
        batonorigin: Some(Origin::Hub),
        assayrunid: STAMP.run_id.to_owned(),
        assayseq: STAMP.seq,
        id: STAMP.to_string(),
        ..event
    };
    let mut writer = Writer::with_capacity(2048);
    event.assaycontenthash = Some(event.content_hash(&mut writer).unwrap());
    writer.clear();
    writer.value(&event).unwrap();
    let leaf = writer.into_bytes();
    (bytes, leaf)
}

fn phrase(c: &mut Criterion) {
    for (name, packet) in [
        ("send", packet(EventType::TaskRequested, "delivered", 1, Some(DIGESTED), None)),
        ("claim", packet(EventType::TaskUpdated, "running", 2, None, None)),
        ("reply", packet(EventType::TaskUpdated, "replied", 3, None, Some(DIGESTED))),
    ] {
        let (bytes, leaf) = typed(&packet);
        assert_eq!((&bytes, &leaf), (&over_bytes(&packet).0, &over_bytes(&packet).1));
        let mut group = c.benchmark_group(format!("phrase a {name}"));
        group.bench_function("typed", |b| b.iter(|| typed(black_box(&packet))));
        group.bench_function("over bytes", |b| b.iter(|| over_bytes(black_box(&packet))));
        group.bench_function("limit: copy both, hash one", |b| {
            b.iter(|| (black_box(&bytes).clone(), black_box(&leaf).clone(), Digest::of(black_box(&leaf))));
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = phrase
}
criterion_main!(benches);
