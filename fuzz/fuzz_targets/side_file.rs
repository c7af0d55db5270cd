//! Any bytes before the side file's reader, the note's parser and the joined check. What is read is written again and
//! reads the same; only a rule may refuse, and what it says is one line without anything a terminal would obey.

#![no_main]

use baton_evidence::bundle::BundleWriter;
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use baton_evidence::export::{self, ExportError};
use baton_evidence::log::Hash;
use baton_evidence::note::{Checkpoint, SigningKey, VerifierKey};
use baton_evidence::side_file::{SideFileReader, SideFileWriter};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use std::sync::LazyLock;

type Entries = Vec<(u64, Vec<Hash>, Vec<u8>)>;

fuzz_target!(|bytes: &[u8]| {
    if let Some(entries) = read(bytes) {
        write_again(&entries);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Checkpoint::open(text, &KEY.verifier_key());
        let _ = VerifierKey::parse(text);
        let _ = SigningKey::parse(text);
    }
    match export::verify(&**BUNDLE, bytes, None, baton_adapter::rerun) {
        Ok(_) => {}
        Err(ExportError::Refused(refusal)) => {
            assert!(!refusal.to_string().chars().any(char::is_control), "{refusal:?}");
        }
        Err(error) => panic!("the bundle is good and a slice can always be read: {error}"),
    }
});

static KEY: LazyLock<SigningKey> =
    LazyLock::new(|| SigningKey::from_seed([7; 32], "baton").expect("a good name"));

/// One event; the corpus has a side file that fits it.
static BUNDLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let line = include_str!("side_file_event.json");
    let mut writer = Writer::new();
    let event = EventLine::read(&mut writer, line).expect("an event");
    let mut bundle = BundleWriter::new(Cursor::new(Vec::new()), None).expect("no run id is given");
    bundle.add(&event).expect("one event has room");
    bundle.finish(Vec::new()).expect("one event was added").1
});

fn read(bytes: &[u8]) -> Option<Entries> {
    let mut reader = SideFileReader::new(bytes).ok()?;
    let mut entries = Vec::new();
    while let Some(entry) = reader.next_entry().ok()? {
        entries.push((entry.index, entry.proof, entry.packet.to_vec()));
    }
    Some(entries)
}

fn write_again(entries: &Entries) {
    let mut file = SideFileWriter::new(Vec::new(), "note", &KEY.verifier_key()).expect("a vector takes all");
    for (index, proof, packet) in entries {
        if file.add(*index, proof, packet).is_err() {
            return; // out of the log's order, which only the joined check refuses
        }
    }
    let written = file.finish().expect("a vector takes all");
    assert_eq!(read(&written).as_ref(), Some(entries));
}
