//! What moving an event into an entry bundle costs, and how small it gets: packing at some levels of zstd, and the check
//! that follows (the bundle is unpacked, every event is hashed). One iteration is 256 events with their packets;
//! bytes per event are printed first. The events are those of whole lives, as the hub phrases them: send, claim, reply,
//! sixteen tasks at a time.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use baton_core::limits::ENTRY_BUNDLE_COUNT;
use baton_store::{Entries, Entry, EntryBundle};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

/// Tasks in progress at the same time.
const SIDE_BY_SIDE: usize = 16;

/// Digits that no compressor can guess, the same in every run.
struct Digits(u64);

impl Digits {
    fn hex(&mut self, count: usize) -> String {
        let mut text = String::new();
        while text.len() < count {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            write!(text, "{:016x}", mixed ^ (mixed >> 31)).unwrap();
        }
        text.truncate(count);
        text
    }

    /// An id of version 7, made at this millisecond.
    fn id(&mut self, millis: u64) -> String {
        let (time, rest) = (format!("{millis:012x}"), self.hex(18));
        format!("{}-{}-7{}-8{}-{}", &time[..8], &time[8..], &rest[..3], &rest[3..6], &rest[6..])
    }
}

/// What an event of a life says.
struct Change<'t> {
    kind: &'static str,
    status: &'static str,
    digest: Option<&'static str>,
    actor: &'static str,
    token: &'static str,
    task: &'t str,
    event: u64,
}

const SENT: Change<'static> = Change {
    kind: "task.requested",
    status: "delivered",
    digest: Some("content"),
    actor: "planner",
    token: "tk_a7c3015be2904f6d",
    task: "",
    event: 1,
};
const CLAIMED: Change<'static> = Change {
    kind: "task.updated",
    status: "running",
    digest: None,
    actor: "coder",
    token: "tk_5d20f18b93ac47e6",
    task: "",
    event: 2,
};
const REPLIED: Change<'static> = Change { status: "replied", digest: Some("result"), event: 3, ..CLAIMED };

impl Change<'_> {
    fn entry(&self, index: usize, millis: u64, digits: &mut Digits) -> Entry {
        let Self { kind, status, actor, token, task, event, .. } = self;
        let time = format!(
            "2026-11-16T09:{:02}:{:02}.{:03}Z",
            millis / 60_000 % 60,
            millis / 1000 % 60,
            millis % 1000
        );
        let digest = self.digest.map(|name| {
            format!(r#""{name}":{{"hmac_sha256":"{}","size_bytes":{}}}"#, digits.hex(64), 20 + index % 90)
        });
        let message = digest.as_ref().map(|_| format!(r#""message":{{"id":"{}"}},"#, digits.id(millis)));
        let message = message.unwrap_or_default();
        let (first, middle, last) = match (&digest, status) {
            (Some(digest), &"delivered") => (format!("{digest},"), String::new(), format!(",{digest}")),
            (Some(digest), _) => (String::new(), format!("{digest},"), format!(",{digest}")),
            (None, _) => Default::default(),
        };
        let is_seen = *status == "delivered";
        let packet = format!(
            r#"{{"protocol":"a2a","version":"0.2","event_type":"{kind}","timestamp":"{time}","agent":{{"id":"{actor}"}},"task":{{"id":"{task}","status":"{status}","kind":"delegation"}},{message}"attributes":{{"baton":{{"from":"planner","to":"coder","event":{event},"actor_token":"{token}"{last}}}}}}}"#
        );
        let source = if is_seen { "typed_payload" } else { "unknown" };
        let hash = digits.hex(64);
        let event = format!(
            r#"{{"assaycontenthash":"sha256:{hash}","assaygit":"unknown","assaypii":false,"assayproducer":"baton","assayproducerversion":"0.1.0","assayrunid":"net_3f9a01c7d2e4","assaysecrets":false,"assayseq":{index},"batonorigin":"hub","data":{{"adapter_id":"assay-adapter-a2a","adapter_version":"0.1.0","agent":{{"id":"{actor}"}},"attributes":{{"baton":{{"actor_token":"{token}",{first}"event":{event},"from":"planner",{middle}"to":"coder"}}}},"discovery":{{"agent_card_source_kind":"unknown","agent_card_visible":false,"extended_card_access_visible":false,"signature_material_visible":false}},"handoff":{{"message_ref_visible":{is_seen},"source_kind":"{source}","task_ref_visible":{is_seen},"visible":{is_seen}}},{message}"protocol":"a2a","protocol_name":"a2a","protocol_version":"0.2","task":{{"id":"{task}","kind":"delegation","status":"{status}"}},"unmapped_fields_count":0,"upstream_event_type":"{kind}"}},"datacontenttype":"application/json","id":"net_3f9a01c7d2e4:{index}","source":"urn:assay:adapter:a2a","specversion":"1.0","subject":"{task}","time":"{time}","type":"assay.adapter.a2a.{kind}"}}"#
        );
        Entry { event: event.into_bytes(), packet: packet.into_bytes() }
    }
}

/// 256 entries of a log, a few milliseconds of a busy hub.
fn entries() -> Vec<Option<Entry>> {
    let mut digits = Digits(7);
    let mut found = Vec::new();
    let mut millis = 0x0193_3333_0000;
    while found.len() < ENTRY_BUNDLE_COUNT {
        let tasks: Vec<String> = (0..SIDE_BY_SIDE).map(|_| digits.id(millis)).collect();
        for change in [SENT, CLAIMED, REPLIED] {
            for task in &tasks {
                let index = 120_000 + found.len();
                found.push(Some(Change { task, ..change }.entry(index, millis, &mut digits)));
            }
            millis += 3;
        }
    }
    found.truncate(ENTRY_BUNDLE_COUNT);
    found
}

fn check(bundle: &EntryBundle) -> usize {
    let entries = Entries::unpack(bundle.bytes(), None).unwrap();
    let hash = |n| Sha256::new_with_prefix([0]).chain_update(entries.event(n)).finalize()[0];
    (0..ENTRY_BUNDLE_COUNT).map(|n| usize::from(hash(n)) + entries.packet(n).len()).sum()
}

fn entry_bundle(c: &mut Criterion) {
    let entries = entries();
    let plain: usize = entries.iter().flatten().map(|entry| entry.event.len() + entry.packet.len()).sum();
    println!("not packed: {} bytes an event", plain / ENTRY_BUNDLE_COUNT);
    let mut group = c.benchmark_group("256 events");
    group.throughput(Throughput::Elements(ENTRY_BUNDLE_COUNT as u64));
    for level in [1, 2, 3, 4, 5, 6, 9, 12] {
        let bundle = EntryBundle::pack_at(level, &entries).unwrap();
        let bytes = bundle.bytes().len();
        println!("level {level}: {:.1} bytes an event", bytes as f64 / ENTRY_BUNDLE_COUNT as f64);
        group.bench_function(format!("pack at level {level}"), |b| {
            b.iter(|| EntryBundle::pack_at(level, black_box(&entries)).unwrap());
        });
    }
    let bundle = EntryBundle::pack(&entries).unwrap();
    group.bench_function("check", |b| b.iter(|| check(black_box(&bundle))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    targets = entry_bundle
}
criterion_main!(benches);
