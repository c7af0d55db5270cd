//! The evidence in SQL. An event's place is one integer, its log's number and its index in that log, so that the log
//! needs no index beside its own rows and appending touches the same page again and again.

use baton_core::{NetworkId, Principal, TaskId, UnixMillis};
use rusqlite::{Row, params};

use super::columns::{get, parsed};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{CheckpointRow, EvidenceReads, EvidenceWrites, LeafPage, LeafRow, NewLeaf, TileRow};

/// How many bits of a place are the index.
pub(super) const INDEX_BITS: u32 = 36;

/// A log as the batch knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogHead {
    pub(super) log: i64,
    pub(super) size: u64,
    /// Before the batch.
    pub(super) size_before: u64,
}

impl LogHead {
    fn first(self) -> i64 {
        self.log << INDEX_BITS
    }

    fn place(self, index: u64) -> Result<i64, Error> {
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

pub(super) fn index_of(place: i64) -> u64 {
    (place & ((1 << INDEX_BITS) - 1)).unsigned_abs()
}

fn leaf_row(row: &Row<'_>) -> Result<LeafRow, Error> {
    Ok(LeafRow {
        index: index_of(get(row, "place")?),
        event: get(row, "event")?,
        packet: get(row, "packet")?,
    })
}

fn unsigned(row: &Row<'_>, column: &str) -> Result<u64, Error> {
    let number: i64 = get(row, column)?;
    u64::try_from(number).map_err(|_| Error::Corrupt(format!("{column} {number}")))
}

fn hash(row: &Row<'_>, column: &str) -> Result<[u8; 32], Error> {
    let bytes: Vec<u8> = get(row, column)?;
    bytes.try_into().map_err(|_| Error::Corrupt(format!("{column} is no hash")))
}

impl Rows<'_> {
    /// A network's log as it stands, this batch's events with it; none if it has no log yet.
    pub(super) fn log_head(&self, network: &NetworkId) -> Result<Option<LogHead>, Error> {
        let known = self.staged.counts.log_head(network).or_else(|| self.counted.log_head(network));
        if known.is_some() {
            return Ok(known);
        }
        let sql = "SELECT log FROM logs WHERE network_id = ?1";
        let Some(log) = self.one(sql, [network.as_str()], |row| get::<i64>(row, "log"))? else {
            return Ok(None);
        };
        let head = LogHead { log, size: 0, size_before: 0 };
        let newest = self.one(
            "SELECT place FROM evidence WHERE place >= ?1 AND place < ?2 ORDER BY place DESC LIMIT 1",
            params![head.first(), (log + 1) << INDEX_BITS],
            |row| get::<i64>(row, "place"),
        )?;
        let size = newest.map_or(0, |place| index_of(place) + 1);
        Ok(Some(LogHead { log, size, size_before: size }))
    }

    /// The same, made if it is not there.
    fn log_to_write(&mut self, network: &NetworkId) -> Result<LogHead, Error> {
        if let Some(head) = self.log_head(network)? {
            return Ok(head);
        }
        self.execute("INSERT INTO logs (network_id) VALUES (?1)", [network.as_str()])?;
        Ok(LogHead { log: self.connection.last_insert_rowid(), size: 0, size_before: 0 })
    }

    /// Rows of a query over (place, event, packet), until there are enough of them or enough bytes.
    fn leaf_page(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        page: LeafPage,
    ) -> Result<Vec<LeafRow>, Error> {
        let mut bytes = 0;
        let mut leaves = Vec::new();
        super::plans::check(self.connection, sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(parameters)?;
        while leaves.len() < page.limit
            && bytes < page.bytes
            && let Some(row) = rows.next()?
        {
            let leaf = leaf_row(row)?;
            bytes += leaf.event.len() + leaf.packet.len();
            leaves.push(leaf);
        }
        Ok(leaves)
    }
}

impl EvidenceReads for Rows<'_> {
    fn log_size(&self, network: &NetworkId) -> Result<u64, Error> {
        Ok(self.log_head(network)?.map_or(0, |head| head.size))
    }

    fn leaves(&self, network: &NetworkId, page: LeafPage) -> Result<Vec<LeafRow>, Error> {
        let Some(head) = self.log_head(network)? else { return Ok(Vec::new()) };
        let Some((first, last)) = head.places(page)? else { return Ok(Vec::new()) };
        let sql = "SELECT place, event, packet FROM evidence WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
        self.leaf_page(sql, params![first, last], page)
    }

    fn leaves_of_task(
        &self,
        network: &NetworkId,
        task: &TaskId,
        page: LeafPage,
    ) -> Result<Vec<LeafRow>, Error> {
        let Some(head) = self.log_head(network)? else { return Ok(Vec::new()) };
        let Some((first, last)) = head.places(page)? else { return Ok(Vec::new()) };
        // A task's own history is short, and leads to its events without an index of the log.
        let history = self.all(
            "SELECT e.log_index FROM tasks t JOIN task_events e ON e.task = t.seq
             WHERE t.task_id = ?1 AND e.network = ?2 AND e.log_index IS NOT NULL",
            params![task.as_str(), self.key(network)?],
            |row| get::<i64>(row, "log_index"),
        )?;
        let beside = self.all(
            "SELECT place FROM evidence WHERE about = ?1 AND place BETWEEN ?2 AND ?3 ORDER BY place LIMIT ?4",
            params![task.as_str(), first, last, page.limit as i64],
            |row| get::<i64>(row, "place"),
        )?;
        let history = history.into_iter().map(|index| head.first() | index);
        let mut places: Vec<i64> =
            history.filter(|place| (first..=last).contains(place)).chain(beside).collect();
        places.sort_unstable();
        places.truncate(page.limit);
        let mut leaves: Vec<LeafRow> = Vec::new();
        let mut bytes = 0;
        for place in places {
            let sql = "SELECT place, event, packet FROM evidence WHERE place = ?1";
            let leaf = self.one(sql, [place], leaf_row)?;
            let leaf = leaf.ok_or_else(|| Error::Corrupt(format!("no evidence at {}", index_of(place))))?;
            bytes += leaf.event.len() + leaf.packet.len();
            leaves.push(leaf);
            if bytes >= page.bytes {
                break;
            }
        }
        Ok(leaves)
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
        self.one("SELECT key FROM evidence_key WHERE one = 1", [], |row| get(row, "key"))
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
        self.one("SELECT salt FROM tasks WHERE task_id = ?1", [task.as_str()], |row| get(row, "salt"))
    }
}

impl EvidenceWrites for Rows<'_> {
    fn append_leaf(&mut self, leaf: NewLeaf<'_>) -> Result<(), Error> {
        let head = self.log_to_write(leaf.network_id)?;
        if head.size != leaf.index {
            return Err(Error::Corrupt(format!("an event for {} of a log of {}", leaf.index, head.size)));
        }
        self.execute(
            "INSERT INTO evidence (place, about, event, packet) VALUES (?1, ?2, ?3, ?4)",
            params![head.place(leaf.index)?, leaf.about.map(TaskId::as_str), leaf.event, leaf.packet],
        )?;
        self.staged.counts.set_log_head(leaf.network_id, LogHead { size: head.size + 1, ..head });
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
        self.execute(
            "INSERT INTO reported_packets (log, reporter_kind, reporter, sha256, log_index)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![head.log, reporter.kind().as_str(), reporter.name(), sha256, index as i64],
        )?;
        Ok(())
    }

    fn put_tile(&mut self, network: &NetworkId, tile: &TileRow) -> Result<(), Error> {
        let head = self.log_to_write(network)?;
        self.execute(
            "INSERT INTO tiles (log, level, n, hashes) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (log, level, n) DO UPDATE SET hashes = excluded.hashes",
            params![head.log, tile.level, tile.index as i64, tile.hashes],
        )?;
        Ok(())
    }

    fn put_checkpoint(&mut self, network: &NetworkId, checkpoint: &CheckpointRow) -> Result<(), Error> {
        let head = self.log_to_write(network)?;
        self.execute(
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
        Ok(())
    }

    fn put_evidence_key(&mut self, key: &str) -> Result<(), Error> {
        self.execute("INSERT INTO evidence_key (one, key) VALUES (1, ?1)", [key])?;
        Ok(())
    }
}
