//! What the writer would not write and the reader takes anyway: rules for one are not rules for the other.

use baton_evidence::bundle::verify;
use serde_json::json;

use super::forge::{Forged, archive, gzip, gzip_named, hashed, member, member_with};

#[track_caller]
fn accepts(what: &str, bundle: &[u8]) {
    if let Err(error) = verify(bundle) {
        panic!("{what}: {error}");
    }
}

#[test]
fn forms_other_producers_write_are_accepted() {
    let good = Forged::good(3);
    accepts("lines that are not canonical, a pretty manifest", &good.packed());
    accepts("a gzip name and time", &gzip_named(&good.tar()));

    let mut crlf = good.clone();
    crlf.events = String::from_utf8(crlf.events).unwrap().replace('\n', "\r\n").into_bytes();
    accepts("one CR before LF", &crlf.sealed().packed());

    let mut unended = good.clone();
    unended.events.pop();
    accepts("no final newline", &unended.sealed().packed());

    let mut bare = good.clone();
    let hash =
        bare.manifest["files"]["events.ndjson"]["sha256"].as_str().unwrap()["sha256:".len()..].to_owned();
    bare.manifest["files"]["events.ndjson"]["sha256"] = hash.into();
    accepts("a bare file hash", &bare.packed());

    let mut more = good.clone();
    more.manifest["x_extra"] = json!({"a": [1, 2]});
    more.manifest["producer"]["git"] = "abc".into();
    more.manifest["files"]["other.txt"] = json!({"path": "other.txt", "sha256": "", "bytes": 0});
    accepts("unknown keys", &more.packed());
}

#[test]
fn any_data_time_and_subject_is_accepted() {
    for data in ["null", "[]", "1.5", "\"text\"", "{\"a\":{\"b\":[]}}"] {
        accepts(data, &Forged::of(&[hashed("t-0", 0, data)]).packed());
    }
    for time in ["2020-01-01T00:00:00+05:30", "1999-12-31T23:59:60Z", "2026-03-04t05:06:07z"] {
        let later = hashed("t-0", 1, "{}").replace("2026-03-04T05:06:07Z", time);
        accepts(time, &Forged::of(&[hashed("t-0", 0, "{}"), later]).packed());
    }
    let unknown =
        hashed("t-0", 0, "{}").replacen('{', "{\"traceparent\":\"00-x\",\"batonorigin\":\"hub\",", 1);
    accepts("unknown members", &Forged::of(&[unknown]).packed());

    // Depth 64 in the line: the event, data and 62 containers.
    let deepest = format!("{}{}", "[".repeat(63), "]".repeat(63));
    accepts("63 containers in data", &Forged::of(&[hashed("t-0", 0, &deepest)]).packed());
}

#[test]
fn plain_headers_of_either_kind_are_accepted() {
    let good = Forged::good(2);
    let manifest = serde_json::to_vec(&good.manifest).unwrap();
    let space = |h: &mut tar::Header| h.as_old_mut().size[11] = b' ';
    let old = |h: &mut tar::Header| h.as_mut_bytes()[156] = 0;
    let named = |h: &mut tar::Header| h.as_mut_bytes()[265..270].copy_from_slice(b"assay");
    accepts(
        "a size ending in a space",
        &gzip(&archive(&[
            member_with("manifest.json", &manifest, space),
            member_with("events.ndjson", &good.events, space),
        ])),
    );
    accepts(
        "old-style types and owners",
        &gzip(&archive(&[
            member_with("manifest.json", &manifest, old),
            member_with("events.ndjson", &good.events, named),
        ])),
    );
    let mut padded = archive(&[member("manifest.json", &manifest), member("events.ndjson", &good.events)]);
    padded.resize(10 * 1024, 0);
    accepts("an archive padded to a record", &gzip(&padded));
}
