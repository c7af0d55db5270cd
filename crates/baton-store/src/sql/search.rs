//! Lists of tasks, newest first, also by what no index covers: kind, texts, creation time, or several filters at once.
//! The rows of the best index are walked as far as a page and its bounds need; where the walk stops, the next page
//! begins. Texts are read only of rows that pass all other filters, up to a bound in bytes.

use baton_core::access::TaskReach;
use baton_core::{Alias, ContextId, Parties, Status, TaskId, UnixMillis, limits};
use rusqlite::params;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use super::columns::{Row, get, parsed, principal, text as column_text};
use super::merge::{Fetch, Merge};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{FigureReads, Page, PageInProgress, TaskReads, TaskRow, TaskSearch};

/// Rows to walk: those of an index with this value, in a network as far as the caller reaches.
struct Source<'s> {
    network: i64,
    reach: &'s TaskReach,
    index: &'static str,
    column: &'static str,
    value: &'s str,
}

pub(crate) fn page(rows: &Rows<'_>, search: &TaskSearch) -> Result<Page<TaskRow>, Error> {
    let bounds = search.filter.page;
    let mut merge = match &search.ids {
        Some(ids) => {
            let mut named = named(rows, search, ids)?;
            named.sort_unstable_by_key(|seq| Reverse(*seq));
            let count = named.len();
            let before = search.filter.before.unwrap_or(i64::MAX);
            Merge::new(vec![known(named)], before, count, count)?
        }
        None => walk(rows, search)?,
    };
    let text = search.text.as_deref().map(str::to_lowercase);
    let mut unread = if search.ids.is_some() { usize::MAX } else { search.examined_bytes };
    let (mut page, mut last) = (PageInProgress::new(bounds), None);
    while let Some(seq) = merge.next()? {
        if let Some(text) = &text {
            let has_text = has_text(rows, seq, text, &mut unread)?;
            if !has_text && unread > 0 {
                continue;
            }
            if !has_text {
                return Ok(Page { rows: page.rows, next: Some(seq) });
            }
        }
        if page.has_all_rows() {
            return Ok(Page { rows: page.rows, next: last });
        }
        let Some(task) = rows.task_at(seq, search.filter.texts)? else { continue };
        if !page.add(task) {
            return Ok(Page { rows: page.rows, next: last });
        }
        last = Some(seq);
        if text.is_some() && unread == 0 {
            return Ok(Page { rows: page.rows, next: last });
        }
    }
    Ok(Page { rows: page.rows, next: merge.stopped_at() })
}

/// The places of those that are meant among these.
fn named(rows: &Rows<'_>, search: &TaskSearch, ids: &[TaskId]) -> Result<Vec<i64>, Error> {
    let sql = format!("SELECT {} FROM tasks WHERE task_id = ?1", columns(search));
    let mut reached: HashMap<i64, &TaskReach> = HashMap::new();
    for (network, reach) in &search.filter.networks {
        reached.insert(rows.key(network)?, reach);
    }
    let mut found = Vec::new();
    for id in ids {
        let meant = rows.one(&sql, [id.as_str()], |row| {
            let is_meant =
                reached.get(&get(row, "network")?).map_or(Ok(false), |reach| is_meant(search, row, reach))?;
            Ok(is_meant.then_some(get::<i64>(row, "seq")?))
        })?;
        found.extend(meant.flatten());
    }
    Ok(found)
}

/// A list that is known already, newest first.
fn known<'a>(places: Vec<i64>) -> Fetch<'a, i64> {
    Box::new(move |before, most| {
        let below = places.iter().filter(|place| **place < before).take(most);
        Ok(below.map(|place| (*place, true)).collect())
    })
}

/// A walk over those that are meant, texts aside.
fn walk<'a>(rows: &'a Rows<'_>, search: &'a TaskSearch) -> Result<Merge<'a, i64>, Error> {
    let places = places(rows, search)?;
    let mut lists: Vec<Fetch<'a, i64>> = Vec::new();
    for source in sources(rows, search)? {
        let places = places.start..places.end;
        lists.push(Box::new(move |before, most| read(rows, search, &source, places.start..before, most)));
    }
    for (network, reach) in &search.filter.networks {
        let began = rows.beginning(network, reach, &search.filter)?;
        lists.extend(began.map(|seq| known(vec![seq])));
    }
    Merge::new(lists, places.end, search.filter.page.rows, search.examined_rows)
}

/// Where tasks of the time asked for can be; whether each is of that time is asked again of its row.
fn places(rows: &Rows<'_>, search: &TaskSearch) -> Result<Range<i64>, Error> {
    let at = |time: UnixMillis, slack: i64| rows.place_of_time(time.plus_millis(slack));
    let first = search.since.map(|since| at(since, -limits::CLOCK_SLACK_MILLIS)).transpose()?;
    let last = search.until.map(|until| at(until, limits::CLOCK_SLACK_MILLIS)).transpose()?;
    let before = search.filter.before.unwrap_or(i64::MAX);
    Ok(first.unwrap_or(0)..last.unwrap_or(i64::MAX).min(before))
}

/// The narrowest index for what is asked; without one a network's tasks are those of each status.
fn sources<'a>(rows: &Rows<'_>, search: &'a TaskSearch) -> Result<Vec<Source<'a>>, Error> {
    let filter = &search.filter;
    let mut sources = Vec::new();
    for (network, reach) in &filter.networks {
        let key = rows.key(network)?;
        let mut add =
            |index, column, value| sources.push(Source { network: key, reach, index, column, value });
        match (&search.parent, &filter.context, &filter.to_name, &filter.from_name, filter.status, reach) {
            (Some(parent), ..) => add("tasks_by_parent", "parent_task_id", parent.as_str()),
            (_, Some(context), ..) => add("tasks_by_context", "context_id", context.as_str()),
            (_, _, Some(to), ..) => add("tasks_by_recipient", "to_name", to),
            (_, _, _, Some(from), ..) => add("tasks_by_sender", "from_name", from),
            (.., TaskReach::Own(alias)) => {
                add("tasks_by_recipient", "to_name", alias.as_str());
                add("tasks_by_sender", "from_name", alias.as_str());
            }
            (.., Some(status), _) => add("tasks_by_status", "status", status.as_str()),
            // Most of many networks are quiet: their counters say which statuses have tasks.
            _ if filter.networks.len() > 1 => {
                let counts = rows.task_counts(network)?;
                counts.iter().for_each(|(status, _)| add("tasks_by_status", "status", status.as_str()));
            }
            _ => Status::ALL.iter().for_each(|status| add("tasks_by_status", "status", status.as_str())),
        }
    }
    Ok(sources)
}

/// Rows of a source in these places, newest first; each with whether it is meant.
fn read(
    rows: &Rows<'_>,
    search: &TaskSearch,
    source: &Source<'_>,
    places: Range<i64>,
    most: usize,
) -> Result<Vec<(i64, bool)>, Error> {
    let (Source { index, column, .. }, columns) = (source, columns(search));
    let sql = format!(
        "SELECT {columns} FROM tasks INDEXED BY {index}
         WHERE network = ?1 AND {column} = ?2 AND seq >= ?3 AND seq < ?4 ORDER BY seq DESC LIMIT ?5"
    );
    let parameters = params![source.network, source.value, places.start, places.end, most as i64];
    rows.all(&sql, parameters, |row| Ok((get(row, "seq")?, is_meant(search, row, source.reach)?)))
}

/// What a row is asked for. Those that stand behind its texts are a long way to go, and are left out where nothing
/// asks for them.
fn columns(search: &TaskSearch) -> String {
    let is_timed = search.since.is_some() || search.until.is_some();
    let created_at = if is_timed { "created_at" } else { "0 AS created_at" };
    let parent = if search.parent.is_some() { "parent_task_id" } else { "NULL AS parent_task_id" };
    let context = if search.filter.context.is_some() { "context_id" } else { "NULL AS context_id" };
    format!("seq, network, from_kind, from_name, to_name, kind, status, {created_at}, {parent}, {context}")
}

/// Whether a row is meant, its texts aside.
fn is_meant(search: &TaskSearch, row: &Row<'_>, reach: &TaskReach) -> Result<bool, Error> {
    let TaskSearch { filter, kind, from, to, since, until, parent, .. } = search;
    let is_or_any = |column: &str, value: Option<&str>| match value {
        Some(value) => Ok::<_, Error>(column_text(row, column)?.as_deref() == Some(value)),
        None => Ok(true),
    };
    let has_part = |column: &str, part: Option<&String>| match part {
        Some(part) => Ok::<_, Error>(
            column_text(row, column)?.is_some_and(|name| name.to_lowercase().contains(&part.to_lowercase())),
        ),
        None => Ok(true),
    };
    let made_at = UnixMillis::new(get(row, "created_at")?);
    Ok(is_shown(row, reach)?
        && since.is_none_or(|since| made_at >= since)
        && until.is_none_or(|until| made_at < until)
        && is_or_any("status", filter.status.map(Status::as_str))?
        && is_or_any("to_name", filter.to_name.as_deref())?
        && is_or_any("from_name", filter.from_name.as_deref())?
        && has_part("from_name", from.as_ref())?
        && has_part("to_name", to.as_ref())?
        && is_or_any("kind", kind.as_ref().map(baton_core::Kind::as_str))?
        && is_or_any("parent_task_id", parent.as_ref().map(TaskId::as_str))?
        && is_or_any("context_id", filter.context.as_ref().map(ContextId::as_str))?)
}

fn is_shown(row: &Row<'_>, reach: &TaskReach) -> Result<bool, Error> {
    if *reach == TaskReach::Network {
        return Ok(true);
    }
    let from = principal(row, "from_kind", "from_name")?;
    let to = parsed(row, "to_name", |text| Alias::parse(text).ok())?;
    Ok(reach.shows(Parties { from: &from, to: &to }))
}

/// Whether a task's text or result has this in it, in whatever case; takes what it reads off `bytes`.
fn has_text(rows: &Rows<'_>, seq: i64, text: &str, bytes: &mut usize) -> Result<bool, Error> {
    const TEXTS: &str = "SELECT content, result FROM tasks WHERE seq = ?1";
    let mut has_text = false;
    rows.each_row(TEXTS, [seq], |row| {
        for column in ["content", "result"] {
            let Some(said) = column_text(row, column)? else { continue };
            *bytes = bytes.saturating_sub(said.len());
            if said.to_lowercase().contains(text) {
                has_text = true;
                break;
            }
        }
        Ok(ControlFlow::Break(()))
    })?;
    Ok(has_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{
        AccountReads, CompletionFilter, DeliveryReads, EventFilter, MessageFilter, PageBounds,
    };
    use crate::rows::{SessionReads, TaskFilter};
    use crate::sqlite::{connection, plans, upgrade};
    use baton_core::{UserId, hex};

    const NETWORKS: usize = 2_000;

    /// A user with many networks, each with two tasks of different status and what belongs to them.
    fn database(folder: &std::path::Path) -> rusqlite::Connection {
        let mut database = connection::open_writer(&folder.join("hub.db")).unwrap();
        upgrade::migrate(&mut database).unwrap();
        database
            .execute_batch(
                "PRAGMA foreign_keys = OFF; BEGIN;
                 WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n LIMIT 2000)
                 INSERT INTO members SELECT printf('net_%012x', n), 'u_000000000000', 'owner', 0, NULL FROM n;
                 INSERT INTO network_keys (network_id) SELECT network_id FROM members;
                 INSERT INTO tasks (task_id, network, from_kind, from_name, to_name, kind, priority, status, content,
                     attempt, max_attempts, ttl_seconds, created_at, delivered_at, expires_at, salt, inbox_state,
                     inbox_place, answered_bare)
                 SELECT printf('%08x-0000-7000-8000-%s', s.key, substr(k.network_id, 5)), k.key, 'user', 'ada', 'bob',
                     'task', 1, s.value, 'text', 1, 3, 60, 5, 5, 5, x'', 0, 0, 0
                 FROM network_keys k, json_each('[\"delivered\",\"running\"]') s;
                 UPDATE tasks SET inbox_place = seq;
                 INSERT INTO task_counts SELECT k.network_id, status, COUNT(*) FROM tasks
                     JOIN network_keys k ON k.key = tasks.network GROUP BY network, status;
                 UPDATE tasks SET last_event = seq;
                 INSERT INTO task_events (place, task, n, to_status, actor_kind, actor, detail, created_at, number)
                 SELECT network << 40 | seq, seq, 1, status, 'user', 'ada', '', 0, seq FROM tasks;
                 INSERT INTO completions (network_id, session_name, task_id, task, result, completed_at)
                 SELECT k.network_id, 'bob', task_id, '', '', 5 FROM tasks JOIN network_keys k ON k.key = tasks.network;
                 COMMIT;",
            )
            .unwrap();
        database
    }

    #[test]
    fn a_page_over_thousands_of_networks_costs_a_few_statements_a_network_and_a_few_a_row() {
        let folder = tempfile::tempdir().unwrap();
        let connection = database(folder.path());
        let rows = Rows::new(&connection);
        let user = UserId::parse(&format!("u_{}", hex::encode(&[0; 6]))).unwrap();
        let memberships = rows.membership_roles(&user).unwrap();
        assert_eq!(memberships.len(), NETWORKS);
        let networks: Vec<_> =
            memberships.into_iter().map(|(network, _)| (network, TaskReach::Network)).collect();
        let (page, since) = (PageBounds::rows(50), UnixMillis::new(0));
        let tasks = TaskFilter { networks: networks.clone(), page, ..TaskFilter::default() };
        let of = |networks| CompletionFilter { networks, session: None, since, before: None, page };
        let (completions, networks_of) = (of(networks.clone()), networks.clone());
        let messages = MessageFilter { networks: networks.clone(), since, before: None, page };
        let events = EventFilter { networks, page, ..EventFilter::default() };
        let named = TaskSearch {
            filter: TaskFilter { networks: networks_of, page, ..TaskFilter::default() },
            kind: Some(baton_core::Kind::parse("task").unwrap()),
            examined_rows: limits::SEARCH_EXAMINED_COUNT,
            ..TaskSearch::default()
        };
        let lists: [(&str, usize, &dyn Fn() -> usize); 5] = [
            ("tasks", 4, &|| rows.tasks(&tasks).unwrap().rows.len()),
            ("a search", 4, &|| rows.search_tasks(&named).unwrap().rows.len()),
            ("completions", 1, &|| rows.completions(&completions).unwrap().rows.len()),
            ("messages", 6, &|| rows.messages(&messages).unwrap().rows.len()),
            ("events", 2, &|| rows.events(&events).unwrap().rows.len()),
        ];
        for (list, per_network, read) in lists {
            let before = plans::STATEMENTS.get();
            assert_eq!(read(), page.rows, "{list}");
            let statements = plans::STATEMENTS.get() - before;
            let most = per_network * NETWORKS + 4 * page.rows;
            assert!(statements <= most, "{list}: {statements} statements, at most {most}");
        }
    }

    #[test]
    fn whoever_has_one_network_or_several_is_told_apart_by_two_rows() {
        let folder = tempfile::tempdir().unwrap();
        let connection = database(folder.path());
        let user = UserId::parse(&format!("u_{}", hex::encode(&[0; 6]))).unwrap();
        assert_eq!(Rows::new(&connection).some_memberships(&user, 2).unwrap().len(), 2);
    }
}
