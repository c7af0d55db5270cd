//! Somebody with the hub's folder and its key: changes the log in the database while the hub is stopped, and signs
//! again, so that the hub itself finds nothing wrong.

use baton_evidence::canonical::Writer;
use baton_evidence::event_line::{EventLine, Stamp};
use baton_evidence::log::{Hash, Tile, Tiles, grow, leaf_hash, root};
use baton_evidence::note::{Checkpoint, SigningKey};
use rusqlite::{Connection, params};
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use crate::it::triggers::drop_triggers;

pub(super) struct Rewrite {
    rows: Connection,
    folder: PathBuf,
    /// The SQL that creates the triggers again.
    triggers: String,
    network: String,
    log: i64,
}

/// A hub does not start without its triggers.
impl Drop for Rewrite {
    fn drop(&mut self) {
        self.rows.execute_batch(&self.triggers).unwrap();
    }
}

/// All tiles of a tree.
struct All(Vec<Tile>);

impl Tiles for All {
    type Error = Infallible;

    fn tile(&self, level: u8, index: u64) -> Result<Vec<Hash>, Infallible> {
        let found = self.0.iter().find(|tile| tile.level == level && tile.index == index);
        Ok(found.map(|tile| tile.hashes.clone()).unwrap_or_default())
    }
}

impl Rewrite {
    pub(super) fn of(folder: &Path, network: &str) -> Self {
        let rows = Connection::open(folder.join("hub.db")).unwrap();
        let triggers = drop_triggers(&rows);
        let log =
            rows.query_row("SELECT log FROM logs WHERE network_id = ?", [network], |row| row.get(0)).unwrap();
        Self { rows, triggers, folder: folder.to_owned(), network: network.to_owned(), log }
    }

    fn place(&self, index: u64) -> i64 {
        self.log << 36 | i64::try_from(index).unwrap()
    }

    fn events(&self) -> Vec<String> {
        let mut query =
            self.rows.prepare("SELECT event FROM evidence WHERE place >> 36 = ? ORDER BY place").unwrap();
        let rows = query.query_map([self.log], |row| row.get::<_, Vec<u8>>(0)).unwrap();
        rows.map(|event| String::from_utf8(event.unwrap()).unwrap()).collect()
    }

    /// Lets somebody else have done it; the event is as good as any by itself.
    pub(super) fn change_actor(&self, index: u64, actor: &str) {
        let mut event: serde_json::Value = serde_json::from_str(&self.event(index)).unwrap();
        event["data"]["agent"]["id"] = actor.into();
        let text = event.to_string();
        let (mut values, mut line) = (Writer::new(), Writer::new());
        let event = EventLine::read(&mut values, &text).unwrap();
        let stamp = Stamp { run_id: &self.network, seq: index };
        event.write_restamped(&mut line, stamp, &event.compute_content_hash());
        self.put(index, line.bytes());
    }

    pub(super) fn event(&self, index: u64) -> String {
        self.events().swap_remove(usize::try_from(index).unwrap())
    }

    /// Puts these bytes in an event's place, whatever they are.
    pub(super) fn put(&self, index: u64, event: &[u8]) {
        let changed = "UPDATE evidence SET event = ? WHERE place = ?";
        assert_eq!(self.rows.execute(changed, params![event, self.place(index)]).unwrap(), 1);
    }

    /// Leaves only the first events.
    pub(super) fn truncate(&self, size: u64) {
        let gone = "DELETE FROM evidence WHERE place >> 36 = ? AND place >= ?";
        assert!(self.rows.execute(gone, params![self.log, self.place(size)]).unwrap() > 0);
    }

    /// Another key, as if the hub had always had it.
    pub(super) fn exchange_key(&self) {
        let key = SigningKey::from_seed([9; 32], "baton").unwrap();
        std::fs::write(self.key_file(), &*key.to_text()).unwrap();
        self.rows.execute("UPDATE evidence_key SET key = ?", [key.verifier_key().to_string()]).unwrap();
    }

    fn key_file(&self) -> PathBuf {
        self.folder.join("evidence.key")
    }

    /// Makes tree and checkpoint again from the events as they are now.
    pub(super) fn sign_anew(&self) {
        let leaves: Vec<_> = self.events().iter().map(|event| leaf_hash(event.as_bytes())).collect();
        let tiles = All(grow(&All(Vec::new()), 0, &leaves).unwrap());
        let size = leaves.len() as u64;
        let root = root(&tiles, size).unwrap();
        self.rows.execute("DELETE FROM tiles WHERE log = ?", [self.log]).unwrap();
        for tile in &tiles.0 {
            let hashes: Vec<u8> = tile.hashes.iter().flat_map(|hash| hash.0).collect();
            let put = "INSERT INTO tiles (log, level, n, hashes) VALUES (?, ?, ?, ?)";
            self.rows
                .execute(put, params![self.log, tile.level, i64::try_from(tile.index).unwrap(), hashes])
                .unwrap();
        }
        let key = SigningKey::parse(&std::fs::read_to_string(self.key_file()).unwrap()).unwrap();
        let note = Checkpoint { origin: format!("baton/{}", self.network), size, root }.sign(&key).unwrap();
        let put = "UPDATE checkpoints SET size = ?, root = ?, note = ? WHERE log = ?";
        let size = i64::try_from(size).unwrap();
        assert_eq!(self.rows.execute(put, params![size, root.0, note, self.log]).unwrap(), 1);
    }
}
