//! One bundle of each kind of damage section C names, with the class and code it is to be refused with. Where
//! events were changed the manifest is recreated, so that the rule in question refuses and not a hash on the way.

use super::forge::{Forged, archive, event_with, gzip, hashed, member, member_with};

pub(super) struct Damaged {
    pub(super) what: &'static str,
    pub(super) code: &'static str,
    pub(super) bytes: Vec<u8>,
}

pub(super) fn all() -> Vec<Damaged> {
    let mut all = Vec::new();
    let mut add = |what, code, bytes| all.push(Damaged { what, code, bytes });
    container(&mut add);
    headers(&mut add);
    events(&mut add);
    manifests(&mut add);
    all
}

type Add<'a> = dyn FnMut(&'static str, &'static str, Vec<u8>) + 'a;

fn container(add: &mut Add<'_>) {
    let (good, tar) = (Forged::good(3).packed(), Forged::good(3).tar());
    add("nothing", "integrity/gzip", Vec::new());
    add("not gzip", "integrity/gzip", b"just text, no bundle".to_vec());
    add("cut in its middle", "integrity/gzip", good[..good.len() / 2].to_vec());
    add("cut by a byte", "integrity/gzip", good[..good.len() - 1].to_vec());
    add("a byte after its end", "integrity/gzip", [&*good, b"x"].concat());
    add("a second gzip member", "integrity/gzip", [&*good, &*good].concat());
    let mut crc = good.clone();
    let at = crc.len() - 6;
    crc[at] ^= 1;
    add("another CRC", "integrity/gzip", crc);
    add("data after the archive", "integrity/tar", gzip(&[&*tar, &[1; 512]].concat()));
    add("an archive cut in its events", "integrity/tar", gzip(&tar[..tar.len() - 2048]));
    let mut summed = tar.clone();
    summed[150] ^= 1;
    add("a header's checksum", "integrity/tar", gzip(&summed));

    let manifest = member("manifest.json", &serde_json::to_vec(&Forged::good(3).manifest).unwrap());
    let (events, other) = (member("events.ndjson", &Forged::good(3).events), member("notes.txt", b"hello"));
    let packed =
        |members: &[&Vec<u8>]| gzip(&archive(&members.iter().map(|m| (*m).clone()).collect::<Vec<_>>()));
    add("an extra file", "contract/unexpected_file", packed(&[&manifest, &events, &other]));
    add("the events twice", "contract/repeated_file", packed(&[&manifest, &events, &events]));
    add("the events first", "contract/file_order", packed(&[&events, &manifest]));
    add("no events", "contract/missing_file", packed(&[&manifest]));
    add("no files", "contract/missing_file", packed(&[]));
    add("a name with ./", "contract/unexpected_file", packed(&[&member("./manifest.json", b"{}"), &events]));
    for name in ["../manifest.json", "/manifest.json", "a/../../events.ndjson"] {
        add("a name that leads out", "security/path", packed(&[&member(name, b"{}")]));
    }
}

/// Something done to a header before it is summed.
type Change = fn(&mut tar::Header);

fn headers(add: &mut Add<'_>) {
    let bytes = serde_json::to_vec(&Forged::good(3).manifest).unwrap();
    let events = member("events.ndjson", &Forged::good(3).events);
    let changes: [(&'static str, Change); 8] = [
        ("a link", |h| h.set_entry_type(tar::EntryType::Symlink)),
        ("a PAX record", |h| h.set_entry_type(tar::EntryType::XHeader)),
        ("a GNU long name", |h| h.set_entry_type(tar::EntryType::GNULongName)),
        ("a link name", |h| h.as_old_mut().linkname[0] = b'x'),
        ("a name prefix", |h| h.as_mut_bytes()[345] = b'x'),
        ("a size in base 256", |h| h.as_old_mut().size[0] = 0x80),
        ("a size with spaces", |h| h.as_old_mut().size[0] = b' '),
        ("a size of twelve digits", |h| h.as_old_mut().size[11] = b'0'),
    ];
    for (what, change) in changes {
        let manifest = member_with("manifest.json", &bytes, change);
        add(what, "integrity/tar", gzip(&archive(&[manifest, events.clone()])));
    }
}

fn events(add: &mut Add<'_>) {
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines: Vec<String> =
            (0..3).map(|seq| hashed("t-0", seq, &format!("{{\"n\":{seq}}}"))).collect();
        change(&mut lines);
        Forged::of(&lines).packed()
    };
    let first = |line: String| with(&|lines| lines[0] = line.clone());
    let swap = |from: &'static str, to: &str| first(hashed("t-0", 0, "{}").replacen(from, to, 1));
    let json = "contract/invalid_json";
    add("a line that is no JSON", json, first("nonsense".into()));
    add("a line that is no object", json, first("[]".into()));
    add("a name twice at the top", json, swap("{", "{\"id\":\"run:0\","));
    add("a name twice inside", json, first(hashed("t-0", 0, r#"{"a":{"x":1,"x":1}}"#)));
    add("a lone surrogate", json, first(hashed("t-0", 0, r#"{"a":"\ud800"}"#)));
    add("a number out of range", json, first(hashed("t-0", 0, r#"{"a":1e999}"#)));
    add("a missing member", json, swap(r#""assaygit":"unknown","#, ""));
    add("a flag that is a string", json, swap(r#""assaypii":false"#, r#""assaypii":"no""#));
    add("a seq that is a double", json, swap(r#""assayseq":0"#, r#""assayseq":0.0"#));
    add("a time that is none", json, swap("2026-03-04T05:06:07Z", "yesterday"));
    add("a byte order mark", json, swap("{", "\u{feff}{"));
    let names: Vec<String> = (0..=10_000).map(|n| format!("\"{n}\":0")).collect();
    add("too many names", json, first(hashed("t-0", 0, &format!("{{{}}}", names.join(",")))));
    let mut latin = Forged::good(3);
    latin.events[20] = 0xFF;
    add("bytes that are no UTF-8", json, latin.sealed().packed());
    add("no content hash", "contract/schema_version", first(event_with("t-0", 0, "{}")));
    add("another specversion", "contract/schema_version", swap("\"1.0\"", "\"1.1\""));

    add("a gap", "contract/sequence", with(&|lines| drop(lines.remove(1))));
    add("two lines swapped", "contract/sequence", with(&|lines| lines.swap(0, 1)));
    add("another run", "contract/run_id", swap(r#""assayrunid":"run""#, r#""assayrunid":"ran""#));
    let event = "contract/invalid_event";
    add("another id", event, swap("run:0", "run:00"));
    add("a source without a colon", event, swap("urn:assay:adapter:a2a", "nowhere"));
    add("a source that starts with one", event, swap("urn:assay", ":assay"));
    add("another source", event, with(&|lines| lines[2] = lines[2].replace("urn:assay", "urn:other")));
    add("a blank line", event, with(&|lines| lines.insert(1, String::new())));
    add("no events at all", event, with(&Vec::clear));
    let mut colon = Forged::of(&[hashed("t-0", 0, "{}").replace(r#""run"#, r#""r:n"#)]);
    colon.manifest["run_id"] = "r:n".into();
    add("a run id with a colon", event, colon.packed());

    let hash = "integrity/event_hash";
    add("changed data", hash, with(&|lines| lines[1] = lines[1].replace("{\"n\":1}", "{\"n\":2}")));
    add("a changed subject", hash, with(&|lines| lines[1] = lines[1].replace("t-0", "t-1")));

    let deep = format!("{}{}", "[".repeat(64), "]".repeat(64));
    add("data nested too deep", "limits/json_depth", first(hashed("t-0", 0, &deep)));
    let long = format!("\"{}\"", "a".repeat(1 << 20));
    add("a line too long", "limits/line_bytes", first(hashed("t-0", 0, &long)));
}

fn manifests(add: &mut Add<'_>) {
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut forged = Forged::good(3);
        change(&mut forged.manifest);
        forged.packed()
    };
    let nowhere = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
    let entry = |manifest: &mut serde_json::Value, name: &str, value: serde_json::Value| {
        manifest["files"]["events.ndjson"][name] = value;
    };
    add("another run root", "integrity/run_root", with(&|m| m["run_root"] = nowhere.into()));
    add("another file hash", "integrity/file_hash", with(&|m| entry(m, "sha256", nowhere.into())));
    add("another size", "integrity/file_size", with(&|m| entry(m, "bytes", 7.into())));
    add("another bundle id", "contract/bundle_id", with(&|m| m["bundle_id"] = "x".into()));
    add("another count", "contract/sequence", with(&|m| m["event_count"] = 4.into()));
    add("another run id", "contract/run_id", with(&|m| m["run_id"] = "ran".into()));
    add("another schema version", "contract/schema_version", with(&|m| m["schema_version"] = 2.into()));
    add("no entry for the events", "contract/missing_file", with(&|m| m["files"] = serde_json::json!({})));
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
        let without = with(&|m| drop(m.as_object_mut().unwrap().remove(name)));
        add("a manifest that lacks a member", "contract/invalid_json", without);
    }
    let events = member("events.ndjson", &Forged::good(3).events);
    let mut text = |what, code, text: &[u8]| {
        add(what, code, gzip(&archive(&[member("manifest.json", text), events.clone()])));
    };
    text("a manifest that is no JSON", "contract/invalid_json", b"nonsense");
    text("a manifest that is no UTF-8", "contract/invalid_json", b"{\"\xFF\":1}");
    text("a manifest with a name twice", "contract/invalid_json", br#"{"run_id":"a","run_id":"a"}"#);
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    text("a manifest nested too deep", "limits/json_depth", deep.as_bytes());
}
