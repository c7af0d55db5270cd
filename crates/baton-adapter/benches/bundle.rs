//! Packing and verifying a bundle as large as one may be: 100 000 adapter events of about 1.1 KB.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use baton_adapter::{DigestOnly, Input, Options, convert};
use baton_evidence::bundle::{BundleWriter, limits, verify};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sha2::{Digest as _, Sha256};
use std::hint::black_box;
use std::io::Cursor;
use std::time::Duration;

fn packet(number: u64) -> String {
    format!(
        r#"{{"protocol":"a2a","version":"0.2","event_type":"task.requested","timestamp":"2026-03-04T05:06:07Z",
        "agent":{{"id":"agent://coordinator-{agent}","role":"orchestrator"}},
        "task":{{"id":"task-{number}","status":"requested","kind":"delegation"}},
        "message":{{"id":"msg-{number}","role":"assistant"}},
        "attributes":{{"channel":"web","priority":"urgent","attempt":{agent},"cost":{cost},
          "labels":["alpha","beta","gamma"],"note":"the quick brown fox jumps over the lazy dog, again and again"}}}}"#,
        agent = number % 7,
        cost = number as f64 / 8.0,
    )
}

/// The bundle, and the bytes of its events.
fn bundle() -> (Vec<u8>, Vec<u8>) {
    let mut bundle = BundleWriter::new(Cursor::new(Vec::new()), None).unwrap();
    let (mut hashing, mut reading) = (Writer::new(), Writer::new());
    for number in 0..limits::EVENTS {
        let packet = packet(number);
        let input =
            Input { bytes: packet.as_bytes(), media_type: "application/json", protocol_version: None };
        let mut event = convert(input, &Options::default(), &mut DigestOnly).unwrap().event;
        event.assaycontenthash = Some(event.content_hash(&mut hashing).unwrap());
        let line = serde_json::to_string(&event).unwrap();
        bundle.add(&EventLine::read(&mut reading, &line).unwrap()).unwrap();
    }
    let (_, packed) = bundle.finish(Vec::new()).unwrap();
    let mut events = Vec::new();
    std::io::copy(&mut flate2::bufread::GzDecoder::new(&*packed), &mut events).unwrap();
    println!("{} events, {} bytes, {} packed", limits::EVENTS, events.len(), packed.len());
    (packed, events)
}

fn verifying(c: &mut Criterion) {
    let (packed, events) = bundle();
    let mut group = c.benchmark_group("verify 100000 events");
    group.throughput(Throughput::Elements(limits::EVENTS)).sample_size(10);
    group.bench_function("baton", |b| b.iter(|| verify(black_box(&*packed)).unwrap()));
    group.bench_function("limit: inflate", |b| {
        b.iter(|| {
            std::io::copy(&mut flate2::bufread::GzDecoder::new(black_box(&*packed)), &mut std::io::sink())
        });
    });
    group.bench_function("limit: SHA-256 of the events", |b| b.iter(|| Sha256::digest(black_box(&events))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(8));
    targets = verifying
}
criterion_main!(benches);
