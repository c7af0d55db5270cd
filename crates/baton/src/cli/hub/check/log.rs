//! One log: its places, its events (`leaf.rs`), its tree and its checkpoint.

use baton_core::{NetworkId, limits};
use baton_evidence::log::{Hash, Tile, leaf_hash};
use baton_evidence::note::Checkpoint;
use baton_evidence::time::Time;
use baton_store::Error;
use baton_store::rows::{BundleDamage, CheckReads, CheckpointRow, LeafState, LogPart};
use std::collections::HashMap;

use super::findings::{Findings, Name, Place};
use super::keys::Keys;
use super::leaf::{Reader, Told};
use super::report::Counts;
use super::tree::{Tree, tile_count};
use crate::service::evidence::seal;

/// Looks at every log. Answers by network how many of its log's events are those of a task's event.
pub(super) fn look_at_all(
    rows: &dyn CheckReads,
    keys: &Keys,
    findings: &mut Findings,
    counts: &mut Counts,
) -> Result<HashMap<String, u64>, Error> {
    let mut matched = HashMap::new();
    let mut after = 0;
    loop {
        let page = rows.logs(after, limits::CHECK_LOGS_PAGE_COUNT)?;
        let Some((last, _)) = page.last() else { return Ok(matched) };
        after = *last;
        for (log, network) in page {
            counts.logs += 1;
            if rows.network(&network)?.is_none() {
                findings.add(Name::NoNetwork, Place::network(network.as_str()), "a log of no network");
            }
            let look = Look { rows, log, network: &network, findings: &mut *findings, counts: &mut *counts };
            matched.insert(network.to_string(), look.run(keys)?);
        }
    }
}

struct Look<'a> {
    rows: &'a dyn CheckReads,
    log: i64,
    network: &'a NetworkId,
    findings: &'a mut Findings,
    counts: &'a mut Counts,
}

impl Look<'_> {
    fn run(mut self, keys: &Keys) -> Result<u64, Error> {
        let checkpoint = self.checkpoint(keys)?;
        let sealed = checkpoint.as_ref().map_or(0, |row| row.size);
        // The tree is given up where an event is missing: every later one would be hashed at a wrong place.
        let mut tree = Some(Tree::default());
        let (mut size, mut matched) = (0, 0);
        let mut reader = Reader::default();
        let retention = self.rows.retention(self.network)?;
        let left_through = retention.and_then(|left| Time::from_unix_millis(left.through.get()));
        let left_before = self.counts.left;
        self.rows.each_leaf(self.log, &mut |part| {
            let leaf = match part {
                LogPart::Leaf(leaf) => leaf,
                LogPart::Damage(BundleDamage { index, skipped, what }) => {
                    self.findings.add(Name::EntryBundle, Place::index(self.network.as_str(), index), what);
                    if skipped > 0 {
                        size = index + skipped;
                        tree = None;
                    }
                    return Ok(());
                }
            };
            if leaf.index != size {
                self.missing(size, leaf.index);
                tree = None;
            }
            size = leaf.index + 1;
            self.counts.log_events += 1;
            if let Some(tree) = tree.as_mut().filter(|_| leaf.index < sealed) {
                let full =
                    tree.add(leaf_hash(leaf.event)).map_err(|error| Error::Corrupt(error.to_string()))?;
                full.iter().try_for_each(|tile| self.tile(tile))?;
            }
            matched += self.leaf(&mut reader, left_through, leaf)?;
            Ok(())
        })?;
        self.left(self.counts.left - left_before, retention.map_or(0, |left| left.events));
        self.counts.unsealed += size.saturating_sub(sealed);
        if size < sealed {
            let what = format!("{size} events are left of the {sealed} that were signed");
            self.findings.add(Name::LogCutShort, Place::index(self.network.as_str(), size), what);
        } else if let Some(tree) = tree {
            self.sealed_tree(tree, checkpoint.as_ref())?;
        }
        Ok(matched)
    }

    /// Looks at one event; answers 1 if it is that of a task's event.
    fn leaf(
        &mut self,
        reader: &mut Reader,
        left_through: Option<Time>,
        leaf: LeafState<'_>,
    ) -> Result<u64, Error> {
        match reader.look(self.rows, self.network, left_through, leaf, self.findings)? {
            Told::Change => return Ok(1),
            Told::Left => self.counts.left += 1,
            Told::Reported => self.counts.reported += 1,
            Told::Beside | Told::Unread => {}
        }
        Ok(0)
    }

    /// As many events as retention removed, and no others, are of tasks that are not there.
    fn left(&mut self, found: u64, removed: u64) {
        if found != removed {
            let what = format!(
                "the log tells of {found} changes of tasks that are not there, and retention removed {removed}"
            );
            self.differs(Name::Retention, what);
        }
    }

    fn missing(&mut self, from: u64, to: u64) {
        let what = match to - from {
            1 => "it is missing".to_owned(),
            _ => format!("it and all before {to} are missing"),
        };
        self.findings.add(Name::LogGap, Place::index(self.network.as_str(), from), what);
    }

    /// The checkpoint, opened with the key and held against its row.
    fn checkpoint(&mut self, keys: &Keys) -> Result<Option<CheckpointRow>, Error> {
        let row = match self.rows.checkpoint(self.network) {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(None),
            Err(Error::Corrupt(what)) => {
                self.differs(Name::Checkpoint, what);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        self.counts.checkpoints += 1;
        let Some(key) = &keys.known else {
            self.differs(Name::Checkpoint, "there is no public key to open it with".into());
            return Ok(Some(row));
        };
        let said = Checkpoint { origin: seal::origin(self.network), size: row.size, root: Hash(row.root) };
        match Checkpoint::open(&row.note, key) {
            Ok(signed) if signed == said => {}
            Ok(signed) => {
                let what = format!(
                    "its note is of {} with {} events, its row has {} events",
                    signed.origin, signed.size, row.size
                );
                self.differs(Name::Checkpoint, what);
            }
            Err(error) => self.differs(Name::Checkpoint, format!("the checkpoint: {error}")),
        }
        Ok(Some(row))
    }

    /// The tree over what is signed: the tiles of its edge, no others, and the root.
    fn sealed_tree(&mut self, tree: Tree, checkpoint: Option<&CheckpointRow>) -> Result<(), Error> {
        let (unfinished, root) = tree.finish().map_err(|error| Error::Corrupt(error.to_string()))?;
        unfinished.iter().try_for_each(|tile| self.tile(tile))?;
        let sealed = checkpoint.map_or(0, |row| row.size);
        let (tiles, expected) = (self.rows.tile_count(self.log)?, tile_count(sealed));
        if tiles != expected {
            let what = format!("the tree has {tiles} tiles, one of {sealed} events has {expected}");
            self.differs(Name::Tile, what);
        }
        if checkpoint.is_some_and(|row| row.root != root.0) {
            let what = format!("the first {sealed} events do not make the root that was signed");
            self.differs(Name::Root, what);
        }
        Ok(())
    }

    /// One tile as the events make it, against the one that was kept.
    fn tile(&mut self, tile: &Tile) -> Result<(), Error> {
        let kept = self.rows.tile(self.network, tile.level, tile.index)?;
        let made: Vec<u8> = tile.hashes.iter().flat_map(|hash| hash.0).collect();
        if kept == made {
            return Ok(());
        }
        let (level, index) = (tile.level, tile.index);
        if kept.len() != made.len() || level > 0 {
            let what = format!("tile {index} of level {level} is not what the events make");
            self.differs(Name::Tile, what);
        }
        if level == 0 {
            for (n, (kept, made)) in kept.chunks(32).zip(made.chunks(32)).enumerate() {
                if kept != made {
                    let index = index * baton_evidence::log::TILE_WIDTH + n as u64;
                    let what = "its hash is not the one in the tree";
                    self.findings.add(Name::LeafHash, Place::index(self.network.as_str(), index), what);
                }
            }
        }
        Ok(())
    }

    fn differs(&mut self, name: Name, what: String) {
        self.findings.add(name, Place::network(self.network.as_str()), what);
    }
}
