//! Every kind of damage section C names, and the class and code it is refused with. Where a bundle is changed
//! it is sealed again first, so that the rule in question refuses it and not a hash on the way.

use baton_evidence::bundle::{Class, Code, Refusal, VerifyError, verify};
use serde_json::{Value, json};

use super::forge::{self, Forged, archive, gzip, hashed, member, member_with};

fn refusal(bundle: &[u8]) -> Refusal {
    match verify(bundle) {
        Err(VerifyError::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

#[track_caller]
fn refuses(what: &str, bundle: &[u8], code: Code) {
    let refusal = refusal(bundle);
    assert_eq!(refusal.code, code, "{what}: {refusal}");
}

/// Three good events, of which some lines are replaced.
fn with_lines(change: impl FnOnce(&mut Vec<String>)) -> Vec<u8> {
    let mut lines: Vec<String> = (0..3).map(|seq| hashed("t-0", seq, &format!("{{\"n\":{seq}}}"))).collect();
    change(&mut lines);
    Forged::of(&lines).packed()
}

fn with_manifest(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut forged = Forged::good(3);
    change(&mut forged.manifest);
    forged.packed()
}

fn with_events(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut forged = Forged::good(3);
    change(&mut forged.events);
    forged.sealed().packed()
}

fn with_members(members: &[Vec<u8>]) -> Vec<u8> {
    gzip(&archive(members))
}

fn manifest_member() -> Vec<u8> {
    member("manifest.json", &serde_json::to_vec(&Forged::good(3).manifest).unwrap())
}

fn events_member() -> Vec<u8> {
    member("events.ndjson", &Forged::good(3).events)
}

#[test]
fn the_undamaged_bundle_is_accepted() {
    let checked = verify(&*Forged::good(3).packed()).unwrap();
    assert_eq!(checked.event_count, 3);
    assert_eq!(checked.run_root.to_string(), Forged::good(3).manifest["run_root"]);
}

#[test]
fn wrong_extra_repeated_missing_and_misplaced_members_break_the_contract() {
    let (manifest, events) = (manifest_member(), events_member());
    let other = member("notes.txt", b"hello");
    let cases: [(&str, &[Vec<u8>], Code); 9] = [
        ("an extra member", &[manifest.clone(), events.clone(), other.clone()], Code::UnexpectedFile),
        ("another member first", &[other, manifest.clone(), events.clone()], Code::UnexpectedFile),
        ("the manifest twice", &[manifest.clone(), manifest.clone(), events.clone()], Code::RepeatedFile),
        ("the events twice", &[manifest.clone(), events.clone(), events.clone()], Code::RepeatedFile),
        ("the events first", &[events.clone(), manifest.clone()], Code::FileOrder),
        ("no events", std::slice::from_ref(&manifest), Code::MissingFile),
        ("no manifest", &[], Code::MissingFile),
        ("a name with ./", &[member("./manifest.json", b"{}")], Code::UnexpectedFile),
        (
            "a name that is not UTF-8",
            &[member_with("x", b"", |h| h.as_old_mut().name[0] = 0xFF)],
            Code::UnexpectedFile,
        ),
    ];
    for (what, members, code) in cases {
        assert_eq!(code.class(), Class::Contract);
        refuses(what, &with_members(members), code);
    }
}

#[test]
fn names_that_lead_out_of_the_folder_break_security() {
    for name in ["../manifest.json", "/manifest.json", "a/../../events.ndjson", "/etc/passwd"] {
        refuses(name, &with_members(&[member(name, b"{}")]), Code::Path);
    }
    assert_eq!(Code::Path.class(), Class::Security);
}

#[test]
fn headers_that_readers_could_differ_on_break_integrity() {
    let header = |change: fn(&mut tar::Header)| with_members(&[member_with("manifest.json", b"{}", change)]);
    for (what, change) in [
        ("a link", (|h| h.set_entry_type(tar::EntryType::Symlink)) as fn(&mut tar::Header)),
        ("a folder", |h| h.set_entry_type(tar::EntryType::Directory)),
        ("a PAX record", |h| h.set_entry_type(tar::EntryType::XHeader)),
        ("a GNU long name", |h| h.set_entry_type(tar::EntryType::GNULongName)),
        ("a sparse file", |h| h.set_entry_type(tar::EntryType::GNUSparse)),
        ("a link name", |h| h.as_old_mut().linkname[0] = b'x'),
        ("a name prefix", |h| h.as_ustar_mut().map_or((), |h| h.prefix[0] = b'x')),
        ("a name prefix, GNU", |h| h.as_mut_bytes()[345] = b'x'),
        ("a trailing slash", |h| h.as_old_mut().name[13] = b'/'),
        ("a size in base 256", |h| h.as_old_mut().size = [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]),
        ("a size of ten digits", |h| h.as_old_mut().size = *b"0000000002\0\0"),
        ("a size with spaces", |h| h.as_old_mut().size = *b"          2\0"),
        ("a size of twelve digits", |h| h.as_old_mut().size = *b"000000000002"),
        ("a size with a sign", |h| h.as_old_mut().size = *b"-0000000002\0"),
    ] {
        if what != "a name prefix" {
            refuses(what, &header(change), Code::Tar);
        }
    }
}

#[test]
fn a_container_that_is_cut_or_changed_breaks_integrity() {
    let good = Forged::good(3).packed();
    for length in [0, 1, 10, good.len() / 2, good.len() - 8, good.len() - 1] {
        let refusal = refusal(&good[..length]);
        assert_eq!(refusal.code.class(), Class::Integrity, "cut to {length}: {refusal}");
        assert_eq!(refusal.code, Code::Gzip, "cut to {length}: {refusal}");
    }
    refuses("not gzip", b"just text, no bundle", Code::Gzip);
    refuses("a byte after the end", &[&*good, b"x"].concat(), Code::Gzip);
    refuses("a second gzip member", &[&*good, &*good].concat(), Code::Gzip);
    let mut crc = good.clone();
    let at = crc.len() - 6;
    crc[at] ^= 1;
    refuses("another CRC", &crc, Code::Gzip);

    let tar = Forged::good(3).tar();
    refuses("data after the archive", &gzip(&[&*tar, &[1; 512]].concat()), Code::Tar);
    refuses(
        "a header checksum that differs",
        &gzip(&{
            let mut tar = tar.clone();
            tar[150] ^= 1;
            tar
        }),
        Code::Tar,
    );
    refuses("an archive cut in its events", &gzip(&tar[..tar.len() - 2048]), Code::Tar);
    refuses("an archive cut in a header", &gzip(&tar[..100]), Code::Tar);
}

#[test]
fn a_flipped_bit_of_the_compressed_bundle_is_refused_unless_it_says_the_same() {
    let (good, tar) = (Forged::good(2).packed(), Forged::good(2).tar());
    for at in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        // Some bits say nothing: the gzip header's time, which of two equal stretches a match copies.
        if verify(&*bytes).is_ok() {
            let mut unpacked = Vec::new();
            std::io::copy(&mut flate2::bufread::GzDecoder::new(&*bytes), &mut unpacked).unwrap();
            assert!(unpacked == tar, "bit {at} changes the bundle and is accepted");
        }
    }
}

#[test]
fn events_that_are_not_one_strict_json_text_break_the_contract() {
    for (what, line) in [
        ("not JSON", "nonsense"),
        ("two values", "{} {}"),
        ("not an object", "[]"),
        ("a repeated name at the top", &hashed("t-0", 0, "{\"n\":0}").replacen('{', "{\"id\":\"run:0\",", 1)),
        ("a repeated name inside", &hashed("t-0", 0, r#"{"a":{"x":1,"x":1}}"#)),
        ("a lone surrogate", &hashed("t-0", 0, r#"{"a":"\ud800"}"#)),
        ("a number out of range", &hashed("t-0", 0, r#"{"a":1e999}"#)),
        ("a missing member", &hashed("t-0", 0, "{}").replace(r#""assaygit":"unknown","#, "")),
        ("no data", &hashed("t-0", 0, "{}").replace(r#","data":{}"#, "")),
        (
            "a member of the wrong type",
            &hashed("t-0", 0, "{}").replace(r#""assaypii":false"#, r#""assaypii":"no""#),
        ),
        ("a seq that is a double", &hashed("t-0", 0, "{}").replace(r#""assayseq":0"#, r#""assayseq":0.0"#)),
        ("a seq with an exponent", &hashed("t-0", 0, "{}").replace(r#""assayseq":0"#, r#""assayseq":0e0"#)),
        ("a seq that is minus zero", &hashed("t-0", 0, "{}").replace(r#""assayseq":0"#, r#""assayseq":-0"#)),
        ("a seq that is a string", &hashed("t-0", 0, "{}").replace(r#""assayseq":0"#, r#""assayseq":"0""#)),
        ("a time that is none", &hashed("t-0", 0, "{}").replace("2026-03-04T05:06:07Z", "yesterday")),
    ] {
        refuses(what, &with_lines(|lines| lines[0] = line.to_owned()), Code::InvalidJson);
    }
    refuses("bad UTF-8", &with_events(|events| events[20] = 0xFF), Code::InvalidJson);
    refuses("a byte order mark", &with_lines(|lines| lines[0].insert(0, '\u{feff}')), Code::InvalidJson);
    let names: Vec<String> = (0..=10_000).map(|n| format!("\"{n}\":0")).collect();
    let many = hashed("t-0", 0, &format!("{{{}}}", names.join(",")));
    refuses("too many names", &with_lines(|lines| lines[0] = many), Code::InvalidJson);
    assert_eq!(Code::InvalidJson.class(), Class::Contract);
}

#[test]
fn events_out_of_step_break_the_contract() {
    refuses("a gap", &with_lines(|lines| drop(lines.remove(1))), Code::Sequence);
    refuses("two swapped", &with_lines(|lines| lines.swap(0, 1)), Code::Sequence);
    refuses("one repeated", &with_lines(|lines| lines.insert(1, lines[0].clone())), Code::Sequence);
    refuses("a start at 1", &with_lines(|lines| drop(lines.remove(0))), Code::Sequence);
    refuses(
        "another run",
        &with_lines(|lines| {
            lines[1] = lines[1].replace(r#""assayrunid":"run","#, r#""assayrunid":"ran","#);
        }),
        Code::RunId,
    );
    refuses(
        "another id",
        &with_lines(|lines| lines[1] = lines[1].replace("run:1", "run:01")),
        Code::InvalidEvent,
    );
    refuses(
        "another source",
        &with_lines(|lines| lines[1] = lines[1].replace("urn:assay", "urn:other")),
        Code::InvalidEvent,
    );
    for source in ["no-colon", ":starts"] {
        let all = |lines: &mut Vec<String>| {
            for line in lines {
                *line = line.replace("urn:assay:adapter:a2a", source);
            }
        };
        refuses(source, &with_lines(all), Code::InvalidEvent);
    }
    refuses("a blank line", &with_lines(|lines| lines.insert(1, String::new())), Code::InvalidEvent);
    refuses("a line of CR only", &with_lines(|lines| lines.insert(3, "\r".into())), Code::InvalidEvent);
    refuses("no events", &with_lines(Vec::clear), Code::InvalidEvent);
    refuses(
        "specversion 1.1",
        &with_lines(|lines| lines[0] = lines[0].replace(r#""1.0""#, r#""1.1""#)),
        Code::SchemaVersion,
    );
    refuses(
        "no content hash",
        &with_lines(|lines| lines[2] = forge::event_with("t-0", 2, "{}")),
        Code::SchemaVersion,
    );

    let mut colon = Forged::of(&[hashed("t-0", 0, "{}").replace(r#""run"#, r#""r:n"#)]);
    colon.manifest["run_id"] = "r:n".into();
    refuses("a run id with a colon", &colon.packed(), Code::InvalidEvent);
}

#[test]
fn hashes_that_differ_break_integrity() {
    let changed = |lines: &mut Vec<String>| lines[1] = lines[1].replace("{\"n\":1}", "{\"n\":2}");
    refuses("changed data", &with_lines(changed), Code::EventHash);
    let subject = |lines: &mut Vec<String>| lines[1] = lines[1].replace("t-0", "t-1");
    refuses("a changed subject", &with_lines(subject), Code::EventHash);
    let upper = |lines: &mut Vec<String>| {
        let hash = lines[0].find("sha256:").unwrap() + 7;
        let digits = lines[0][hash..hash + 64].to_uppercase();
        lines[0].replace_range(hash..hash + 64, &digits);
    };
    refuses("a hash in upper case", &with_lines(upper), Code::EventHash);
    refuses("another run root", &with_manifest(|m| m["run_root"] = forge::sha256(b"").into()), Code::RunRoot);
    refuses(
        "another file hash",
        &with_manifest(|m| m["files"]["events.ndjson"]["sha256"] = forge::sha256(b"").into()),
        Code::FileHash,
    );
    refuses(
        "another size",
        &with_manifest(|m| m["files"]["events.ndjson"]["bytes"] = 7.into()),
        Code::FileSize,
    );
    for code in [Code::EventHash, Code::RunRoot, Code::FileHash, Code::FileSize] {
        assert_eq!(code.class(), Class::Integrity);
    }
}

#[test]
fn manifests_that_say_otherwise_break_the_contract() {
    refuses("another bundle id", &with_manifest(|m| m["bundle_id"] = "x".into()), Code::BundleId);
    refuses("another count", &with_manifest(|m| m["event_count"] = 4.into()), Code::Sequence);
    refuses("another run", &with_manifest(|m| m["run_id"] = "ran".into()), Code::RunId);
    refuses("schema version 2", &with_manifest(|m| m["schema_version"] = 2.into()), Code::SchemaVersion);
    refuses("no events entry", &with_manifest(|m| m["files"] = json!({})), Code::MissingFile);
    for name in [
        "schema_version",
        "bundle_id",
        "producer",
        "run_id",
        "event_count",
        "run_root",
        "algorithms",
        "files",
    ] {
        let without = with_manifest(|m| drop(m.as_object_mut().unwrap().remove(name)));
        refuses(name, &without, Code::InvalidJson);
    }
    for (what, text) in [
        ("not JSON", &b"nonsense"[..]),
        ("bad UTF-8", b"{\"\xFF\":1}"),
        ("a repeated name", br#"{"schema_version":1,"schema_version":1}"#),
    ] {
        refuses(what, &with_members(&[member("manifest.json", text), events_member()]), Code::InvalidJson);
    }
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    refuses("a deep manifest", &with_members(&[member("manifest.json", deep.as_bytes())]), Code::JsonDepth);
    let long = format!("\"{}\"", "a".repeat(1_048_577));
    refuses("a long string", &with_members(&[member("manifest.json", long.as_bytes())]), Code::InvalidJson);
}

#[test]
fn a_refusal_says_where_and_quotes_nothing_from_the_bundle() {
    let evil = "\u{1b}[31mred\u{7}";
    let line = hashed("t-0", 1, "{}").replace("unknown", evil);
    let refusal = refusal(&with_lines(|lines| lines[1] = line));
    assert_eq!(
        refusal.to_string(),
        "contract/invalid_json at events.ndjson line 2: not one JSON text (line 1, column 288)"
    );
}

#[test]
fn every_code_is_named_once() {
    let mut words: Vec<String> = Code::ALL.iter().map(ToString::to_string).collect();
    words.sort();
    let count = words.len();
    words.dedup();
    assert_eq!(words.len(), count);
}
