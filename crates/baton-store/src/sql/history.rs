//! The history of tasks in SQL: a row for every change, numbered within its task and within its network. A task's row
//! leads to the newest, and each row to the one before it within the task; in the order of ids they are the network's.

use baton_core::access::TaskReach;
use baton_core::{ActorToken, NetworkId, Status, TaskId, limits};
use rusqlite::params;

use super::columns::{Row, get, optional, parsed, principal, time};
use super::keys::numbered;
use super::merge::{Fetch, Merge};
use super::rows::Rows;
use super::write_set::{Head, NewEventRow};
use crate::error::Error;
use crate::rows::{EventFilter, EventRow, NewEvent, Page, PageInProgress};

/// A row of history with what its numbers stand for.
const EVENT: &str = "
    SELECT e.*, t.task_id, k.network_id
    FROM task_events e JOIN tasks t ON t.seq = e.task JOIN network_keys k ON k.key = e.network
    WHERE e.place = ?1";

fn event_row(row: &Row<'_>) -> Result<EventRow, Error> {
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

/// The way back through a task's history: the network's key, and the id of the row that comes next.
pub(crate) struct Chain {
    pub(crate) network: i64,
    next: Option<i64>,
}

impl Chain {
    /// From the newest row of a task; none if there is no such task.
    pub(crate) fn of_task(rows: &Rows<'_>, id: &TaskId) -> Result<Option<Self>, Error> {
        let sql = "SELECT network, last_event FROM tasks WHERE task_id = ?1";
        rows.one(sql, [id.as_str()], |row| {
            Ok(Self { network: get(row, "network")?, next: get(row, "last_event")? })
        })
    }

    /// From a row that is known.
    pub(crate) const fn from(network: i64, next: Option<i64>) -> Self {
        Self { network, next }
    }

    /// The next row, older than the one before, read by `read` with this statement for its key.
    pub(crate) fn next<T>(
        &mut self,
        rows: &Rows<'_>,
        sql: &str,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Some(id) = self.next else { return Ok(None) };
        let found = rows.one(sql, [numbered(self.network, id)], |row| {
            Ok((get::<Option<i64>>(row, "previous")?, read(row)?))
        })?;
        let (previous, found) = found.ok_or_else(|| Error::Corrupt(format!("no event {id}")))?;
        if previous.is_some_and(|previous| previous >= id) {
            return Err(Error::Corrupt(format!("event {id} comes before one that is older")));
        }
        self.next = previous;
        Ok(Some(found))
    }
}

/// A task's history, oldest first.
pub(crate) fn of_task(rows: &Rows<'_>, id: &TaskId) -> Result<Vec<EventRow>, Error> {
    of_task_after(rows, id, i64::MIN)
}

/// The rows of a task's history after the one of this number, oldest first. Older ones are not read.
pub(crate) fn of_task_after(rows: &Rows<'_>, id: &TaskId, n: i64) -> Result<Vec<EventRow>, Error> {
    let mut events = Vec::new();
    if let Some(mut chain) = Chain::of_task(rows, id)? {
        while let Some(event) = chain.next(rows, EVENT, event_row)?.filter(|event| event.n > n) {
            events.push(event);
        }
    }
    events.reverse();
    Ok(events)
}

/// The newest row of a task's history.
pub(crate) fn last_of_task(rows: &Rows<'_>, id: &TaskId) -> Result<Option<EventRow>, Error> {
    match Chain::of_task(rows, id)? {
        Some(mut chain) => chain.next(rows, EVENT, event_row),
        None => Ok(None),
    }
}

/// The row of a task's history that follows the one of this number.
pub(crate) fn after(rows: &Rows<'_>, id: &TaskId, n: i64) -> Result<Option<EventRow>, Error> {
    let Some(mut chain) = Chain::of_task(rows, id)? else { return Ok(None) };
    let mut next = None;
    while let Some(event) = chain.next(rows, EVENT, event_row)?.filter(|event| event.n > n) {
        next = Some(event);
    }
    Ok(next)
}

/// A page of history, newest first.
pub(crate) fn page(rows: &Rows<'_>, filter: &EventFilter) -> Result<Page<EventRow>, Error> {
    let before = filter.before.unwrap_or(i64::MAX);
    if let Some(task) = &filter.task {
        return page_of_task(rows, task, before, filter);
    }
    let lists = filter.networks.iter().map(|(network, reach)| of_network(rows, network, reach));
    let lists = lists.collect::<Result<_, _>>()?;
    let before = (before, i64::MIN);
    let mut merge = Merge::new(lists, before, filter.page.rows, limits::LIST_EXAMINED_COUNT)?;
    let read = |(id, network)| rows.one(EVENT, [numbered(network, id)], event_row);
    let page = rows.page_of(&mut merge, filter.page, read)?;
    Ok(Page { rows: page.rows, next: page.next.map(|(id, _)| id) })
}

fn page_of_task(
    rows: &Rows<'_>,
    task: &TaskId,
    before: i64,
    filter: &EventFilter,
) -> Result<Page<EventRow>, Error> {
    let mut page = PageInProgress::new(filter.page);
    let Some(mut chain) = Chain::of_task(rows, task)? else {
        return Ok(Page { rows: page.rows, next: None });
    };
    let mut has_more = false;
    while let Some(event) = chain.next(rows, EVENT, event_row)? {
        if event.id >= before {
            continue;
        }
        if page.has_all_rows() || !page.add(event) {
            has_more = true;
            break;
        }
    }
    let next = page.rows.last().filter(|_| has_more).map(|event| event.id);
    Ok(Page { rows: page.rows, next })
}

/// The history of a network, newest first, as far as the caller reaches: ids, each with the network's key.
fn of_network<'a>(
    rows: &'a Rows<'_>,
    network: &NetworkId,
    reach: &'a TaskReach,
) -> Result<Fetch<'a, (i64, i64)>, Error> {
    let key = rows.key(network)?;
    Ok(Box::new(move |(before, _), most| {
        let (first, before) = (numbered(key, 0), numbered(key, before));
        match reach {
            TaskReach::Network => {
                let sql = "SELECT id FROM task_events WHERE place >= ?1 AND place < ?2 ORDER BY place DESC LIMIT ?3";
                let parameters = params![first, before, most as i64];
                rows.all(sql, parameters, |row| Ok(((get(row, "id")?, key), true)))
            }
            TaskReach::Own(alias) => {
                let sql =
                    "SELECT e.id, t.to_name = ?4 OR (t.from_name = ?4 AND t.from_kind = 'node') AS is_own
                           FROM task_events e JOIN tasks t ON t.seq = e.task
                           WHERE e.place >= ?1 AND e.place < ?2 ORDER BY e.place DESC LIMIT ?3";
                let parameters = params![first, before, most as i64, alias.as_str()];
                rows.all(sql, parameters, |row| Ok(((get(row, "id")?, key), get(row, "is_own")?)))
            }
        }
    }))
}

/// Appends to a task's history; answers the event's number there.
pub(crate) fn append(rows: &mut Rows<'_>, event: NewEvent<'_>) -> Result<u64, Error> {
    rows.begin_change(event.network_id)?;
    let before = rows.known_task(event.task_id)?;
    if event.from.is_some() && before.last_event.is_none() {
        return Err(Error::Corrupt("a task without a history".into()));
    }
    let log_index = event.log_index.map(|index| index as i64);
    // A log keeps its events, so numbers that follow it are not used again when rows of history leave.
    let number = newest_number(rows, event.network_id, before.network)?.max(log_index.unwrap_or(0)) + 1;
    let id = rows.next_event()?;
    let mut after = (*before).clone();
    (after.last_event, after.events) = (Some(id), before.events + 1);
    let row = NewEventRow {
        place: numbered(before.network, id),
        task: before.row.seq,
        n: after.events,
        previous: before.last_event,
        from: event.from,
        to: event.to,
        actor: event.actor.clone(),
        detail: event.detail.to_owned(),
        at: event.at,
        log_index,
        number: Some(number).filter(|number| log_index.is_none_or(|index| *number != index + 1)),
        actor_token: event.actor_token.map(|token| token.as_str().to_owned()),
    };
    let n = after.events;
    rows.change(|work| {
        work.put_task(Some(before), after);
        work.layer.events.push(row);
        let head = Head { event_number: Some(number), ..Head::default() };
        work.layer.heads.entry(event.network_id.clone()).or_default().take_in(head);
    });
    rows.note_changed(event.network_id, event.task_id, event.from, Some(event.to));
    Ok(n.unsigned_abs())
}

/// The number of a network's newest event; 0 before the first.
fn newest_number(rows: &Rows<'_>, network: &NetworkId, key: i64) -> Result<i64, Error> {
    if let Some(newest) = rows.head(network).event_number {
        return Ok(newest);
    }
    let sql = "SELECT COALESCE(number, log_index + 1, 0) AS number FROM task_events WHERE place >= ?1 AND place < ?2
               ORDER BY place DESC LIMIT 1";
    let newest =
        rows.look_up(sql, [numbered(key, 0), numbered(key + 1, 0)], |row| get::<i64>(row, "number"))?;
    Ok(newest.unwrap_or(0))
}
