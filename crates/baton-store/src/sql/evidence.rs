//! The evidence in SQL. An event's place is one integer, its log's number and its index in that log, so that the log
//! needs no index beside its own rows and appending touches the same page again and again. The older part of a log is in
//! entry bundles (`entry_bundles.rs`); pages of both are put together here.

use baton_core::{NetworkId, Principal, TaskId, UnixMillis};
use rusqlite::params;
use std::ops::ControlFlow;

use super::columns::{Row, get, parsed};
use super::entry_bundles::OpenBundle;
use super::history::Chain;
use super::rows::{Database, Rows};
use super::write_set::{Head, NewLeafRow};
use crate::entry_bundle::EntryBundle;
use crate::error::Error;
use crate::rows::{
    CheckpointRow, EvidenceReads, EvidenceWrites, LeafPage, LeafRow, NewLeaf, TailEntries, TileRow,
};

/// How many bits of a place are the index.
pub(crate) const INDEX_BITS: u32 = 36; // not a limit: a stored form

/// A log as the batch knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogHead {
    pub(crate) log: i64,
    pub(crate) size: u64,
}

impl LogHead {
    pub(crate) fn first(self) -> i64 {
        self.log << INDEX_BITS
    }

    pub(crate) fn place(self, index: u64) -> Result<i64, Error> {
        match i64::try_from(index) {
            Ok(index) if index >> INDEX_BITS == 0 => Ok(self.first() | index),
            _ => Err(Error::Corrupt(format!("log index {index}"))),
        }
    }

    /// The places of a page: from the first to the last.
    fn places(self, page: LeafPage) -> Result<Option<(i64, i64)>, Error> {
        let to = page.to.min(1 << INDEX_BITS);
        if page.from >= to {
            return Ok(None);
        }
        Ok(Some((self.place(page.from)?, self.place(to - 1)?)))
    }
}

pub(crate) fn index_of(place: i64) -> u64 {
    (place & ((1 << INDEX_BITS) - 1)).unsigned_abs()
}

/// A page that is being read.
struct Leaves {
    page: LeafPage,
    found: Vec<LeafRow>,
    bytes: usize,
}

impl Leaves {
    fn new(page: LeafPage) -> Self {
        Self { page, found: Vec::new(), bytes: 0 }
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.page.limit || self.bytes >= self.page.bytes
    }

    fn push(&mut self, leaf: LeafRow) {
        self.bytes += leaf.event.len() + leaf.packet.len();
        self.found.push(leaf);
    }
}

pub(crate) fn unsigned(row: &Row<'_>, column: &str) -> Result<u64, Error> {
    let number: i64 = get(row, column)?;
    u64::try_from(number).map_err(|_| Error::Corrupt(format!("{column} {number}")))
}

fn hash(row: &Row<'_>, column: &str) -> Result<[u8; 32], Error> {
    let bytes: Vec<u8> = get(row, column)?;
    bytes.try_into().map_err(|_| Error::Corrupt(format!("{column} is not a hash")))
}

impl Rows<'_> {
    /// A network's log as it stands, this batch's events with it; none if it has no log yet.
    pub(crate) fn log_head(&self, network: &NetworkId) -> Result<Option<LogHead>, Error> {
        // What is known of the head may be out of date: another connection may have written since.
        self.reach(network)?;
        let known = self.head(network).log;
        if known.is_some() {
            return Ok(known);
        }
        let sql = "SELECT log, bundled FROM logs WHERE network_id = ?1";
        let found = self.look_up(sql, [network.as_str()], |row| {
            Ok((get::<i64>(row, "log")?, unsigned(row, "bundled")?))
        })?;
        let Some((log, bundled)) = found else { return Ok(None) };
        let head = LogHead { log, size: 0 };
        let newest = self.look_up(
            "SELECT place FROM evidence WHERE place >= ?1 AND place < ?2 ORDER BY place DESC LIMIT 1",
            params![head.first(), (log + 1) << INDEX_BITS],
            |row| get::<i64>(row, "place"),
        )?;
        // The newest row of its own may be a long entry that its bundle left there.
        let size = newest.map_or(0, |place| index_of(place) + 1).max(bundled);
        let head = LogHead { log, size };
        if let Some(work) = self.knows() {
            work.borrow_mut().known.network(network).head.log = Some(head);
        }
        Ok(Some(head))
    }

    /// The same, made if it is not there.
    fn log_to_write(&mut self, network: &NetworkId) -> Result<LogHead, Error> {
        if let Some(head) = self.log_head(network)? {
            return Ok(head);
        }
        match self.database {
            Database::Sqlite(connection) => {
                self.execute("INSERT INTO logs (network_id) VALUES (?1)", [network.as_str()])?;
                Ok(LogHead { log: connection.last_insert_rowid(), size: 0 })
            }
            // Its row is written with its first entry, and has the number of its network.
            Database::Postgres(_) => Ok(LogHead { log: self.key_to_write(network)?, size: 0 }),
        }
    }

    /// Adds entries of the bundles to a page, until it is full; answers the index it came to.
    fn read_bundles(&self, head: LogHead, bundled: u64, leaves: &mut Leaves) -> Result<u64, Error> {
        let mut next = leaves.page.from;
        let end = bundled.min(leaves.page.to);
        while next < end && !leaves.is_full() {
            let bundle = self.entry_bundle(head, next, leaves.page.with_packets)?;
            while next < bundle.end().min(end) && !leaves.is_full() {
                leaves.push(self.bundled_leaf(head, &bundle, next)?);
                next += 1;
            }
        }
        Ok(next)
    }

    /// Adds entries of the tail.
    fn read_tail(&self, head: LogHead, leaves: &mut Leaves) -> Result<(), Error> {
        let Some((first, last)) = head.places(leaves.page)? else { return Ok(()) };
        let sql = match leaves.page.with_packets {
            true => "SELECT place, event, packet FROM evidence WHERE place BETWEEN ?1 AND ?2 ORDER BY place",
            false => {
                "SELECT place, event, x'' AS packet FROM evidence WHERE place BETWEEN ?1 AND ?2 ORDER BY place"
            }
        };
        if leaves.is_full() {
            return Ok(());
        }
        self.each_row(sql, [first, last], |row| {
            leaves.push(leaf_row(row)?);
            Ok(if leaves.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    }

    /// An entry that has a row of its own.
    pub(crate) fn own_row(&self, place: i64, with_packet: bool) -> Result<LeafRow, Error> {
        let sql = match with_packet {
            true => "SELECT place, event, packet FROM evidence WHERE place = ?1",
            false => "SELECT place, event, x'' AS packet FROM evidence WHERE place = ?1",
        };
        let leaf = self.one(sql, [place], leaf_row)?;
        leaf.ok_or_else(|| Error::Corrupt(format!("no evidence at {}", index_of(place))))
    }

    /// The places of what a log says about a task, in order and between two places; at most so many.
    fn places_about(
        &self,
        network: &NetworkId,
        task: &TaskId,
        head: LogHead,
        (first, last): (i64, i64),
        limit: usize,
    ) -> Result<Vec<i64>, Error> {
        // A task's own history is short, and leads to its events without an index of the log.
        let mut history = Vec::new();
        let sql = "SELECT previous, log_index FROM task_events WHERE place = ?1";
        let key = self.key(network)?;
        if let Some(mut chain) = Chain::of_task(self, task)?.filter(|chain| chain.network == key) {
            while let Some(index) = chain.next(self, sql, |row| get::<Option<i64>>(row, "log_index"))? {
                history.extend(index.map(|index| head.first() | index));
            }
        }
        let history = history.into_iter();
        let mut places: Vec<i64> = history.filter(|place| (first..=last).contains(place)).collect();
        for sql in [
            "SELECT place FROM entry_tasks WHERE about = ?1 AND place BETWEEN ?2 AND ?3 ORDER BY place LIMIT ?4",
            "SELECT place FROM evidence WHERE about = ?1 AND place BETWEEN ?2 AND ?3 ORDER BY place LIMIT ?4",
        ] {
            let parameters = params![task.as_str(), first, last, limit as i64];
            places.extend(self.all(sql, parameters, |row| get::<i64>(row, "place"))?);
        }
        places.sort_unstable();
        places.truncate(limit);
        Ok(places)
    }
}

fn leaf_row(row: &Row<'_>) -> Result<LeafRow, Error> {
    Ok(LeafRow {
        index: index_of(get(row, "place")?),
        event: get(row, "event")?,
        packet: get(row, "packet")?,
    })
}

impl EvidenceReads for Rows<'_> {
    fn log_size(&self, network: &NetworkId) -> Result<u64, Error> {
        Ok(self.log_head(network)?.map_or(0, |head| head.size))
    }

    fn bundled(&self, network: &NetworkId) -> Result<u64, Error> {
        let sql = "SELECT bundled FROM logs WHERE network_id = ?1";
        Ok(self.one(sql, [network.as_str()], |row| unsigned(row, "bundled"))?.unwrap_or_default())
    }

    fn entries_to_bundle(
        &self,
        network: &NetworkId,
        count: usize,
        bytes: usize,
    ) -> Result<Vec<TailEntries>, Error> {
        self.next_entries(network, count, bytes)
    }

    fn leaves(&self, network: &NetworkId, page: LeafPage) -> Result<Vec<LeafRow>, Error> {
        let Some(head) = self.log_head(network)? else { return Ok(Vec::new()) };
        let mut leaves = Leaves::new(page);
        let bundled = self.bundled(network)?;
        if page.from < bundled {
            leaves.page.from = self.read_bundles(head, bundled, &mut leaves)?;
        }
        self.read_tail(head, &mut leaves)?;
        Ok(leaves.found)
    }

    fn leaves_of_task(
        &self,
        network: &NetworkId,
        task: &TaskId,
        page: LeafPage,
    ) -> Result<Vec<LeafRow>, Error> {
        let Some(head) = self.log_head(network)? else { return Ok(Vec::new()) };
        let Some(between) = head.places(page)? else { return Ok(Vec::new()) };
        let bundled = self.bundled(network)?;
        let mut leaves = Leaves::new(page);
        // In order, so that no bundle is inflated twice.
        let mut open = None;
        for place in self.places_about(network, task, head, between, page.limit)? {
            if leaves.is_full() {
                break;
            }
            let index = index_of(place);
            if index >= bundled {
                leaves.push(self.own_row(place, page.with_packets)?);
                continue;
            }
            let bundle = match open.take() {
                Some(bundle) if OpenBundle::has(&bundle, index) => bundle,
                _ => self.entry_bundle(head, index, page.with_packets)?,
            };
            leaves.push(self.bundled_leaf(head, &bundle, index)?);
            open = Some(bundle);
        }
        Ok(leaves.found)
    }

    fn tile(&self, network: &NetworkId, level: u8, index: u64) -> Result<Vec<u8>, Error> {
        let Some(head) = self.log_head(network)? else { return Ok(Vec::new()) };
        let index = i64::try_from(index).map_err(|_| Error::Corrupt(format!("tile {index}")))?;
        let sql = "SELECT hashes FROM tiles WHERE log = ?1 AND level = ?2 AND n = ?3";
        let hashes = self.one(sql, params![head.log, level, index], |row| get(row, "hashes"))?;
        Ok(hashes.unwrap_or_default())
    }

    fn checkpoint(&self, network: &NetworkId) -> Result<Option<CheckpointRow>, Error> {
        let sql = "SELECT c.* FROM logs l JOIN checkpoints c ON c.log = l.log WHERE l.network_id = ?1";
        self.one(sql, [network.as_str()], |row| {
            Ok(CheckpointRow {
                size: unsigned(row, "size")?,
                root: hash(row, "root")?,
                note: get(row, "note")?,
                sealed_at: UnixMillis::new(get(row, "sealed_at")?),
            })
        })
    }

    fn logs(&self, after: i64, limit: usize) -> Result<Vec<(i64, NetworkId)>, Error> {
        let sql = "/* scans */ SELECT log, network_id FROM logs WHERE log > ?1 ORDER BY log LIMIT ?2";
        self.all(sql, params![after, limit as i64], |row| {
            Ok((get(row, "log")?, parsed(row, "network_id", NetworkId::parse)?))
        })
    }

    fn evidence_key(&self) -> Result<Option<String>, Error> {
        self.one("SELECT key FROM evidence_key WHERE one = 1", params![], |row| get(row, "key"))
    }

    fn reported_at(
        &self,
        network: &NetworkId,
        reporter: &Principal,
        sha256: &[u8; 32],
    ) -> Result<Option<u64>, Error> {
        let Some(head) = self.log_head(network)? else { return Ok(None) };
        let sql = "SELECT log_index FROM reported_packets
                   WHERE log = ?1 AND reporter_kind = ?2 AND reporter = ?3 AND sha256 = ?4";
        let parameters = params![head.log, reporter.kind().as_str(), reporter.name(), sha256];
        self.one(sql, parameters, |row| unsigned(row, "log_index"))
    }

    fn task_salt(&self, task: &TaskId) -> Result<Option<Vec<u8>>, Error> {
        if self.work().is_some() {
            return Ok(self.find_task(task)?.map(|task| task.row.salt.clone()));
        }
        self.one("SELECT salt FROM tasks WHERE task_id = ?1", [task.as_str()], |row| get(row, "salt"))
    }
}

impl EvidenceWrites for Rows<'_> {
    fn append_leaf(&mut self, leaf: NewLeaf<'_>) -> Result<(), Error> {
        self.begin_change(leaf.network_id)?;
        let head = self.log_to_write(leaf.network_id)?;
        if head.size != leaf.index {
            return Err(Error::Corrupt(format!("an event for {} of a log of {}", leaf.index, head.size)));
        }
        let row = NewLeafRow {
            place: head.place(leaf.index)?,
            about: leaf.about.map(|task| task.as_str().to_owned()),
            event: leaf.event.to_vec(),
            packet: leaf.packet.to_vec(),
        };
        let log = LogHead { size: head.size + 1, ..head };
        self.change(|work| {
            work.layer.leaves.push(row);
            let head = Head { log: Some(log), ..Head::default() };
            work.layer.heads.entry(leaf.network_id.clone()).or_default().take_in(head);
            work.layer.note_growth(leaf.network_id, log.size);
        });
        Ok(())
    }

    fn remember_reported(
        &mut self,
        network: &NetworkId,
        reporter: &Principal,
        sha256: &[u8; 32],
        index: u64,
    ) -> Result<(), Error> {
        let head = self.log_to_write(network)?;
        self.execute_in(
            network,
            "INSERT INTO reported_packets (log, reporter_kind, reporter, sha256, log_index)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![head.log, reporter.kind().as_str(), reporter.name(), sha256, index as i64],
        )?;
        Ok(())
    }

    fn put_tile(&mut self, network: &NetworkId, tile: &TileRow) -> Result<(), Error> {
        let head = self.log_to_write(network)?;
        self.execute_beside(
            network,
            "INSERT INTO tiles (log, level, n, hashes) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (log, level, n) DO UPDATE SET hashes = excluded.hashes",
            params![head.log, tile.level, tile.index as i64, tile.hashes],
        )?;
        Ok(())
    }

    fn put_entry_bundle(
        &mut self,
        network: &NetworkId,
        first: u64,
        bundle: &EntryBundle,
    ) -> Result<bool, Error> {
        self.bundle_entries(network, first, bundle)
    }

    fn put_checkpoint(
        &mut self,
        network: &NetworkId,
        base: Option<&CheckpointRow>,
        checkpoint: &CheckpointRow,
    ) -> Result<bool, Error> {
        let tree = |row: &CheckpointRow| (row.size, row.root);
        if self.checkpoint(network)?.as_ref().map(tree) != base.map(tree) {
            return Ok(false);
        }
        let head = self.log_to_write(network)?;
        self.execute_beside(
            network,
            "INSERT INTO checkpoints (log, size, root, note, sealed_at) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (log) DO UPDATE SET size = excluded.size, root = excluded.root, note = excluded.note,
                sealed_at = excluded.sealed_at",
            params![
                head.log,
                checkpoint.size as i64,
                checkpoint.root,
                checkpoint.note,
                checkpoint.sealed_at.get()
            ],
        )?;
        Ok(true)
    }

    fn put_evidence_key(&mut self, key: &str) -> Result<(), Error> {
        self.execute("INSERT INTO evidence_key (one, key) VALUES (1, ?1)", [key])?;
        Ok(())
    }
}
