//! Converting a packet and hashing its event, each beside the limit it is held against.

#![allow(clippy::unwrap_used, missing_docs)]

use baton_adapter::{AdapterError, AttachmentRef, AttachmentWriter, Input, Options, convert};
use baton_evidence::canonical::{self, Writer};
use baton_evidence::digest::Digest;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sha2::{Digest as _, Sha256};
use std::hint::black_box;
use std::time::Duration;

const PACKET: &[u8] = include_bytes!("../tests/fixtures/packets/task_requested.json");

/// Keeps nothing and hashes nothing: what is measured is the adapter.
struct Nowhere;

impl AttachmentWriter for Nowhere {
    fn write<'m>(&mut self, bytes: &[u8], media_type: &'m str) -> Result<AttachmentRef<'m>, AdapterError> {
        Ok(AttachmentRef { sha256: Digest::from_bytes([0; 32]), size_bytes: bytes.len() as u64, media_type })
    }
}

fn input() -> Input<'static> {
    Input { bytes: black_box(PACKET), media_type: "application/json", protocol_version: None }
}

fn conversion(c: &mut Criterion) {
    let options =
        Options { max_payload_bytes: Some(16 << 20), max_json_depth: Some(127), ..Options::default() };
    let mut group = c.benchmark_group("convert");
    group.throughput(Throughput::Bytes(PACKET.len() as u64));
    group.bench_function("baton", |b| b.iter(|| convert(input(), &options, &mut Nowhere).unwrap()));
    group.bench_function("limit: serde_json parse into Value", |b| {
        b.iter(|| serde_json::from_slice::<serde_json::Value>(black_box(PACKET)).unwrap());
    });
    group.finish();
}

fn content_hash(c: &mut Criterion) {
    let event = convert(input(), &Options::default(), &mut Nowhere).unwrap().event;
    let bound = serde_json::json!({
        "specversion": event.specversion,
        "type": event.kind,
        "datacontenttype": event.datacontenttype,
        "subject": event.subject,
        "data": event.data,
    });
    let bytes = canonical::to_vec(&bound).unwrap();
    let mut writer = Writer::new();
    assert_eq!(event.content_hash(&mut writer).unwrap(), Digest::of(&bytes));

    let mut group = c.benchmark_group("content hash");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("baton", |b| b.iter(|| black_box(&event).content_hash(&mut writer).unwrap()));
    group.bench_function("peer: serde_jcs and SHA-256", |b| {
        b.iter(|| Sha256::digest(serde_jcs::to_vec(black_box(&bound)).unwrap()));
    });
    group
        .bench_function("limit: SHA-256 of the same bytes", |b| b.iter(|| Sha256::digest(black_box(&bytes))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = conversion, content_hash
}
criterion_main!(benches);
