//! One agent's tasks by when their status last changed. No index keeps them so: it would cost every change of every
//! task. The network's history is in that order already, so a page is found by walking it backwards, a bounded way.

use baton_core::access::TaskReach;
use baton_core::{Status, TaskId};
use rusqlite::ToSql;

use super::columns::{get, parsed};
use super::keys::numbered;
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{ChangedFilter, ChangedPage};

/// Conditions on a task, and what they compare with.
struct Conditions {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Conditions {
    /// What the filter asks of a task of this table, its last event aside.
    fn of(filter: &ChangedFilter, network: i64, table: &str) -> Self {
        let mut all = Self { sql: String::new(), values: Vec::new() };
        let network = all.bind(network);
        let to = all.bind(filter.to.as_str().to_owned());
        all.sql = format!("{table}.network = {network} AND {table}.to_name = {to}");
        if let TaskReach::Own(alias) = &filter.network.1
            && *alias != filter.to
        {
            let from = all.bind(alias.as_str().to_owned());
            all.sql.push_str(&format!(" AND {table}.from_kind = 'node' AND {table}.from_name = {from}"));
        }
        if !filter.statuses.is_empty() {
            let names: Vec<_> = filter.statuses.iter().copied().map(quoted).collect();
            all.sql.push_str(&format!(" AND {table}.status IN ({})", names.join(", ")));
        }
        all.narrow_status(filter, table);
        if let Some(context) = &filter.context {
            // The task that began a conversation names none.
            let context = all.bind(context.as_str().to_owned());
            all.sql.push_str(&format!(" AND COALESCE({table}.context_id, {table}.task_id) = {context}"));
        }
        all
    }

    /// What the filter asks beyond the status, each of the statuses that it is about.
    fn narrow_status(&mut self, filter: &ChangedFilter, table: &str) {
        if let Some(is_rejected) = filter.is_rejected {
            let is_rejected = self.bind(is_rejected);
            self.sql
                .push_str(&format!(" AND ({table}.status <> 'failed' OR {table}.rejected = {is_rejected})"));
        }
        if let Some(has_begun) = filter.has_begun {
            let has_begun = self.bind(has_begun);
            self.sql.push_str(&format!(
                " AND ({table}.status NOT IN ('delivered', 'acked') OR ({table}.started_at IS NOT NULL) = {has_begun})"
            ));
        }
        if let Some(auth_required) = filter.auth_required {
            let network = self.bind(filter.network.0.as_str().to_owned());
            let auth_required = self.bind(auth_required);
            self.sql.push_str(&format!(
                " AND ({table}.status <> 'waiting_input' OR {auth_required} = COALESCE(
                    (SELECT q.auth_required FROM task_messages q
                     WHERE q.network_id = {network} AND q.task_id = {table}.task_id AND q.kind = 'question'
                     ORDER BY q.n DESC LIMIT 1), 0))"
            ));
        }
    }

    fn bind(&mut self, value: impl ToSql + 'static) -> String {
        self.values.push(Box::new(value));
        format!("?{}", self.values.len())
    }
}

/// A status is a word of the hub's own.
fn quoted(status: Status) -> String {
    format!("'{}'", status.as_str())
}

/// The page, and where the next one begins.
pub(crate) fn page(rows: &Rows<'_>, filter: &ChangedFilter) -> Result<ChangedPage, Error> {
    let mut all = Conditions::of(filter, rows.key(&filter.network.0)?, "tasks");
    let key = rows.key(&filter.network.0)?;
    let first = all.bind(numbered(key, 0));
    let before = all.bind(numbered(key, filter.before.unwrap_or(i64::MAX)));
    let examined = all.bind(filter.examined as i64);
    let after = all.bind(filter.after.map_or(i64::MIN, baton_core::UnixMillis::get));
    // One more than is shown says whether there are more.
    let limit = all.bind(filter.limit as i64 + 1);
    let sql = format!(
        "SELECT walked_subquery.id, tasks.task_id FROM
            (SELECT id, task, created_at FROM task_events WHERE place >= {first} AND place < {before}
             ORDER BY place DESC LIMIT {examined}) walked_subquery
         CROSS JOIN tasks ON tasks.seq = walked_subquery.task
         WHERE {} AND walked_subquery.created_at >= {after}
           AND tasks.last_event = walked_subquery.id
         ORDER BY walked_subquery.id DESC LIMIT {limit}",
        all.sql
    );
    let parameters: Vec<&dyn ToSql> = all.values.iter().map(AsRef::as_ref).collect();
    let mut found = rows.all(&sql, &*parameters, |row| {
        Ok((get::<i64>(row, "id")?, parsed(row, "task_id", TaskId::parse)?))
    })?;
    let has_more = found.len() > filter.limit;
    found.truncate(filter.limit);
    let next = match found.last() {
        Some((id, _)) if has_more => Some(*id),
        _ => last_examined(rows, filter)?,
    };
    Ok(ChangedPage { tasks: found, next })
}

/// The oldest event that was looked at, if there are older ones.
fn last_examined(rows: &Rows<'_>, filter: &ChangedFilter) -> Result<Option<i64>, Error> {
    let sql =
        "SELECT id FROM task_events WHERE place >= ?1 AND place < ?2 ORDER BY place DESC LIMIT 1 OFFSET ?3";
    let (key, before) = (rows.key(&filter.network.0)?, filter.before.unwrap_or(i64::MAX));
    let parameters = [numbered(key, 0), numbered(key, before), filter.examined as i64 - 1];
    rows.one(sql, parameters, |row| get::<i64>(row, "id"))
}

/// How many of the agent's newest tasks the filter lets through.
pub(crate) fn count(rows: &Rows<'_>, filter: &ChangedFilter, counted: usize) -> Result<usize, Error> {
    let mut all = Conditions::of(filter, rows.key(&filter.network.0)?, "counted_subquery");
    let counted = all.bind(counted as i64);
    let mut sql = format!(
        "SELECT COUNT(*) AS count FROM
            (SELECT seq, task_id, network, from_kind, from_name, to_name, status, context_id, last_event,
                started_at, rejected FROM tasks
             WHERE network = ?1 AND to_name = ?2 ORDER BY seq DESC LIMIT {counted}) counted_subquery
         WHERE {}",
        all.sql
    );
    if let Some(after) = filter.after {
        let after = all.bind(after.get());
        sql.push_str(&format!(
            " AND (SELECT created_at FROM task_events e
                   WHERE e.place = counted_subquery.network << 40 | counted_subquery.last_event) >= {after}"
        ));
    }
    let parameters: Vec<&dyn ToSql> = all.values.iter().map(AsRef::as_ref).collect();
    let count = rows.one(&sql, &*parameters, |row| get::<i64>(row, "count"))?;
    Ok(count.and_then(|count| usize::try_from(count).ok()).unwrap_or_default())
}
