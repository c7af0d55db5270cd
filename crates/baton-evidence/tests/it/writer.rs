//! Packing: restamped, canonical, the same bytes every time, and nothing a reader would refuse.

use baton_evidence::bundle::{BundleWriter, Code, Packed, WriteError, limits, verify, verify_each};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use std::io::Cursor;

use super::forge;

fn pack(lines: &[String], run_id: Option<&str>) -> Result<(Packed, Vec<u8>), WriteError> {
    let mut bundle = BundleWriter::new(Cursor::new(Vec::new()), run_id.map(Into::into))?;
    for line in lines {
        bundle.add(&EventLine::read(&mut Writer::new(), line).unwrap())?;
    }
    bundle.finish(Vec::new())
}

#[track_caller]
fn refuses(lines: &[String], run_id: Option<&str>, code: Code) {
    match pack(lines, run_id) {
        Err(WriteError::Refused(refusal)) => assert_eq!(refusal.code, code, "{refusal}"),
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn events_are_restamped_and_their_hashes_stay() {
    let lines: Vec<String> = [4, 9, 9].map(|seq| forge::hashed("t-0", seq, "{\"a\":2,\"b\":1}")).into();
    let hash = EventLine::read(&mut Writer::new(), &lines[0]).unwrap().compute_content_hash();
    let (packed, bytes) = pack(&lines, Some("mine")).unwrap();
    assert_eq!((packed.event_count, &*packed.run_id), (3, "mine"));
    let mut seen = Vec::new();
    let checked = verify_each(&*bytes, |event| {
        assert_eq!(event.content_hash.as_deref(), Some(&*hash.to_string()));
        seen.push((event.seq, event.id.to_string()));
    });
    assert_eq!(checked.unwrap().run_root, packed.run_root);
    assert_eq!(seen, [(0, "mine:0".into()), (1, "mine:1".into()), (2, "mine:2".into())]);
}

#[test]
fn the_same_events_make_the_same_bundle() {
    let lines = [forge::event_with("t-0", 0, "{}"), forge::hashed("t-1", 0, "{}")];
    let (packed, bytes) = pack(&lines, None).unwrap();
    assert_eq!(pack(&lines, None).unwrap(), (packed.clone(), bytes.clone()));
    assert!(packed.run_id.starts_with("run-") && packed.run_id.len() == 20, "{}", packed.run_id);
    verify(&*bytes).unwrap();
}

#[test]
fn lines_are_canonical_and_keep_members_they_came_with() {
    let line =
        forge::event_with("t-0", 0, "{\"b\":1,\"a\":1.0}").replacen('{', "{\"traceparent\":\"00-x\", ", 1);
    let (_, bytes) = pack(&[line], Some("r")).unwrap();
    let mut tar = Vec::new();
    std::io::copy(&mut flate2::bufread::GzDecoder::new(&*bytes), &mut tar).unwrap();
    let mut archive = tar::Archive::new(&*tar);
    let texts: Vec<String> =
        archive.entries().unwrap().map(|member| std::io::read_to_string(member.unwrap()).unwrap()).collect();
    assert!(texts[1].starts_with(r#"{"assaycontenthash":"sha256:"#), "{}", texts[1]);
    assert!(texts[1].ends_with(
        "\"data\":{\"a\":1,\"b\":1},\"datacontenttype\":\"application/json\",\"id\":\"r:0\",\
         \"source\":\"urn:assay:adapter:a2a\",\"specversion\":\"1.0\",\"subject\":\"t-0\",\
         \"time\":\"2026-03-04T05:06:07Z\",\"traceparent\":\"00-x\",\"type\":\"assay.adapter.a2a.task.requested\"}\n"
    ), "{}", texts[1]);
    assert!(!texts[0].contains(": "), "the manifest is canonical: {}", texts[0]);
    assert!(tar.len().is_multiple_of(512) && tar.ends_with(&[0; 1024]), "two empty blocks end the archive");
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
    let good = || forge::hashed("t-0", 0, "{}");
    refuses(&[], None, Code::InvalidEvent);
    refuses(&[good()], Some("a:b"), Code::InvalidEvent);
    refuses(&[good()], Some(""), Code::InvalidEvent);
    refuses(&[good().replace("\"data\":{}", "\"data\":[]")], None, Code::EventHash);
    refuses(&[good(), good().replace("urn:assay", "urn:other")], None, Code::InvalidEvent);
    refuses(&[good().replace("urn:assay:adapter:a2a", "nowhere")], None, Code::InvalidEvent);
    refuses(&[good().replace("\"1.0\"", "\"2.0\"")], None, Code::SchemaVersion);
    let long = format!("\"{}\"", "a".repeat(limits::LINE_BYTES));
    refuses(&[forge::hashed("t-0", 0, &long)], None, Code::LineBytes);
}
