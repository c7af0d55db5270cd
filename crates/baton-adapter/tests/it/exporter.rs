//! A log in memory and exports of it, made as a hub makes them: packets through the adapter, events stamped with
//! the network's numbers, a tree, a signed checkpoint, a bundle and its side file.

use baton_adapter::{DigestOnly, Input, Mode, Options, convert, rerun};
use baton_evidence::bundle::BundleWriter;
use baton_evidence::canonical::{self, Writer};
use baton_evidence::event_line::{EventLine, Stamp};
use baton_evidence::export::{self, ExportError, Report};
use baton_evidence::log::{self, CachedTiles, Hash, Tiles, leaf_hash};
use baton_evidence::note::{Checkpoint, SigningKey, VerifierKey};
use baton_evidence::side_file::SideFileWriter;
use std::collections::HashMap;
use std::convert::Infallible;
use std::io::Cursor;

/// One log.
pub(super) struct Log {
    network_id: String,
    pub(super) events: Vec<Logged>,
    tiles: Memory,
}

/// An event of the log and the packet it was made from.
#[derive(Clone)]
pub(super) struct Logged {
    pub(super) line: String,
    pub(super) packet: String,
}

#[derive(Default)]
struct Memory(HashMap<(u8, u64), Vec<Hash>>);

impl Tiles for Memory {
    type Error = Infallible;

    fn tile(&self, level: u8, index: u64) -> Result<Vec<Hash>, Infallible> {
        Ok(self.0.get(&(level, index)).cloned().unwrap_or_default())
    }
}

/// A bundle and its side file, in parts that are open to damage.
#[derive(Clone)]
pub(super) struct Export {
    pub(super) lines: Vec<String>,
    pub(super) note: String,
    pub(super) key: VerifierKey,
    pub(super) entries: Vec<Entry>,
}

#[derive(Clone)]
pub(super) struct Entry {
    pub(super) index: u64,
    pub(super) proof: Vec<Hash>,
    pub(super) packet: String,
}

/// The hub's key.
pub(super) fn hub_key() -> SigningKey {
    SigningKey::from_seed([7; 32], "baton-hub").unwrap()
}

/// What a hub says of task `number`: asked for, then done.
pub(super) fn hub_packet(number: u64) -> String {
    let (event_type, status) =
        if number.is_multiple_of(2) { ("task.requested", "pending") } else { ("task.updated", "completed") };
    let task = number / 2;
    format!(
        r#"{{"protocol":"a2a","version":"0.2","event_type":"{event_type}","timestamp":"2026-03-04T05:06:07.{:03}Z","agent":{{"id":"planner"}},"task":{{"id":"task-{task}","status":"{status}","kind":"delegation"}},"message":{{"id":"msg-{number}"}},"attributes":{{"baton":{{"content":{{"hmac_sha256":"{number:064x}","size_bytes":{number}}},"event":{number},"from":"planner","to":"worker"}}}}}}"#,
        number % 1000
    )
}

impl Log {
    pub(super) fn new(network_id: &str) -> Self {
        Self { network_id: network_id.to_owned(), events: Vec::new(), tiles: Memory::default() }
    }

    /// A log of this many events the hub observed.
    pub(super) fn observed(network_id: &str, count: u64) -> Self {
        let mut log = Self::new(network_id);
        log.append((0..count).map(|number| (hub_packet(number), r#""batonorigin":"hub""#.to_owned())));
        log
    }

    /// Adds packets with their origin members.
    pub(super) fn append(&mut self, packets: impl IntoIterator<Item = (String, String)>) {
        let marked = |(packet, origin): (String, String)| (marked_event(&packet, &origin), packet);
        self.append_events(packets.into_iter().map(marked));
    }

    /// Adds events, whatever their numbers, and the packets they were made from.
    pub(super) fn append_events(&mut self, events: impl IntoIterator<Item = (String, String)>) {
        let (mut reading, mut writing) = (Writer::new(), Writer::new());
        let size = self.events.len() as u64;
        let mut leaves = Vec::new();
        for (line, packet) in events {
            let event = EventLine::read(&mut reading, &line).unwrap();
            writing.clear();
            let seq = self.events.len() as u64;
            let stamp = Stamp { run_id: &self.network_id, seq };
            event.write_restamped(&mut writing, stamp, &event.compute_content_hash());
            leaves.push(leaf_hash(writing.bytes()));
            let line = std::str::from_utf8(writing.bytes()).unwrap().to_owned();
            self.events.push(Logged { line, packet });
        }
        for tile in log::grow(&self.tiles, size, &leaves).unwrap() {
            self.tiles.0.insert((tile.level, tile.index), tile.hashes);
        }
    }

    pub(super) fn checkpoint(&self, size: u64) -> Checkpoint {
        let root = log::root(&self.tiles, size).unwrap();
        Checkpoint { origin: format!("baton/{}", self.network_id), size, root }
    }

    pub(super) fn consistency(&self, from: u64, to: u64) -> Vec<Hash> {
        log::consistency(&self.tiles, from, to).unwrap()
    }

    /// An export of these events under the checkpoint of this size.
    pub(super) fn export(&self, indexes: impl IntoIterator<Item = u64>, size: u64) -> Export {
        let tiles = CachedTiles::new(&self.tiles);
        let (lines, entries) = indexes
            .into_iter()
            .map(|index| {
                let Logged { line, packet } = self.events[index as usize].clone();
                let proof = log::inclusion(&tiles, index, size).unwrap();
                (line, Entry { index, proof, packet })
            })
            .unzip();
        let note = self.checkpoint(size).sign(&hub_key()).unwrap();
        Export { lines, note, key: hub_key().verifier_key(), entries }
    }
}

/// A packet's event, without a hash, with these members more.
pub(super) fn marked_event(packet: &str, origin: &str) -> String {
    let input = Input { bytes: packet.as_bytes(), media_type: "application/json", protocol_version: None };
    let options = Options { mode: Mode::Lenient, ..Options::default() };
    let event = convert(input, &options, &mut DigestOnly).unwrap().event;
    let event = String::from_utf8(canonical::to_vec(&event).unwrap()).unwrap();
    format!("{{{origin},{}", event.strip_prefix('{').unwrap())
}

impl Export {
    /// The bundle, its events numbered and its manifest made for the lines as they are now.
    pub(super) fn bundle(&self) -> Vec<u8> {
        let mut bundle = BundleWriter::new(Cursor::new(Vec::new()), Some("export".to_owned())).unwrap();
        let mut writer = Writer::new();
        for line in &self.lines {
            bundle.add(&EventLine::read(&mut writer, line).unwrap()).unwrap();
        }
        bundle.finish(Vec::new()).unwrap().1
    }

    pub(super) fn side_file(&self) -> Vec<u8> {
        let mut out = SideFileWriter::new(Vec::new(), &self.note, &self.key).unwrap();
        for entry in &self.entries {
            out.add(entry.index, &entry.proof, entry.packet.as_bytes()).unwrap();
        }
        out.finish().unwrap()
    }

    /// What the check says, with the hub's key given.
    pub(super) fn check(&self) -> Result<Report, ExportError> {
        check(&self.bundle(), &self.side_file(), Some(&hub_key().verifier_key()))
    }

    /// The class and code the check refuses this with, and where.
    #[track_caller]
    pub(super) fn refused(&self) -> String {
        refused(self.check())
    }
}

pub(super) fn check(
    bundle: &[u8],
    side_file: &[u8],
    key: Option<&VerifierKey>,
) -> Result<Report, ExportError> {
    export::verify(bundle, side_file, key, rerun)
}

#[track_caller]
pub(super) fn refused(checked: Result<Report, ExportError>) -> String {
    match checked {
        Err(ExportError::Refused(refusal)) => format!("{} at {}", refusal.code, refusal.place),
        other => panic!("not refused: {other:?}"),
    }
}
