//! Counts by the minute and tasks at a glance, in SQL.

use baton_core::{Alias, Latencies, NetworkId, Status, TaskId, UnixMillis, limits};
use rusqlite::{Connection, ToSql, params};
use std::ops::Range;
use std::sync::LazyLock;

use super::columns::{Row, get, parsed, principal, time};
use super::ends::{self, each, ends};
use super::rows::Rows;
use super::search;
use crate::error::Error;
use crate::rows::{End, FigureReads, FigureWrites, MinuteCounts, Page, TaskRow, TaskSearch, TaskSummaryRow};
use crate::sqlite::plans;

const MINUTE: &str = "SELECT * FROM minutes WHERE network_id = ?1 AND minute = ?2";
// `?` is the number after the highest so far, so the ends follow `?5`.
static INSERT_MINUTE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO minutes (network_id, minute, sent, handoffs, latencies, durations{})
         VALUES (?1, ?2, ?3, ?4, x'', ?5{})",
        each(|end| format!(", {end}")),
        each(|_| ", ?".into())
    )
});
static UPDATE_MINUTE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "UPDATE minutes SET sent = ?3, handoffs = ?4, latencies = x'', durations = ?5{}
         WHERE network_id = ?1 AND minute = ?2",
        each(|end| format!(", {end} = ?"))
    )
});

pub(crate) fn counts(row: &Row<'_>) -> Result<MinuteCounts, Error> {
    Ok(MinuteCounts {
        sent: get(row, "sent")?,
        ends: ends(row)?,
        handoffs: get(row, "handoffs")?,
        latencies: latencies(row)?,
    })
}

/// A minute that an earlier release counted has powers of two; what was counted since is beside them.
fn latencies(row: &Row<'_>) -> Result<Latencies, Error> {
    let corrupt = |bytes: &[u8]| Error::Corrupt(format!("{} bytes of latencies", bytes.len()));
    let (earlier, durations): (Vec<u8>, Vec<u8>) = (get(row, "latencies")?, get(row, "durations")?);
    let mut latencies = Latencies::from_bytes(&durations).ok_or_else(|| corrupt(&durations))?;
    if !earlier.is_empty() {
        latencies.add(&Latencies::from_powers_of_two(&earlier).ok_or_else(|| corrupt(&earlier))?);
    }
    Ok(latencies)
}

/// Adds a batch's counts to a minute: one look and one write, however much the batch did.
pub(crate) fn write_minute(
    connection: &Connection,
    network: &NetworkId,
    minute: i64,
    more: &MinuteCounts,
) -> Result<(), Error> {
    plans::check(connection, MINUTE);
    let mut statement = connection.prepare_cached(MINUTE)?;
    let mut found = statement.query(params![network.as_str(), minute])?;
    let before = found.next()?.map(|row| counts(&Row::Sqlite(row))).transpose()?;
    let is_new = before.is_none();
    let mut all = before.unwrap_or_default();
    all.add(more);
    // An update where there is a row: a replacement would write the index of ages again.
    let sql = if is_new { &*INSERT_MINUTE } else { &*UPDATE_MINUTE };
    let (network, latencies, ends) = (network.as_str(), all.latencies.to_bytes(), ends::values(&all.ends));
    let mut values: Vec<&dyn ToSql> = vec![&network, &minute, &all.sent, &all.handoffs, &latencies];
    values.extend(ends.iter().map(|count| count as &dyn ToSql));
    connection.prepare_cached(sql)?.execute(&*values)?;
    Ok(())
}

fn glance_row(row: &Row<'_>) -> Result<TaskSummaryRow, Error> {
    Ok(TaskSummaryRow {
        task_id: parsed(row, "task_id", TaskId::parse)?,
        from: principal(row, "from_kind", "from_name")?,
        to: parsed(row, "to_name", |text| Alias::parse(text).ok())?,
        status: parsed(row, "status", Status::parse)?,
        created_at: time(row, "created_at")?,
        delivered_at: time(row, "delivered_at")?,
        changed_at: time(row, "changed_at")?,
        expires_at: time(row, "expires_at")?,
        attempt: get(row, "attempt")?,
        max_attempts: get(row, "max_attempts")?,
        is_leased: get(row, "is_leased")?,
    })
}

impl Rows<'_> {
    /// The place of the first row made at a time or later, in a table of rows that are numbered as they are made: halving
    /// finds it, and no index has their times in order.
    pub(crate) fn place_of_time_in(&self, table: &str, at: UnixMillis) -> Result<i64, Error> {
        let newest = format!("/* scans */ SELECT MAX(seq) AS seq FROM {table}");
        let newest = self.one(&newest, params![], |row| get::<Option<i64>>(row, "seq"))?;
        let (mut first, mut last) = (0, newest.flatten().unwrap_or_default() + 1);
        let sql =
            format!("/* scans */ SELECT seq, created_at FROM {table} WHERE seq >= ?1 ORDER BY seq LIMIT 1");
        while first < last {
            let middle = first + (last - first) / 2;
            let next =
                self.one(&sql, [middle], |row| Ok((get::<i64>(row, "seq")?, time(row, "created_at")?)))?;
            match next {
                Some((seq, made_at)) if made_at < at => first = seq + 1,
                _ => last = middle,
            }
        }
        Ok(first)
    }
}

impl FigureReads for Rows<'_> {
    fn minutes(&self, network: &NetworkId, minutes: Range<i64>) -> Result<Vec<(i64, MinuteCounts)>, Error> {
        let sql =
            "SELECT * FROM minutes WHERE network_id = ?1 AND minute >= ?2 AND minute < ?3 ORDER BY minute";
        let parameters = params![network.as_str(), minutes.start, minutes.end];
        self.all(sql, parameters, |row| Ok((get(row, "minute")?, counts(row)?)))
    }

    fn counted_since(&self) -> Result<UnixMillis, Error> {
        let since =
            self.one("SELECT since FROM counting WHERE one = 1", params![], |row| time(row, "since"))?;
        since.ok_or_else(|| Error::Corrupt("minutes are not counted".into()))
    }

    fn glances(
        &self,
        network: &NetworkId,
        status: Status,
        end: End,
        limit: usize,
    ) -> Result<Vec<TaskSummaryRow>, Error> {
        let order = match end {
            End::Oldest => "ASC",
            End::Newest => "DESC",
        };
        let sql = format!(
            "SELECT t.task_id, t.from_kind, t.from_name, t.to_name, t.status, t.created_at, t.delivered_at, t.expires_at, t.attempt, t.max_attempts,
                    COALESCE((SELECT e.created_at FROM task_events e
                              WHERE e.place = t.network << 40 | t.last_event), t.delivered_at) AS changed_at,
                    t.lease_id IS NOT NULL AS is_leased
             FROM tasks t WHERE t.network = ?1 AND t.status = ?2 ORDER BY t.seq {order} LIMIT ?3"
        );
        self.all(&sql, params![self.key(network)?, status.as_str(), limit as i64], glance_row)
    }

    fn title(&self, id: &TaskId) -> Result<Option<String>, Error> {
        let sql = "SELECT substr(content, 1, ?2) AS title FROM tasks WHERE task_id = ?1";
        self.one(sql, params![id.as_str(), limits::TITLE_MAX_CHARS as i64], |row| get(row, "title"))
    }

    fn place_of_time(&self, at: UnixMillis) -> Result<i64, Error> {
        self.place_of_time_in("tasks", at)
    }

    fn search_tasks(&self, search: &TaskSearch) -> Result<Page<TaskRow>, Error> {
        search::page(self, search)
    }
}

impl FigureWrites for Rows<'_> {
    fn count_visible_handoff(&mut self, network: &NetworkId, at: UnixMillis) {
        self.count(|counts| counts.minute(network, at).handoffs += 1);
    }

    fn forget_minutes(&mut self, before: i64, limit: usize) -> Result<usize, Error> {
        let sql = "DELETE FROM minutes WHERE (network_id, minute) IN
                   (SELECT network_id, minute FROM minutes WHERE minute < ?1 LIMIT ?2)";
        self.execute(sql, params![before, limit as i64])
    }
}
