//! The history of tasks in SQL: a row for every change, numbered within its task and within its network.

use baton_core::access::TaskReach;
use baton_core::{ActorToken, NetworkId, Status, TaskId, limits};
use rusqlite::{Row, params};

use super::columns::{get, optional, parsed, principal, time};
use super::merge::{Fetch, Merge};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{EventFilter, EventRow, NewEvent, Page};

/// A row of history with what its numbers stand for.
pub(super) const EVENT: &str = "
    SELECT e.*, t.task_id, k.network_id
    FROM task_events e JOIN tasks t ON t.seq = e.task JOIN network_keys k ON k.key = e.network";

pub(super) fn event_row(row: &Row<'_>) -> Result<EventRow, Error> {
    let log_index = get::<Option<i64>>(row, "log_index")?;
    let number = get::<Option<i64>>(row, "number")?.or(log_index.map(|index| index + 1));
    Ok(EventRow {
        id: get(row, "id")?,
        number: number.ok_or_else(|| Error::Corrupt("an event without a number".into()))?,
        n: get(row, "n")?,
        task_id: parsed(row, "task_id", TaskId::parse)?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        from_status: optional(row, "from_status", Status::parse)?,
        to_status: parsed(row, "to_status", Status::parse)?,
        actor: principal(row, "actor_kind", "actor")?,
        actor_token: optional(row, "actor_token", ActorToken::parse)?,
        detail: get(row, "detail")?,
        created_at: time(row, "created_at")?,
        log_index: log_index.map(i64::unsigned_abs),
    })
}

/// A task's history, oldest first.
pub(super) fn of_task(rows: &Rows<'_>, id: &TaskId) -> Result<Vec<EventRow>, Error> {
    rows.all(&format!("{EVENT} WHERE t.task_id = ?1 ORDER BY e.n"), [id.as_str()], event_row)
}

/// The newest row of a task's history.
pub(super) fn last_of_task(rows: &Rows<'_>, id: &TaskId) -> Result<Option<EventRow>, Error> {
    rows.one(&format!("{EVENT} WHERE t.task_id = ?1 ORDER BY e.n DESC LIMIT 1"), [id.as_str()], event_row)
}

/// A page of history, newest first.
pub(super) fn page(rows: &Rows<'_>, filter: &EventFilter) -> Result<Page<EventRow>, Error> {
    let before = filter.before.unwrap_or(i64::MAX);
    if let Some(task) = &filter.task {
        let sql = format!("{EVENT} WHERE t.task_id = ?1 AND e.id < ?2 ORDER BY e.n DESC LIMIT ?3");
        let parameters = params![task.as_str(), before, filter.page.looked_at()];
        return rows.page(&sql, parameters, filter.page, event_row, |row| row.id);
    }
    let lists = filter.networks.iter().map(|(network, reach)| of_network(rows, network, reach));
    let lists = lists.collect::<Result<_, _>>()?;
    let mut merge = Merge::new(lists, before, filter.page.rows, limits::LIST_EXAMINED_COUNT)?;
    let sql = format!("{EVENT} WHERE e.id = ?1");
    rows.page_of(&mut merge, filter.page, |id| rows.one(&sql, [id], event_row))
}

/// The history of a network, newest first, as far as the caller reaches.
fn of_network<'a>(
    rows: &'a Rows<'_>,
    network: &NetworkId,
    reach: &'a TaskReach,
) -> Result<Fetch<'a, i64>, Error> {
    let key = rows.key(network)?;
    Ok(Box::new(move |before, most| match reach {
        TaskReach::Network => {
            let sql = "SELECT id FROM task_events WHERE network = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
            rows.all(sql, params![key, before, most as i64], |row| Ok((get(row, "id")?, true)))
        }
        TaskReach::Own(alias) => {
            let sql = "SELECT e.id, t.to_name = ?4 OR (t.from_name = ?4 AND t.from_kind = 'node') AS is_own
                       FROM task_events e JOIN tasks t ON t.seq = e.task
                       WHERE e.network = ?1 AND e.id < ?2 ORDER BY e.id DESC LIMIT ?3";
            let parameters = params![key, before, most as i64, alias.as_str()];
            rows.all(sql, parameters, |row| Ok((get(row, "id")?, get(row, "is_own")?)))
        }
    }))
}

/// Appends to a task's history; answers the event's number there.
pub(super) fn append(rows: &mut Rows<'_>, event: NewEvent<'_>) -> Result<u64, Error> {
    let task = rows.known(event.task_id)?;
    // The number within the task comes from the history itself: no gap and no second counter. A new task has none.
    // Asked for before, not within the INSERT: SQLite would build a table for it.
    let last = match event.from {
        None => 0,
        Some(_) => {
            let sql = "SELECT n FROM task_events WHERE task = ?1 ORDER BY n DESC LIMIT 1";
            let last = rows.one(sql, [task.seq], |row| get::<i64>(row, "n"))?;
            last.ok_or_else(|| Error::Corrupt("a task without a history".into()))?
        }
    };
    let log_index = event.log_index.map(|index| index as i64);
    // A log keeps its events, so numbers that follow it are not used again when rows of history leave.
    let number = newest_number(rows, event.network_id, task.key)?.max(log_index.unwrap_or(0)) + 1;
    let id = rows.next_event()?;
    rows.execute(
        "INSERT INTO task_events (id, network, task, n, from_status, to_status, actor_kind, actor, detail, created_at,
            log_index, number, actor_token) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            id,
            task.key,
            task.seq,
            last + 1,
            event.from.map(Status::as_str),
            event.to.as_str(),
            event.actor.kind().as_str(),
            event.actor.name(),
            event.detail,
            event.at.get(),
            log_index,
            Some(number).filter(|number| log_index.is_none_or(|index| *number != index + 1)),
            event.actor_token.map(ActorToken::as_str),
        ],
    )?;
    rows.staged.counts.set_newest_event_number(event.network_id, number);
    rows.note_changed(event.network_id, event.task_id, event.from, Some(event.to));
    Ok((last + 1).unsigned_abs())
}

/// The number of a network's newest event; 0 before the first.
fn newest_number(rows: &Rows<'_>, network: &NetworkId, key: i64) -> Result<i64, Error> {
    let known = rows.staged.counts.newest_event_number(network).or(rows.counted.newest_event_number(network));
    if let Some(newest) = known {
        return Ok(newest);
    }
    let sql = "SELECT COALESCE(number, log_index + 1, 0) AS number FROM task_events WHERE network = ?1
               ORDER BY id DESC LIMIT 1";
    Ok(rows.one(sql, [key], |row| get::<i64>(row, "number"))?.unwrap_or(0))
}
