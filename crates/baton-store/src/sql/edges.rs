//! Edges in SQL: tasks by sender, recipient and hour. Changes are added up for a batch, as `counts.rs` does, and each
//! edge that changed is written once. An hour has so many edges of its own; tasks of further ones are counted in one row
//! without names. Rows of an hour are only removed with all of the hour, so a task that has no row of its edge is known
//! to be counted there.

use baton_core::{Alias, Latencies, NetworkId, Principal, PrincipalKind, Status, TaskId, UnixMillis, limits};
use foldhash::HashMap;
use rusqlite::{Connection, ToSql, params};
use std::ops::Range;
use std::sync::LazyLock;

use super::columns::{Row, get, parsed};
use super::ends::{self, each, ends, listed};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{EdgeCounts, EdgeReads, EdgeRow, EdgeWrites, Edges, hour_of};

/// Every counter of an edge that is not what the tasks say, one row for each count.
pub(crate) fn wrong_counts() -> String {
    format!(
        "/* scans */ WITH
    kept AS (SELECT edges_since AS hour FROM counting WHERE one = 1),
    counters (network_id, hour, from_kind, from_name, to_name, status, count) AS
        (SELECT network_id, hour, from_kind, from_name, to_name, 'open', open FROM edges
         {counters}),
    made (network_id, hour, from_kind, from_name, to_name, status, count) AS
        (SELECT COALESCE(k.network_id, CAST(network AS TEXT)), created_at / 3600000, from_kind, from_name, to_name,
             CASE WHEN status IN ({open}) THEN 'open' ELSE status END, COUNT(*)
         FROM tasks LEFT JOIN network_keys k ON k.key = network WHERE created_at >= 3600000 * (SELECT hour FROM kept) GROUP BY 1, 2, 3, 4, 5, 6),
    counted (network_id, hour, from_kind, from_name, to_name, status, count) AS
        (SELECT m.network_id, m.hour, COALESCE(e.from_kind, ''), COALESCE(e.from_name, ''), COALESCE(e.to_name, ''),
             m.status, SUM(m.count)
         FROM made m LEFT JOIN edges e ON e.network_id = m.network_id AND e.hour = m.hour AND e.from_kind = m.from_kind
             AND e.from_name = m.from_name AND e.to_name = m.to_name
         GROUP BY 1, 2, 3, 4, 5, 6)
    SELECT network_id, (CASE from_kind WHEN '' THEN 'further edges' ELSE from_name || ' to ' || to_name END)
            || ' (' || status || ') of ' || strftime('%Y-%m-%d %H:00', hour * 3600, 'unixepoch') AS name,
        SUM(counter) AS counter, SUM(counted) AS counted
    FROM (SELECT *, count AS counter, 0 AS counted FROM counters UNION ALL SELECT *, 0, count FROM counted) both_subquery
    WHERE hour >= (SELECT hour FROM kept) AND network_id NOT IN (SELECT network_id FROM removals)
    GROUP BY network_id, hour, from_kind, from_name, to_name, status HAVING SUM(counter) <> SUM(counted)",
        counters = each(|end| format!(
            " UNION ALL SELECT network_id, hour, from_kind, from_name, to_name, '{end}', {end} FROM edges"
        )),
        open = listed(Status::open()),
    )
}

const AT: &str = "WHERE network_id = ?1 AND hour = ?2 AND from_kind = ?3 AND from_name = ?4 AND to_name = ?5";

// The writes of an edge: `?` is the number after the highest so far, so the ends follow `?6` and the durations follow them.
static ADD: LazyLock<String> = LazyLock::new(|| format!("UPDATE edges SET {} {AT}", sums()));
static ADD_WITH_DURATIONS: LazyLock<String> =
    LazyLock::new(|| format!("UPDATE edges SET {}, durations = ? {AT}", sums()));
static INSERT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO edges (network_id, hour, from_kind, from_name, to_name, open{}, durations)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6{}, ?)",
        each(|end| format!(", {end}")),
        each(|_| ", ?".into())
    )
});

fn sums() -> String {
    format!("open = open + ?6{}", each(|end| format!(", {end} = {end} + ?")))
}

/// An edge of an hour; one without names is all further ones of the hour.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Edge {
    pub(crate) hour: i64,
    pub(crate) from_kind: &'static str,
    pub(crate) from_name: String,
    pub(crate) to_name: String,
}

impl Edge {
    pub(crate) fn new(made_at: UnixMillis, from: &Principal, to: &Alias) -> Self {
        Self {
            hour: hour_of(made_at),
            from_kind: from.kind().as_str(),
            from_name: from.name().to_owned(),
            to_name: to.as_str().to_owned(),
        }
    }

    /// Whether it is the edge of one sender and one recipient.
    pub(crate) fn is_named(&self) -> bool {
        !self.from_kind.is_empty()
    }

    /// All further edges of an hour.
    pub(crate) fn further(hour: i64) -> Self {
        Self { hour, from_kind: "", from_name: String::new(), to_name: String::new() }
    }
}

/// What changes on an edge.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EdgeChange {
    pub(crate) counts: EdgeCounts,
    /// How long the tasks took that were answered or failed. What leaves by retention stays in it.
    pub(crate) durations: Latencies,
}

/// Changes not yet written.
#[derive(Debug, Default)]
pub(crate) struct EdgeChanges(pub(crate) HashMap<(NetworkId, Edge), EdgeChange>);

impl EdgeChanges {
    pub(crate) fn add(&mut self, network: &NetworkId, edge: Edge, status: Status, change: i64) {
        *self.0.entry((network.clone(), edge)).or_default().counts.of(status) += change;
    }

    /// Notes how long a task took that was answered or failed.
    pub(crate) fn note_end(&mut self, network: &NetworkId, edge: Edge, status: Status, millis: i64) {
        if status.is_agents_end() {
            self.0.entry((network.clone(), edge)).or_default().durations.note(millis);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn take_in(&mut self, later: Self) {
        for (key, change) in later.0 {
            let all = self.0.entry(key).or_default();
            all.counts.add(&change.counts);
            all.durations.add(&change.durations);
        }
    }

    pub(crate) fn forget(&mut self, network: &NetworkId) {
        self.0.retain(|(counted, _), _| counted != network);
    }

    pub(crate) fn write(&self, connection: &Connection) -> Result<(), Error> {
        let rows = Rows::new(connection);
        let changed = self.0.iter().filter(|(_, change)| **change != EdgeChange::default());
        for ((network, edge), more) in changed {
            if !rows.add_to_edge(network, edge, more)? {
                rows.begin_edge(network, edge.clone(), more)?;
            }
        }
        Ok(())
    }
}

impl Rows<'_> {
    /// Subtracts a task that is about to be removed.
    pub(crate) fn count_off_its_edge(
        &mut self,
        network: &NetworkId,
        id: &TaskId,
        status: Status,
    ) -> Result<(), Error> {
        let edge = self.known_task(id)?.edge();
        self.count(|counts| counts.edges.add(network, edge, status, -1));
        Ok(())
    }

    /// False if there is no such edge yet.
    fn add_to_edge(&self, network: &NetworkId, edge: &Edge, more: &EdgeChange) -> Result<bool, Error> {
        if more.durations == Latencies::default() {
            return self.write_edge(&ADD, network, edge, &more.counts, None);
        }
        let Some(mut durations) = self.durations_of(network, edge)? else { return Ok(false) };
        durations.add(&more.durations);
        self.write_edge(&ADD_WITH_DURATIONS, network, edge, &more.counts, Some(&durations))
    }

    /// How long the tasks of an edge took so far; none if there is no such edge yet.
    fn durations_of(&self, network: &NetworkId, edge: &Edge) -> Result<Option<Latencies>, Error> {
        let Edge { hour, from_kind, from_name, to_name } = edge;
        let sql = "SELECT durations FROM edges
                   WHERE network_id = ?1 AND hour = ?2 AND from_kind = ?3 AND from_name = ?4 AND to_name = ?5";
        let parameters = params![network.as_str(), hour, from_kind, from_name, to_name];
        self.one(sql, parameters, durations)
    }

    fn write_edge(
        &self,
        sql: &str,
        network: &NetworkId,
        edge: &Edge,
        counts: &EdgeCounts,
        durations: Option<&Latencies>,
    ) -> Result<bool, Error> {
        let Edge { hour, from_kind, from_name, to_name } = edge;
        let (network, ends) = (network.as_str(), ends::values(&counts.ends));
        let durations = durations.map(Latencies::to_bytes);
        let mut values: Vec<&dyn ToSql> = vec![&network, hour, from_kind, from_name, to_name, &counts.open];
        values.extend(ends.iter().map(|count| count as &dyn ToSql));
        values.extend(durations.iter().map(|bytes| bytes as &dyn ToSql));
        let changed = self.execute(sql, &*values)?;
        Ok(changed > 0)
    }

    /// Counts what no row is there for yet. Hours that are forgotten stay so. The durations of further edges are nobody's,
    /// and are not kept.
    fn begin_edge(&self, network: &NetworkId, edge: Edge, change: &EdgeChange) -> Result<(), Error> {
        if edge.hour < self.edges_since()? {
            return Ok(());
        }
        // Tasks that were only changed were counted before, and so with the further ones.
        let counts = change.counts;
        let is_new = counts.total() > 0 && self.has_room_for_an_edge(network, edge.hour)?;
        let edge = if is_new { edge } else { Edge::further(edge.hour) };
        let further = EdgeChange { counts, durations: Latencies::default() };
        if is_new || !self.add_to_edge(network, &edge, &further)? {
            let durations = if is_new { &change.durations } else { &further.durations };
            self.write_edge(&INSERT, network, &edge, &counts, Some(durations))?;
        }
        Ok(())
    }

    fn has_room_for_an_edge(&self, network: &NetworkId, hour: i64) -> Result<bool, Error> {
        let sql =
            "SELECT COUNT(*) AS count FROM edges WHERE network_id = ?1 AND hour = ?2 AND from_kind <> ''";
        let count = self.one(sql, params![network.as_str(), hour], |row| get::<i64>(row, "count"))?;
        Ok(count.unwrap_or_default() < limits::EDGES_PER_HOUR_MAX_COUNT as i64)
    }
}

/// The durations of a row.
pub(crate) fn durations(row: &Row<'_>) -> Result<Latencies, Error> {
    let bytes: Vec<u8> = get(row, "durations")?;
    let corrupt = || Error::Corrupt(format!("{} bytes of durations", bytes.len()));
    Latencies::from_bytes(&bytes).ok_or_else(corrupt)
}

/// The counts of a row.
pub(crate) fn counts(row: &Row<'_>) -> Result<EdgeCounts, Error> {
    Ok(EdgeCounts { open: get(row, "open")?, ends: ends(row)? })
}

fn edge_row(row: &Row<'_>) -> Result<(EdgeRow, i64), Error> {
    let counts = counts(row)?;
    let from_kind = parsed(row, "from_kind", PrincipalKind::parse)?;
    let (from_name, to_name) = (get(row, "from_name")?, get(row, "to_name")?);
    Ok((EdgeRow { from_kind, from_name, to_name, counts }, get(row, "edges")?))
}

impl EdgeReads for Rows<'_> {
    fn edges(&self, network: &NetworkId, hours: Range<i64>, limit: usize) -> Result<Edges, Error> {
        let sums = each(|end| format!(", SUM({end}) AS {end}"));
        let total = format!("open{}", each(|end| format!(" + {end}")));
        let sql = format!(
            "SELECT *, COUNT(*) OVER () AS edges FROM
                 (SELECT from_kind, from_name, to_name, SUM(open) AS open{sums}, SUM({total}) AS total
                  FROM edges WHERE network_id = ?1 AND hour >= ?2 AND hour < ?3 AND from_kind <> ''
                  GROUP BY from_kind, from_name, to_name) summed_subquery
             WHERE total > 0 ORDER BY total DESC, from_kind, from_name, to_name LIMIT ?4"
        );
        let (network, limit) = (network.as_str(), i64::try_from(limit).unwrap_or(i64::MAX));
        let shown = self.all(&sql, params![network, hours.start, hours.end, limit], edge_row)?;
        let all = shown.first().map_or(0, |(_, edges)| *edges);
        let sql = format!(
            "SELECT COALESCE(SUM(total), 0) AS tasks, COALESCE(SUM(total) FILTER (WHERE from_kind = ''), 0) AS of_no_edge
             FROM (SELECT from_kind, {total} AS total
                   FROM edges WHERE network_id = ?1 AND hour >= ?2 AND hour < ?3) counted_subquery"
        );
        let tasks = self.one(&sql, params![network, hours.start, hours.end], |row| {
            Ok((get(row, "tasks")?, get(row, "of_no_edge")?))
        })?;
        let (tasks, tasks_of_no_edge) = tasks.unwrap_or_default();
        let left_out = all - shown.len() as i64;
        Ok(Edges {
            shown: shown.into_iter().map(|(edge, _)| edge).collect(),
            left_out,
            tasks,
            tasks_of_no_edge,
        })
    }

    fn edges_since(&self) -> Result<i64, Error> {
        let since = self.one("SELECT edges_since FROM counting WHERE one = 1", params![], |row| {
            get(row, "edges_since")
        })?;
        since.ok_or_else(|| Error::Corrupt("edges are not counted".into()))
    }
}

impl EdgeWrites for Rows<'_> {
    fn forget_edges(&mut self, before: i64, limit: usize) -> Result<usize, Error> {
        // A hub that ran with a clock far ahead counted from then on: it begins again with the hour after this one.
        let next = before + i64::from(limits::EDGES_KEPT_SECONDS) / 3600 + 1;
        if self.edges_since()? > next {
            self.execute("UPDATE counting SET edges_since = ?1 WHERE one = 1", [next])?;
        }
        // In this transaction: an hour that lacks rows is not counted.
        self.execute("UPDATE counting SET edges_since = ?1 WHERE one = 1 AND edges_since < ?1", [before])?;
        let sql = "DELETE FROM edges WHERE (network_id, hour, from_kind, from_name, to_name) IN
                   (SELECT network_id, hour, from_kind, from_name, to_name FROM edges WHERE hour < ?1 LIMIT ?2)";
        self.execute(sql, params![before, limit as i64])
    }
}
