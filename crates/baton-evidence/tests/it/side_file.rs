//! The side file's form: written byte for byte as documented, read from any reader in any pieces, and refused by
//! name when it is anything else.

use baton_evidence::log::{Hash, leaf_hash};
use baton_evidence::note::{Checkpoint, SigningKey};
use baton_evidence::side_file::{EntryError, ReadError, SideFileReader, SideFileWriter, limits};
use proptest::prelude::*;
use std::io::Read;

fn key() -> SigningKey {
    SigningKey::from_seed([1; 32], "baton-hub").unwrap()
}

fn note() -> String {
    let checkpoint = Checkpoint { origin: "baton/net-1".into(), size: 9, root: leaf_hash(b"") };
    checkpoint.sign(&key()).unwrap()
}

fn writer() -> SideFileWriter<Vec<u8>> {
    SideFileWriter::new(Vec::new(), &note(), &key().verifier_key()).unwrap()
}

fn two_entries() -> Vec<u8> {
    let mut file = writer();
    file.add(3, &[leaf_hash(b"a"), leaf_hash(b"b")], b"{\"a\":1}").unwrap();
    file.add(8, &[], b"").unwrap();
    file.finish().unwrap()
}

/// All of a side file, owned.
type Entries = Vec<(u64, Vec<Hash>, Vec<u8>)>;

fn read(file: impl Read) -> Result<Entries, ReadError> {
    let mut reader = SideFileReader::new(file)?;
    let mut entries = Vec::new();
    while let Some(entry) = reader.next_entry()? {
        entries.push((entry.index, entry.proof, entry.packet.to_vec()));
    }
    Ok(entries)
}

#[test]
fn the_form_is_the_documented_one() {
    let text = String::from_utf8(two_entries()).unwrap();
    let expected = format!(
        "{{\"checkpoint\":{},\"key\":\"{}\",\"events\":[{{\"index\":3,\"proof\":[\"{}\",\"{}\"],\"packet\":\"eyJhIjoxfQ==\"}},{{\"index\":8,\"proof\":[],\"packet\":\"\"}}]}}\n",
        serde_json::to_string(&note()).unwrap(),
        key().verifier_key(),
        leaf_hash(b"a"),
        leaf_hash(b"b"),
    );
    assert_eq!(text, expected);
    let mut reader = SideFileReader::new(text.as_bytes()).unwrap();
    assert_eq!((reader.checkpoint(), reader.key()), (&*note(), &*key().verifier_key().to_string()));
    assert_eq!(reader.next_entry().unwrap().unwrap().index, 3);
}

#[test]
fn it_can_be_taken_in_pieces_and_read_byte_by_byte() {
    let mut file = writer();
    let mut pieces = file.take();
    file.add(3, &[leaf_hash(b"a"), leaf_hash(b"b")], b"{\"a\":1}").unwrap();
    pieces.extend(file.take());
    file.add(8, &[], b"").unwrap();
    pieces.extend(file.finish().unwrap());
    assert_eq!(pieces, two_entries());

    struct OneByOne<'a>(&'a [u8]);
    impl Read for OneByOne<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }
    assert_eq!(read(OneByOne(&pieces)).unwrap(), read(&*pieces).unwrap());
}

#[test]
fn white_space_and_escapes_change_nothing() {
    let plain = String::from_utf8(two_entries()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&plain).unwrap();
    let pretty = format!(
        "\r\n{{ \"checkpoint\" :\t{},\n\"k\\u0065y\": {},\"events\" : {} }} \n",
        value["checkpoint"],
        value["key"],
        serde_json::to_string_pretty(&value["events"]).unwrap().replace("=\"", "\\u003d\""),
    );
    assert_eq!(read(pretty.as_bytes()).unwrap(), read(plain.as_bytes()).unwrap());
}

#[test]
fn another_form_is_refused() {
    let plain = String::from_utf8(two_entries()).unwrap();
    let change = |from: &str, to: &str| {
        assert!(plain.contains(from), "{from}");
        plain.replacen(from, to, 1)
    };
    let (head, _) = plain.split_once(",\"key\"").unwrap();
    for (what, text) in [
        ("another first member", change("\"checkpoint\"", "\"chequepoint\"")),
        ("an unknown member before the events", change(",\"events\"", ",\"x\":1,\"events\"")),
        ("an unknown member after the events", plain.replace("]}\n", "],\"x\":1}")),
        ("events before the key", format!("{head},\"events\":[],\"key\":\"\"}}")),
        ("a checkpoint that is no text", format!("{{\"checkpoint\":1,{}", plain.split_once(',').unwrap().1)),
        ("an unknown member of an entry", change("\"index\":3", "\"index\":3,\"x\":1")),
        ("a repeated member of an entry", change("\"index\":3", "\"index\":3,\"index\":3")),
        ("a missing member of an entry", change("\"index\":3,", "")),
        ("an index that is no number", change("\"index\":3", "\"index\":\"3\"")),
        ("a negative index", change("\"index\":3", "\"index\":-3")),
        ("an index with a fraction", change("\"index\":3", "\"index\":3.0")),
        ("an index over 64 bits", change("\"index\":3", "\"index\":18446744073709551616")),
        ("a proof that is no list", change("\"proof\":[]", "\"proof\":{}")),
        ("a hash of another length", change("\"proof\":[]", "\"proof\":[\"AAAA\"]")),
        ("base64 without padding", change("eyJhIjoxfQ==", "eyJhIjoxfQ")),
        ("base64 with spare bits", change("eyJhIjoxfQ==", "eyJhIjoxfR==")),
        ("base64 for addresses", change("eyJhIjoxfQ==", "ey-_")),
        ("no comma between entries", change("},{", "}{")),
        ("a comma at the end", plain.replace("}]}", "},]}")),
        ("an entry that is a list", change("{\"index\":8", "[{\"index\":8")),
        ("something after the end", format!("{plain}x")),
        ("a second file after the end", format!("{plain}{plain}")),
        ("a byte order mark", format!("\u{feff}{plain}")),
        ("an array", "[]".to_owned()),
    ] {
        assert!(matches!(read(text.as_bytes()), Err(ReadError::Form)), "{what}: {:?}", read(text.as_bytes()));
    }
    assert!(matches!(read(&b""[..]), Err(ReadError::Truncated)));
}

#[test]
fn every_length_has_a_bound() {
    let mut largest = writer();
    largest.add(1, &[Hash([1; 32]); limits::PROOF_HASHES], &vec![0xff; limits::PACKET_BYTES]).unwrap();
    assert_eq!(read(&*largest.finish().unwrap()).unwrap().len(), 1);

    let refused =
        |hashes: usize, bytes: usize| writer().add(1, &vec![Hash([1; 32]); hashes], &vec![0; bytes]);
    assert!(matches!(refused(limits::PROOF_HASHES + 1, 0), Err(EntryError::TooLong)));
    assert!(matches!(refused(0, limits::PACKET_BYTES + 1), Err(EntryError::TooLong)));

    let head = String::from_utf8(writer().take()).unwrap();
    let too_long = |text: String| matches!(read(text.as_bytes()), Err(ReadError::TooLong));
    let packet = "AAAA".repeat(limits::PACKET_BYTES / 3 + 1);
    assert!(too_long(format!("{head}{{\"index\":1,\"proof\":[],\"packet\":\"{packet}\"}}]}}")));
    assert!(too_long(format!("{head}{{\"index\":1,{}", " ".repeat(limits::ENTRY_BYTES))));
    let hashes = vec![format!("\"{}\"", Hash([1; 32])); limits::PROOF_HASHES + 1].join(",");
    assert!(too_long(format!("{head}{{\"index\":1,\"proof\":[{hashes}],\"packet\":\"\"}}]}}")));
    assert!(too_long(format!("{{\"checkpoint\":\"{}\"", "x".repeat(limits::TEXT_BYTES))));
    assert!(too_long(format!("{{\"{}\"", "x".repeat(limits::TEXT_BYTES))));
}

#[test]
fn entries_are_written_in_the_log_s_order_only() {
    let mut file = writer();
    file.add(3, &[], b"").unwrap();
    for index in [3, 2, 0] {
        assert!(matches!(file.add(index, &[], b""), Err(EntryError::Order { last: 3, .. })), "{index}");
    }
    file.add(4, &[], b"").unwrap();
    assert_eq!(read(&*file.finish().unwrap()).unwrap().len(), 2);
}

proptest! {
    #[test]
    fn any_entries_come_back_as_they_were_written(
        entries in prop::collection::btree_map(any::<u64>(), (prop::collection::vec(any::<[u8; 32]>(), 0..64), prop::collection::vec(any::<u8>(), 0..2000)), 0..8)
    ) {
        let mut file = writer();
        let mut expected = Vec::new();
        for (index, (proof, packet)) in entries {
            let proof: Vec<Hash> = proof.into_iter().map(Hash).collect();
            file.add(index, &proof, &packet).unwrap();
            expected.push((index, proof, packet));
        }
        prop_assert_eq!(read(&*file.finish().unwrap()).unwrap(), expected);
    }

    #[test]
    fn no_bytes_make_the_reader_or_the_note_s_parser_panic(
        at in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 0..40)
    ) {
        let mut file = two_entries();
        let at = at.index(file.len());
        let end = at + cut.index(file.len() - at);
        file.splice(at..end, bytes.iter().copied());
        let _ = read(&*file);
        let mut note = note().into_bytes();
        let at = at % note.len();
        note.splice(at..(at + bytes.len() / 2).min(note.len()), bytes);
        let _ = Checkpoint::open(&String::from_utf8_lossy(&note), &key().verifier_key());
    }
}
