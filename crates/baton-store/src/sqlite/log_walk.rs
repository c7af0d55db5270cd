//! A check's walk along a log: its entry bundles, then its tail, as one sequence. What is wrong with a bundle is reported
//! where it stands, and the walk continues behind it. And the rows of logs that are not there.

use rusqlite::params;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::entry_bundle::Entries;
use crate::error::Error;
use crate::rows::{BundleDamage, LeafState, LogPart, See, Stray};
use crate::sql::columns::{Row, get};
use crate::sql::entry_bundles::{BY_PLACE, COUNT};
use crate::sql::evidence::{INDEX_BITS, index_of, unsigned};
use crate::sql::rows::Rows;

type SeePart<'a> = &'a mut dyn FnMut(LogPart<'_>) -> Result<(), Error>;

/// The row of an entry bundle.
struct BundleRow {
    first: u64,
    events: Vec<u8>,
    packets: Vec<u8>,
}

/// A row of the tail.
struct TailRow {
    about: Option<String>,
    event: Vec<u8>,
    packet: Vec<u8>,
}

fn damage(index: u64, skipped: u64, what: impl Into<String>) -> LogPart<'static> {
    LogPart::Damage(BundleDamage { index, skipped, what: what.into() })
}

impl Rows<'_> {
    pub(super) fn walk_log(&self, log: i64, see: SeePart<'_>) -> Result<(), Error> {
        let sql = "SELECT bundled FROM logs WHERE log = ?1";
        let bundled = self.one(sql, [log], |row| unsigned(row, "bundled"))?.unwrap_or_default();
        if bundled % COUNT != 0 {
            let what = format!("the log counts {bundled} entries in bundles of {COUNT}");
            see(damage(bundled, 0, what))?;
        }
        self.walk_bundles(log, bundled, see)?;
        self.walk_tail(log, bundled, see)
    }

    fn walk_bundles(&self, log: i64, bundled: u64, see: SeePart<'_>) -> Result<(), Error> {
        let sql = "SELECT first, events, packets FROM entry_bundles WHERE first >= ?1 AND first < ?2 ORDER BY first";
        let mut next = 0;
        self.walk(sql, [log << INDEX_BITS, (log + 1) << INDEX_BITS], |row| {
            let bundle = bundle_row(row)?;
            if bundle.first % COUNT != 0 || bundle.first + COUNT > bundled {
                let what = format!("an entry bundle begins here, and {bundled} entries are in bundles");
                see(damage(bundle.first, 0, what))?;
                return Ok(ControlFlow::Continue(()));
            }
            missing(next, bundle.first, see)?;
            next = bundle.first + COUNT;
            self.walk_bundle(log, &bundle, see)?;
            Ok(ControlFlow::Continue(()))
        })?;
        missing(next, bundled - bundled % COUNT, see)
    }

    /// The entries of one bundle, with what is stored beside them.
    fn walk_bundle(&self, log: i64, bundle: &BundleRow, see: SeePart<'_>) -> Result<(), Error> {
        let entries = match Entries::unpack(&bundle.events, Some(&bundle.packets)) {
            Ok(entries) => entries,
            Err(error) => {
                return see(damage(bundle.first, COUNT, format!("the entry bundle: {}", error.cause())));
            }
        };
        let first = log << INDEX_BITS | bundle.first as i64;
        let places = [first, first + COUNT as i64 - 1];
        let tasks = self.tasks_beside(places)?;
        let sql = "SELECT place FROM evidence WHERE place BETWEEN ?1 AND ?2";
        let in_tail: BTreeSet<u64> =
            self.all(sql, places, |row| Ok(index_of(get(row, "place")?)))?.into_iter().collect();
        for (number, index) in (bundle.first..bundle.first + COUNT).enumerate() {
            let (event, packet) = (entries.event(number), entries.packet(number));
            match (event.is_empty(), in_tail.contains(&index)) {
                (true, false) => see(damage(index, 1, "it is neither in its entry bundle nor in the tail"))?,
                (true, true) => self.walk_own_row(first | number as i64, see)?,
                (false, is_in_tail) => {
                    if is_in_tail {
                        see(damage(index, 0, "it is in an entry bundle and in the tail"))?;
                    }
                    let about = tasks.get(&index).map(String::as_str);
                    see(LogPart::Leaf(LeafState { index, about, event, packet }))?;
                }
            }
        }
        Ok(())
    }

    /// A long entry: one at a time, because many would take much memory.
    fn walk_own_row(&self, place: i64, see: SeePart<'_>) -> Result<(), Error> {
        let sql = "SELECT place, about, event, packet FROM evidence WHERE place = ?1";
        let row = self.one(sql, [place], tail_row)?;
        row.map_or(Ok(()), |(index, row)| see(LogPart::Leaf(row.leaf(index))))
    }

    fn tasks_beside(&self, places: [i64; 2]) -> Result<BTreeMap<u64, String>, Error> {
        let sql = "SELECT place, about FROM entry_tasks WHERE place BETWEEN ?1 AND ?2";
        let found = self.all(sql, places, |row| Ok((index_of(get(row, "place")?), get(row, "about")?)))?;
        Ok(found.into_iter().collect())
    }

    fn walk_tail(&self, log: i64, bundled: u64, see: SeePart<'_>) -> Result<(), Error> {
        let first = log << INDEX_BITS | bundled as i64;
        let end = (log + 1) << INDEX_BITS;
        let sql = "SELECT place FROM entry_tasks WHERE place >= ?1 AND place < ?2 ORDER BY place LIMIT 1";
        if let Some(place) = self.one(sql, [first, end], |row| get::<i64>(row, "place"))? {
            see(damage(index_of(place), 0, "a task is named for it as for an entry of a bundle"))?;
        }
        let sql = "SELECT place, about, event, packet FROM evidence WHERE place >= ?1 AND place < ?2 ORDER BY place";
        self.walk(sql, [first, end], |row| {
            let (index, row) = tail_row(row)?;
            see(LogPart::Leaf(row.leaf(index)))?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Rows at places of no log: found in the gaps between the logs there are, without a walk along all of them.
    pub(super) fn strays_by_place(&self, see: See<'_, Stray>) -> Result<(), Error> {
        let mut free = 0;
        loop {
            let sql = "/* scans */ SELECT MIN(log) AS log FROM
                (SELECT log FROM logs UNION ALL SELECT log FROM removals WHERE log IS NOT NULL) both_subquery WHERE log >= ?1";
            let next = self.one(sql, [free], |row| get::<Option<i64>>(row, "log"))?.flatten();
            let end = next.map_or(i64::MAX, |log| log << INDEX_BITS);
            let from = if free == 0 { i64::MIN } else { free << INDEX_BITS };
            for (table, key) in BY_PLACE {
                let sql = format!(
                    "SELECT {key} AS place FROM {table} WHERE {key} >= ?1 AND {key} < ?2 ORDER BY {key} LIMIT 1"
                );
                if let Some(place) = self.one(&sql, params![from, end], |row| get::<i64>(row, "place"))? {
                    see(Stray { table, of: (place >> INDEX_BITS).to_string() })?;
                }
            }
            match next {
                Some(log) => free = log + 1,
                None => return Ok(()),
            }
        }
    }
}

impl TailRow {
    fn leaf(&self, index: u64) -> LeafState<'_> {
        LeafState { index, about: self.about.as_deref(), event: &self.event, packet: &self.packet }
    }
}

/// Reports the bundles between two entries that are not there.
fn missing(from: u64, to: u64, see: SeePart<'_>) -> Result<(), Error> {
    match to.saturating_sub(from) / COUNT {
        0 => Ok(()),
        1 => see(damage(from, COUNT, "its entry bundle is missing")),
        count => {
            see(damage(from, to - from, format!("its entry bundle and {} after it are missing", count - 1)))
        }
    }
}

fn bundle_row(row: &Row<'_>) -> Result<BundleRow, Error> {
    Ok(BundleRow {
        first: index_of(get(row, "first")?),
        events: get(row, "events")?,
        packets: get(row, "packets")?,
    })
}

fn tail_row(row: &Row<'_>) -> Result<(u64, TailRow), Error> {
    let tail = TailRow { about: get(row, "about")?, event: get(row, "event")?, packet: get(row, "packet")? };
    Ok((index_of(get(row, "place")?), tail))
}
