//! The evidence of a network: its log of events, the packets behind them, the tree's hashes and the checkpoint.
//! Bytes only; what they say is the business of those who write and read them. Where an entry is stored, in the tail or
//! in an entry bundle, no reader notices.

use baton_core::{NetworkId, Principal, TaskId, UnixMillis};

use crate::entry_bundle::{Entry, EntryBundle};
use crate::error::Error;

/// One event of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafRow {
    /// Its place in the log, from 0.
    pub index: u64,
    /// The canonical event.
    pub event: Vec<u8>,
    /// The packet it was made of; empty where the page was read without packets.
    pub packet: Vec<u8>,
}

/// An event to be appended.
#[derive(Clone, Copy, Debug)]
pub struct NewLeaf<'a> {
    /// The log's network.
    pub network_id: &'a NetworkId,
    /// Its place: the log's size until now.
    pub index: u64,
    /// The task it is about, unless a row of the task's history leads here.
    pub about: Option<&'a TaskId>,
    /// The canonical event.
    pub event: &'a [u8],
    /// The packet it was made of.
    pub packet: &'a [u8],
}

/// How much of a log is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointRow {
    /// So many events.
    pub size: u64,
    /// The tree's root over them.
    pub root: [u8; 32],
    /// The signed note.
    pub note: String,
    /// When it was signed.
    pub sealed_at: UnixMillis,
}

/// Some of a tree's hashes, side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileRow {
    /// The level; 0 are the leaves.
    pub level: u8,
    /// Which of the level's tiles.
    pub index: u64,
    /// 32 bytes each.
    pub hashes: Vec<u8>,
}

/// Which events of a log are meant, and how much of them at once.
#[derive(Clone, Copy, Debug)]
pub struct LeafPage {
    /// From this index on.
    pub from: u64,
    /// Up to this one (exclusive).
    pub to: u64,
    /// At most so many.
    pub limit: usize,
    /// No more once they have this many bytes.
    pub bytes: usize,
    /// Whether the packets are read too.
    pub with_packets: bool,
}

/// Signed entries of the tail that the next entry bundle is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TailEntries {
    /// The index of the first.
    pub first: u64,
    /// 256 of them in order; none for one that is too long for an entry bundle, and keeps its row.
    pub entries: Vec<Option<Entry>>,
}

impl TailEntries {
    /// The bytes of their events and packets.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.entries.iter().flatten().map(|entry| entry.event.len() + entry.packet.len()).sum()
    }
}

/// Reads of evidence.
pub trait EvidenceReads {
    /// How many events a network's log has.
    fn log_size(&self, network: &NetworkId) -> Result<u64, Error>;
    /// How many of a log's entries, its first ones, are in entry bundles.
    fn bundled(&self, network: &NetworkId) -> Result<u64, Error>;
    /// What the next entry bundles are made of, in order; empty while fewer than 256 signed entries are in the tail. At
    /// most so many entries, and no more bundles once they have this many bytes; but always one.
    fn entries_to_bundle(
        &self,
        network: &NetworkId,
        count: usize,
        bytes: usize,
    ) -> Result<Vec<TailEntries>, Error>;
    /// Events of a log, in order.
    fn leaves(&self, network: &NetworkId, page: LeafPage) -> Result<Vec<LeafRow>, Error>;
    /// The events about one task, in order.
    fn leaves_of_task(
        &self,
        network: &NetworkId,
        task: &TaskId,
        page: LeafPage,
    ) -> Result<Vec<LeafRow>, Error>;
    /// The hashes of a tile, 32 bytes each; none if it is not there yet.
    fn tile(&self, network: &NetworkId, level: u8, index: u64) -> Result<Vec<u8>, Error>;
    /// The newest checkpoint.
    fn checkpoint(&self, network: &NetworkId) -> Result<Option<CheckpointRow>, Error>;
    /// The networks that have a log, after this one in order of their logs; at most so many, each with its log's number.
    fn logs(&self, after: i64, limit: usize) -> Result<Vec<(i64, NetworkId)>, Error>;
    /// The public key checkpoints are signed for, once there is one.
    fn evidence_key(&self) -> Result<Option<String>, Error>;
    /// Where a packet stands that this reporter has handed in before.
    fn reported_at(
        &self,
        network: &NetworkId,
        reporter: &Principal,
        sha256: &[u8; 32],
    ) -> Result<Option<u64>, Error>;
    /// What digests of a task's texts are salted with.
    fn task_salt(&self, task: &TaskId) -> Result<Option<Vec<u8>>, Error>;
}

/// Writes of evidence.
pub trait EvidenceWrites {
    /// Appends an event to its network's log.
    fn append_leaf(&mut self, leaf: NewLeaf<'_>) -> Result<(), Error>;
    /// Remembers that a reporter handed in this packet.
    fn remember_reported(
        &mut self,
        network: &NetworkId,
        reporter: &Principal,
        sha256: &[u8; 32],
        index: u64,
    ) -> Result<(), Error>;
    /// Writes a tile, new or longer.
    fn put_tile(&mut self, network: &NetworkId, tile: &TileRow) -> Result<(), Error>;
    /// Writes the entry bundle that begins at this index, and deletes the rows of the tail that it replaces. False, and
    /// nothing is written, if the log is gone or its bundles end elsewhere.
    fn put_entry_bundle(
        &mut self,
        network: &NetworkId,
        first: u64,
        bundle: &EntryBundle,
    ) -> Result<bool, Error>;
    /// Writes the newest checkpoint, of a tree that was grown from the one of `base`; none if there was none. False, and
    /// nothing is written, if the newest is of another size or root by now: the sealer then reads again.
    fn put_checkpoint(
        &mut self,
        network: &NetworkId,
        base: Option<&CheckpointRow>,
        checkpoint: &CheckpointRow,
    ) -> Result<bool, Error>;
    /// Remembers the public key; once.
    fn put_evidence_key(&mut self, key: &str) -> Result<(), Error>;
}
