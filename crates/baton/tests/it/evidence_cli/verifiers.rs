//! Our verifier and the two written in Python on the same mutated exports: what one accepts all accept. Each case is
//! decided by docs/evidence-format.md, which cites the specification behind it.

use flate2::read::GzDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

use crate::it::exporter::{Export, Log, hub_key};
use crate::it::forge::{Forged, archive, gzip, hashed, member, member_with};
use crate::it::program::{baton, run};

/// What the specifications say of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Accepted,
    Refused,
}
use Verdict::{Accepted, Refused};

fn good() -> Export {
    Log::observed("net-1", 4).export(0..4, 4)
}

/// Exports, each with what the specifications say of it.
struct Cases {
    folder: TempDir,
    /// What the case is, and the verdict.
    named: Vec<(String, Verdict)>,
}

impl Cases {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), named: Vec::new() }
    }

    fn add(&mut self, what: impl Into<String>, verdict: Verdict, bundle: &[u8], side_file: Option<&[u8]>) {
        let number = self.named.len();
        fs::write(self.bundle(number), bundle).unwrap();
        if let Some(side_file) = side_file {
            fs::write(self.folder.path().join(format!("{number}.tar.gz.proof.json")), side_file).unwrap();
        }
        self.named.push((what.into(), verdict));
    }

    fn bundle(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("{number}.tar.gz"))
    }

    fn script(name: &str) -> Command {
        let mut command = Command::new("python3");
        command.arg(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests")).join(name));
        command
    }

    /// Holds the two verifiers that read side files to every verdict.
    fn decide(&self) {
        for (number, (what, verdict)) in self.named.iter().enumerate() {
            let bundle = self.bundle(number);
            let ours = baton(["evidence".as_ref(), "verify".as_ref(), bundle.as_os_str()]);
            let theirs = run(Self::script("evidence_verifier.py").arg(&bundle), |_| Ok(()));
            let code = if *verdict == Accepted { 0 } else { 2 };
            for (who, ran) in [("baton", ours), ("evidence_verifier.py", theirs)] {
                assert_eq!(ran.code, Some(code), "{what}: {who} says {} {}", ran.stdout, ran.stderr);
            }
        }
    }

    /// Holds the reader of bundles alone to every verdict, all in one run.
    fn decide_on_bundles(&self) {
        let bundles = (0..self.named.len()).map(|number| self.bundle(number));
        let ran = run(Self::script("bundle_checker.py").args(bundles), |_| Ok(()));
        let said: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(said.len(), self.named.len(), "{ran:?}");
        for ((what, verdict), said) in self.named.iter().zip(said) {
            assert_eq!(
                said.starts_with("ok: "),
                *verdict == Accepted,
                "{what}: bundle_checker.py says {said}"
            );
        }
    }
}

/// A gzip member with these flags and this behind its fixed header.
fn gzip_with(flags: u8, optional: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut member = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255];
    member.extend_from_slice(optional);
    let mut deflate = DeflateEncoder::new(member, Compression::fast());
    deflate.write_all(bytes).unwrap();
    let mut member = deflate.finish().unwrap();
    let mut crc = Crc::new();
    crc.update(bytes);
    member.extend_from_slice(&crc.sum().to_le_bytes());
    member.extend_from_slice(&crc.amount().to_le_bytes());
    member
}

fn text(length: usize) -> Vec<u8> {
    [vec![b'x'; length], vec![0]].concat()
}

fn unpacked(bundle: &[u8]) -> Vec<u8> {
    let mut tar = Vec::new();
    GzDecoder::new(bundle).read_to_end(&mut tar).unwrap();
    tar
}

#[test]
fn every_container_is_judged_alike() {
    let export = good();
    let (bundle, side_file) = (export.bundle(), export.side_file());
    let tar = unpacked(&bundle);
    let size = usize::from_str_radix(std::str::from_utf8(&tar[124..135]).unwrap(), 8).unwrap();
    assert!(!size.is_multiple_of(512), "the manifest has padding");
    let mut padded = tar.clone();
    padded[512 + size] = b'x';
    let header_crc = |right: bool| {
        let mut crc = Crc::new();
        crc.update(&[0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 255]);
        let sum = (crc.sum() as u16) ^ u16::from(!right);
        gzip_with(2, &sum.to_le_bytes(), &tar)
    };
    let extra = [&u16::MAX.to_le_bytes()[..], &vec![7; 65_535]].concat();
    let cases = [
        ("as it was written", Accepted, bundle.clone()),
        ("no end of the archive", Refused, gzip(&tar[..tar.len() - 1024])),
        ("half an end of the archive", Refused, gzip(&tar[..tar.len() - 512])),
        ("an end that is cut in a block", Refused, gzip(&tar[..tar.len() - 1])),
        ("more empty blocks", Accepted, gzip(&[&*tar, &[0; 8 * 512]].concat())),
        ("a part of an empty block more", Refused, gzip(&[&*tar, &[0; 100]].concat())),
        ("a block after the end", Refused, gzip(&[&*tar, &[1; 512]].concat())),
        ("one empty block, then data", Refused, gzip(&[&tar[..tar.len() - 512], &[1; 512]].concat())),
        ("bytes that fill a member's last block", Accepted, gzip(&padded)),
        ("a gzip comment of 100 000 bytes", Refused, gzip_with(16, &text(100_000), &tar)),
        ("a gzip comment of 65 536 bytes", Refused, gzip_with(16, &text(65_536), &tar)),
        ("a gzip comment of 65 535 bytes", Accepted, gzip_with(16, &text(65_535), &tar)),
        ("a gzip name of 65 536 bytes", Refused, gzip_with(8, &text(65_536), &tar)),
        (
            "a gzip name and comment of 65 535 bytes each",
            Accepted,
            gzip_with(24, &[text(65_535), text(65_535)].concat(), &tar),
        ),
        ("a gzip comment without an end", Refused, gzip_with(16, b"x", &[])),
        ("a gzip extra field", Accepted, gzip_with(4, &extra, &tar)),
        ("a gzip header with its checksum", Accepted, header_crc(true)),
        ("a gzip header with another checksum", Refused, header_crc(false)),
        ("a reserved gzip flag", Refused, gzip_with(32, &[], &tar)),
        ("a second, empty gzip member", Refused, [&*bundle, &*gzip(&[])].concat()),
        ("half a gzip header", Refused, bundle[..9].to_vec()),
        ("nothing", Refused, Vec::new()),
    ];
    let mut all = Cases::new();
    for (what, verdict, bundle) in cases {
        all.add(what, verdict, &bundle, Some(&side_file));
    }
    all.decide();
    all.decide_on_bundles();
}

#[test]
fn every_archive_and_manifest_is_judged_alike() {
    let forged = Forged::good(2);
    let manifest = serde_json::to_vec(&forged.manifest).unwrap();
    let header = |change: fn(&mut tar::Header)| {
        gzip(&archive(&[
            member_with("manifest.json", &manifest, change),
            member("events.ndjson", &forged.events),
        ]))
    };
    let with = |pointer: &str, value: Value| {
        let mut forged = forged.clone();
        *forged.manifest.pointer_mut(pointer).unwrap() = value;
        forged.packed()
    };
    let mut two_files = forged.clone();
    two_files.manifest["files"]["more.txt"] = json!({"path": "more.txt", "sha256": "x", "bytes": 1});
    let mut nameless = Forged::of(&[hashed("t-0", 0, "{}")
        .replace(r#""assayrunid":"run""#, r#""assayrunid":"""#)
        .replace(r#""id":"run:0""#, r#""id":":0""#)]);
    nameless.manifest["run_id"] = json!("");
    let bare = forged.manifest["files"]["events.ndjson"]["sha256"].as_str().unwrap()[7..].to_owned();
    let cases = [
        ("as it was forged", Accepted, forged.packed()),
        ("a link name", Refused, header(|h| h.as_old_mut().linkname[0] = b'x')),
        ("a name prefix", Refused, header(|h| h.as_mut_bytes()[345] = b'x')),
        ("a byte in the header's last field", Refused, header(|h| h.as_mut_bytes()[511] = b'x')),
        ("a size that ends in a space", Accepted, header(|h| h.as_old_mut().size[11] = b' ')),
        ("a size that ends in a digit", Refused, header(|h| h.as_old_mut().size[11] = b'0')),
        ("bytes after the name", Accepted, header(|h| h.as_old_mut().name[50] = b'x')),
        ("another owner and time", Accepted, header(|h| h.set_mtime(7))),
        ("algorithms of other names", Accepted, with("/algorithms/hash", json!("SHA-256"))),
        ("an algorithm that is no text", Refused, with("/algorithms/hash", json!(256))),
        ("another path", Accepted, with("/files/events.ndjson/path", json!("x"))),
        ("a bare file hash", Accepted, with("/files/events.ndjson/sha256", json!(bare))),
        (
            "a file hash in upper case",
            Refused,
            with("/files/events.ndjson/sha256", json!(bare.to_uppercase())),
        ),
        ("an unknown key in files", Accepted, two_files.packed()),
        ("an empty run id", Accepted, nameless.packed()),
        ("a count that is a double", Refused, with("/event_count", json!(2.0))),
    ];
    let mut all = Cases::new();
    for (what, verdict, bundle) in cases {
        all.add(what, verdict, &bundle, None);
    }
    all.decide();
    all.decide_on_bundles();
}

#[test]
fn every_event_is_judged_alike() {
    let line = |from: &str, to: &str| Forged::of(&[hashed("t-0", 0, "{}").replace(from, to)]).packed();
    let time = |to: &str| line("2026-03-04T05:06:07Z", to);
    let names: Vec<String> = (0..10_001).map(|n| format!("\"{n}\":0")).collect();
    let mut cases = vec![
        ("another source", Accepted, line("urn:assay:adapter:a2a", "urn:x")),
        ("a source without a colon", Refused, line("urn:assay:adapter:a2a", "urn")),
        (
            "as many names as an object may have",
            Refused,
            line("\"data\":{}", &format!("\"data\":{{{}}}", names.join(","))),
        ),
        ("an unknown member", Accepted, line("{\"specversion\"", "{\"x\":[1],\"specversion\"")),
        ("a null subject that was hashed", Refused, line("\"subject\":\"t-0\"", "\"subject\":null")),
    ];
    for (text, verdict) in [
        ("2026-03-04 05:06:07Z", Accepted),
        ("2026-03-04t05:06:07z", Accepted),
        ("2026-03-04T05:06:07.123456789123Z", Accepted),
        ("2026-03-04T05:06:60Z", Accepted),
        ("2026-03-04T05:06:07+05:30", Accepted),
        ("+10000-01-01T00:00:00Z", Accepted),
        ("-0001-12-31T23:59:59Z", Accepted),
        ("0000-02-29T00:00:00Z", Accepted),
        ("2026-02-29T00:00:00Z", Refused),
        ("2026-03-04T24:00:00Z", Refused),
        ("2026-03-04T05:06:61Z", Refused),
        ("2026-03-04T05:06:07", Refused),
        ("yesterday", Refused),
    ] {
        cases.push(("a time", verdict, time(text)));
    }
    let mut all = Cases::new();
    for (number, (what, verdict, bundle)) in cases.into_iter().enumerate() {
        all.add(format!("{what} ({number})"), verdict, &bundle, None);
    }
    all.decide();
    all.decide_on_bundles();
}

#[test]
fn every_note_and_key_is_judged_alike() {
    let export = good();
    let bundle = export.bundle();
    let (text, own) = export.note.rsplit_once("\n\n").unwrap();
    let own = own.strip_suffix('\n').unwrap();
    let (head, signature) = own.rsplit_once(' ').unwrap();
    let middle = signature.len() / 2;
    let other = if &signature[middle..=middle] == "A" { "B" } else { "A" };
    let bad = format!("{head} {}{other}{}", &signature[..middle], &signature[middle + 1..]);
    let witness = format!("— witness.example {signature}");
    let id = if &signature[..1] == "A" { "B" } else { "A" };
    let same_name = format!("{head} {id}{}", &signature[1..]);
    let note = |lines: &[&str]| {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        format!("{text}\n\n{lines}")
    };
    let witnesses = |count: usize| note(&[&[own][..], &vec![&*witness; count - 1]].concat());
    let notes = [
        ("as it was signed", Accepted, note(&[own])),
        ("a good line, then a bad one of the same key", Refused, note(&[own, &bad])),
        ("a bad line, then a good one of the same key", Refused, note(&[&bad, own])),
        ("a good line twice", Accepted, note(&[own, own])),
        ("a witness whose signature nobody here can check", Accepted, note(&[&witness, own])),
        ("another key of the same name", Accepted, note(&[own, &same_name])),
        ("only another key of the same name", Refused, note(&[&same_name])),
        ("only a witness", Refused, note(&[&witness])),
        ("a hundred lines", Accepted, witnesses(100)),
        ("a hundred and one lines", Refused, witnesses(101)),
        ("a line that is no signature", Refused, note(&[own, "x"])),
        ("a line in a loose base64", Refused, note(&[own, &format!("{witness}=")])),
        ("a witness with a control character", Refused, note(&[own, &witness.replace("ness", "\u{1}")])),
        ("a witness with a plus in its name", Refused, note(&[own, &witness.replace("ness", "+")])),
        ("no line feed at the end", Refused, note(&[own]).trim_end().to_owned()),
        ("no lines", Refused, note(&[])),
        ("an empty line between", Refused, format!("{}\n{own}\n", note(&[own]))),
        ("another text", Refused, note(&[own]).replace("\n4\n", "\n5\n")),
        ("a size with a leading zero", Refused, note(&[own]).replace("\n4\n", "\n04\n")),
    ];
    let mut all = Cases::new();
    for (what, verdict, note) in notes {
        all.add(what, verdict, &bundle, Some(&Export { note, ..export.clone() }.side_file()));
    }
    let key = hub_key().verifier_key().to_string();
    let hash = hub_key().verifier_key().hash().to_owned();
    let side_file = String::from_utf8(export.side_file()).unwrap();
    // The identity of the curve: a key that fits nearly any signature.
    let weak = "w+4d9c6bd2+AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    for (what, verdict, other) in [
        ("a hash in upper case", Accepted, key.replace(&hash, &hash.to_uppercase())),
        ("another hash", Refused, key.replace(&hash, "00000000")),
        ("a weak key", Refused, weak.to_owned()),
        ("a long key", Refused, format!("{}{key}", "x".repeat(1_024))),
    ] {
        all.add(what, verdict, &bundle, Some(side_file.replace(&key, &other).as_bytes()));
    }
    all.decide();
}

#[test]
fn every_side_file_is_judged_alike() {
    let export = good();
    let bundle = export.bundle();
    let side_file = String::from_utf8(export.side_file()).unwrap();
    let with = |from: &str, to: &str| {
        assert!(side_file.contains(from), "{from}");
        side_file.replacen(from, to, 1)
    };
    let spaced = side_file.replace("\":", "\" :\t").replace(",\"", " ,\r\n\"");
    let cases = [
        ("white space between its tokens", Accepted, spaced),
        ("an unknown member", Refused, with("{\"checkpoint\"", "{\"x\":1,\"checkpoint\"")),
        ("an unknown member of an entry", Refused, with("{\"index\"", "{\"x\":1,\"index\"")),
        ("a member twice", Refused, with("\"index\":0", "\"index\":0,\"index\":0")),
        ("an index that is a double", Refused, with("\"index\":1", "\"index\":1.0")),
        ("an index that is a text", Refused, with("\"index\":1", "\"index\":\"1\"")),
        ("text after it", Refused, format!("{side_file}x")),
        ("a second file after it", Refused, format!("{side_file}{side_file}")),
        ("a packet without its padding", Refused, with("=\"}", "\"}")),
        ("nothing", Refused, String::new()),
    ];
    let mut all = Cases::new();
    for (what, verdict, side_file) in cases {
        all.add(what, verdict, &bundle, Some(side_file.as_bytes()));
    }
    all.decide();
}
