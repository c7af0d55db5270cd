//! The contract's vector for the content hash and the run root.

use baton_evidence::canonical::Writer;
use baton_evidence::digest::{Digest, RunRoot};
use baton_evidence::event_line::EventLine;

use super::forge;

const DATA: &str = r#"{"n":0,"f":1.5,"s":"é😀","big":9007199254740992,"z":{"b":1,"a":[1,"x",null]}}"#;
const HASH: &str = "sha256:c3611e2f244e32e53d715b0c7ee76eb4b98fd99bace658bcbb9c26208c2149bc";
const ROOT: &str = "sha256:03be7f79cc84197c704bc3ffa4774dd50366737ecbaba69ecea24fcb19594e9e";

fn hash_of(line: &str) -> Digest {
    EventLine::read(&mut Writer::new(), line).unwrap().compute_content_hash()
}

#[test]
fn the_contract_s_vector_holds() {
    let hash = hash_of(&forge::event_with("t-0", 0, DATA));
    assert_eq!(hash.to_string(), HASH);
    let mut root = RunRoot::default();
    root.add(&hash);
    assert_eq!(root.finish().to_string(), ROOT);
}

#[test]
fn the_hash_binds_what_is_said_and_not_when_or_as_which_number() {
    let line = forge::event_with("t-0", 0, DATA);
    let told = |from: &str, to: &str| {
        assert!(line.contains(from), "{from} is in the event");
        hash_of(&line.replace(from, to)).to_string()
    };
    for (from, to) in [
        (r#""assayseq":0"#, r#""assayseq":7"#),
        (r#""id":"run:0""#, r#""id":"other:9""#),
        (r#""time":"2026-03-04T05:06:07Z""#, r#""time":"2027-01-01T00:00:00+01:00""#),
        (r#""source":"urn:"#, r#""source":"https:"#),
        (r#""assayrunid":"run""#, r#""assayrunid":"other""#),
        (r#""n":0"#, r#" "n" : 0.0 "#),
    ] {
        assert_eq!(told(from, to), HASH, "{from} is not bound");
    }
    for (from, to) in [
        (r#""n":0"#, r#""n":1"#),
        (r#""subject":"t-0""#, r#""subject":"t-1""#),
        (r#""subject":"t-0","#, ""),
        (r#"task.requested""#, r#"task.updated""#),
        (r#""datacontenttype":"application/json""#, r#""datacontenttype":"text/plain""#),
        (r#""specversion":"1.0""#, r#""specversion":"1.1""#),
    ] {
        assert_ne!(told(from, to), HASH, "{from} is bound");
    }
}

#[test]
fn a_null_subject_is_an_absent_one() {
    let line = forge::event_with("t-0", 0, DATA);
    let null = line.replace(r#""subject":"t-0""#, r#""subject":null"#);
    let absent = line.replace(r#""subject":"t-0","#, "");
    assert_eq!(hash_of(&null), hash_of(&absent));
}
