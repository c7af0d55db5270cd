//! Entry bundles in SQL: the older entries of a log, 256 to a row, compressed. Entries come here from the tail in one
//! transaction that writes the bundle and deletes the rows, so that an entry is in one of them and never in both. An entry
//! too long for a bundle keeps its row in the tail for good.

use baton_core::NetworkId;
use baton_core::limits::{ENTRY_BUNDLE_COUNT, ENTRY_BUNDLED_MAX_BYTES};
use rusqlite::params;

use super::columns::{Row, blob, get};
use super::evidence::LogHead;
use super::rows::Rows;
use crate::entry_bundle::{Entries, Entry, EntryBundle};
use crate::error::Error;
use crate::rows::{EvidenceReads, LeafRow, TailEntries};

pub(crate) const COUNT: u64 = ENTRY_BUNDLE_COUNT as u64;

/// What has its place in a log: the tables and their keys.
pub(crate) const BY_PLACE: [(&str, &str); 3] =
    [("evidence", "place"), ("entry_bundles", "first"), ("entry_tasks", "place")];

/// Whether a row of the tail goes into a bundle; `evidence_stays` says the same. A length is read without the blob.
fn fits() -> String {
    let max = ENTRY_BUNDLED_MAX_BYTES;
    format!("length(event) BETWEEN 1 AND {max} AND length(packet) <= {max}")
}

/// An entry bundle that was read.
pub(crate) struct OpenBundle {
    first: u64,
    entries: Entries,
    with_packets: bool,
}

impl OpenBundle {
    pub(crate) fn has(&self, index: u64) -> bool {
        (self.first..self.end()).contains(&index)
    }

    pub(crate) fn end(&self) -> u64 {
        self.first + COUNT
    }
}

impl Rows<'_> {
    /// The bundle that has this entry.
    pub(crate) fn entry_bundle(
        &self,
        head: LogHead,
        index: u64,
        with_packets: bool,
    ) -> Result<OpenBundle, Error> {
        let first = index - index % COUNT;
        let sql = match with_packets {
            true => "SELECT events, packets FROM entry_bundles WHERE first = ?1",
            false => "SELECT events, NULL AS packets FROM entry_bundles WHERE first = ?1",
        };
        let damaged =
            |error: Error| Error::Corrupt(format!("the entry bundle at {first}: {}", error.cause()));
        let found = self.one(sql, [head.place(first)?], |row| {
            let packets = blob(row, "packets")?;
            let events = blob(row, "events")?
                .ok_or_else(|| Error::Corrupt("an entry bundle without events".into()))?;
            Ok(OpenBundle {
                first,
                entries: Entries::unpack(events, packets).map_err(damaged)?,
                with_packets,
            })
        })?;
        found.ok_or_else(|| Error::Corrupt(format!("the entry bundle at {first} is missing")))
    }

    /// An entry of a bundle; the row that it kept, if it is a long one.
    pub(crate) fn bundled_leaf(
        &self,
        head: LogHead,
        bundle: &OpenBundle,
        index: u64,
    ) -> Result<LeafRow, Error> {
        let number = usize::try_from(index - bundle.first).unwrap_or(usize::MAX);
        let event = bundle.entries.event(number);
        if event.is_empty() {
            return self.own_row(head.place(index)?, bundle.with_packets);
        }
        let packet = if bundle.with_packets { bundle.entries.packet(number) } else { &[] };
        Ok(LeafRow { index, event: event.to_vec(), packet: packet.to_vec() })
    }

    /// The entries the next bundles are made of, as far as enough of them are signed.
    pub(crate) fn next_entries(
        &self,
        network: &NetworkId,
        count: usize,
        bytes: usize,
    ) -> Result<Vec<TailEntries>, Error> {
        let Some(head) = self.log_head(network)? else { return Ok(Vec::new()) };
        let mut first = self.bundled(network)?;
        let signed = self.checkpoint(network)?.map_or(0, |row| row.size).min(head.size);
        let (mut found, mut left, mut read) = (Vec::new(), (count as u64).max(COUNT), 0);
        while first + COUNT <= signed && left >= COUNT && (found.is_empty() || read < bytes) {
            let tail = self.tail_entries(head, first)?;
            read += tail.bytes();
            left -= COUNT;
            first += COUNT;
            found.push(tail);
        }
        Ok(found)
    }

    /// 256 entries of the tail.
    fn tail_entries(&self, head: LogHead, first: u64) -> Result<TailEntries, Error> {
        let fits = fits();
        let sql = format!(
            "SELECT CASE WHEN {fits} THEN event END AS event, CASE WHEN {fits} THEN packet END AS packet
             FROM evidence WHERE place BETWEEN ?1 AND ?2 ORDER BY place"
        );
        let entries = self.all(&sql, [head.place(first)?, head.place(first + COUNT - 1)?], tail_entry)?;
        if entries.len() != ENTRY_BUNDLE_COUNT {
            return Err(Error::Corrupt(format!(
                "{} of the entries from {first} on are in the tail",
                entries.len()
            )));
        }
        Ok(TailEntries { first, entries })
    }

    /// Moves entries: what was read of the tail, packed.
    pub(crate) fn bundle_entries(
        &mut self,
        network: &NetworkId,
        first: u64,
        bundle: &EntryBundle,
    ) -> Result<bool, Error> {
        let Some(head) = self.log_head(network)? else { return Ok(false) };
        if self.bundled(network)? != first {
            return Ok(false);
        }
        let (from, to) = (head.place(first)?, head.place(first + COUNT - 1)?);
        let fits = fits();
        self.execute_beside(
            network,
            "INSERT INTO entry_bundles (first, events, packets) VALUES (?1, ?2, ?3)",
            params![from, bundle.bytes(), &[][..]],
        )?;
        let sql = format!(
            "INSERT INTO entry_tasks (place, about) SELECT place, about FROM evidence
             WHERE place BETWEEN ?1 AND ?2 AND about IS NOT NULL AND {fits}"
        );
        self.execute_beside(network, &sql, [from, to])?;
        self.execute_beside(
            network,
            "UPDATE logs SET bundled = ?2 WHERE log = ?1",
            params![head.log, (first + COUNT) as i64],
        )?;
        let sql = format!("DELETE FROM evidence WHERE place BETWEEN ?1 AND ?2 AND {fits}");
        let dropped = self.execute_beside(network, &sql, [from, to])?;
        // Nothing is dropped that the bundle does not have, and nothing stays that it has.
        if dropped != bundle.count() {
            let what =
                format!("an entry bundle of {} entries for {dropped} rows of the tail", bundle.count());
            return Err(Error::Corrupt(what));
        }
        Ok(true)
    }
}

/// What of a row of the tail goes into a bundle.
fn tail_entry(row: &Row<'_>) -> Result<Option<Entry>, Error> {
    let (event, packet): (Option<Vec<u8>>, Option<Vec<u8>>) = (get(row, "event")?, get(row, "packet")?);
    Ok(event.zip(packet).map(|(event, packet)| Entry { event, packet }))
}
