//! What a reader does not take on, refused while streaming and before it costs memory.

use baton_evidence::bundle::{Code, VerifyError, limits, verify};
use std::io::{self, Read};

use super::forge::{Forged, archive, gzip, hashed, member, member_with};

#[track_caller]
fn refuses(what: &str, bundle: impl Read, code: Code) {
    match verify(bundle) {
        Err(VerifyError::Refused(refusal)) => assert_eq!(refusal.code, code, "{what}: {refusal}"),
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn a_line_may_have_a_mebibyte_and_no_more() {
    let line = |length: usize| {
        let short = hashed("t-0", 0, "\"\"").len();
        hashed("t-0", 0, &format!("\"{}\"", "a".repeat(length - short)))
    };
    let fits = Forged::of(&[line(limits::LINE_BYTES)]);
    assert_eq!(fits.events.len(), limits::LINE_BYTES + 1);
    verify(&*fits.packed()).unwrap();
    refuses("one byte more", &*Forged::of(&[line(limits::LINE_BYTES + 1)]).packed(), Code::LineBytes);
}

#[test]
fn an_event_may_nest_64_deep_and_no_more() {
    let deep = format!("{}{}", "[".repeat(64), "]".repeat(64));
    refuses("65 deep", &*Forged::of(&[hashed("t-0", 0, &deep)]).packed(), Code::JsonDepth);
    let endless = Forged::of(&[hashed("t-0", 0, &"[".repeat(100_000))]);
    refuses("a line of brackets", &*endless.packed(), Code::JsonDepth);
}

#[test]
fn a_bundle_may_hold_100_000_events_and_no_more() {
    let lines: Vec<String> = (0..=limits::EVENTS).map(|seq| hashed("t", seq, "0")).collect();
    verify(&*Forged::of(&lines[..limits::EVENTS as usize]).packed()).unwrap();
    refuses("one more", &*Forged::of(&lines).packed(), Code::Events);
}

#[test]
fn members_that_announce_too_much_are_refused_unread() {
    let size = |octal: &'static [u8; 12]| move |h: &mut tar::Header| h.as_old_mut().size = *octal;
    let manifest = member_with("manifest.json", b"{}", size(b"00050000001\0"));
    refuses("a manifest of 10 MiB and a byte", &*gzip(&archive(&[manifest])), Code::FileBytes);
    let events = member_with("events.ndjson", b"", size(b"03720000001\0"));
    let manifest = serde_json::to_vec(&Forged::good(1).manifest).unwrap();
    let both = archive(&[member("manifest.json", &manifest), events]);
    refuses("events of 500 MiB and a byte", &*gzip(&both), Code::FileBytes);
    let long = member_with("m", b"", |h| h.as_old_mut().name = [b'm'; 100]);
    refuses("a name of 100 bytes is only unexpected", &*gzip(&archive(&[long])), Code::UnexpectedFile);
}

#[test]
fn a_manifest_may_have_ten_mebibytes() {
    let forged = Forged::good(1);
    let mut manifest = serde_json::to_vec(&forged.manifest).unwrap();
    manifest.resize(limits::MANIFEST_BYTES as usize, b' ');
    let bundle = |manifest: &[u8]| {
        gzip(&archive(&[member("manifest.json", manifest), member("events.ndjson", &forged.events)]))
    };
    verify(&*bundle(&manifest)).unwrap();
    manifest.push(b' ');
    refuses("a byte more", &*bundle(&manifest), Code::FileBytes);
}

#[test]
fn zeros_without_end_are_stopped_at_a_gibibyte() {
    let mut tar = Forged::good(1).tar();
    tar.resize(limits::UNPACKED_BYTES as usize + 512, 0);
    refuses("padding over a GiB", &*gzip(&tar), Code::UnpackedBytes);
}

#[test]
fn a_source_without_end_is_stopped_at_100_mebibytes() {
    // Stored blocks: what is packed is as large as what is not.
    let mut stored = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    let endless = io::Cursor::new(Forged::good(1).tar()).chain(io::repeat(0));
    io::copy(&mut endless.take(limits::PACKED_BYTES + 1024), &mut stored).unwrap();
    let body = stored.finish().unwrap();
    refuses("over 100 MiB packed", &*body, Code::PackedBytes);
}

#[test]
fn a_source_that_fails_is_not_the_bundle_s_fault() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    let good = Forged::good(3).packed();
    for read in [0, 5, good.len() / 2, good.len() - 1] {
        let refused = verify((&good[..read]).chain(Failing));
        assert!(matches!(refused, Err(VerifyError::Unreadable(_))), "after {read}: {refused:?}");
    }
}
