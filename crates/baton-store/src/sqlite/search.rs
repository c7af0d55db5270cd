//! Tasks by what no index has: their kind, their texts, when they were made, or several things at once. The rows of the
//! best index there is are walked newest first, a bounded way; where the way ends, the next page begins. Texts are
//! only read of rows that are meant otherwise, so many bytes in all.

use baton_core::access::TaskReach;
use baton_core::{Alias, NetworkId, Parties, Status, TaskId, UnixMillis, limits};
use rusqlite::{Row, params};
use std::ops::Range;

use super::columns::{get, parsed, principal};
use super::plans;
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{FigureReads, SearchPage, TaskSearch};

/// However many indexes are walked, each goes at least so far: a search always gets somewhere.
const LEAST_ROWS: usize = 64;

/// Rows to walk: those of an index with this value, in a network as far as the caller reaches.
struct Source<'s> {
    network: &'s NetworkId,
    reach: &'s TaskReach,
    index: &'static str,
    column: &'static str,
    value: &'s str,
}

/// What was come to.
#[derive(Default)]
struct Looked {
    /// The places of what was found.
    found: Vec<i64>,
    /// The last place that was looked at, if it was not the end.
    stopped_at: Option<i64>,
}

pub(super) fn page(rows: &Rows<'_>, search: &TaskSearch) -> Result<SearchPage, Error> {
    let mut looked = match &search.ids {
        Some(ids) => named(rows, search, ids)?,
        None => walked(rows, search)?,
    };
    looked.found.sort_unstable_by_key(|seq| std::cmp::Reverse(*seq));
    looked.found.dedup();
    if let Some(text) = &search.text {
        let bytes = if search.ids.is_some() { usize::MAX } else { search.examined_bytes };
        looked = looked.with_text(rows, &text.to_lowercase(), bytes, search.filter.limit)?;
    }
    let Looked { mut found, stopped_at } = looked;
    let has_more = found.len() > search.filter.limit;
    found.truncate(search.filter.limit);
    let next = if has_more { found.last().copied() } else { stopped_at };
    let tasks =
        found.iter().map(|seq| rows.task_at(*seq, search.filter.texts)).collect::<Result<Vec<_>, _>>()?;
    Ok(SearchPage { tasks: tasks.into_iter().flatten().collect(), next })
}

/// Those that are meant among these.
fn named(rows: &Rows<'_>, search: &TaskSearch, ids: &[TaskId]) -> Result<Looked, Error> {
    let sql = format!("SELECT {} FROM tasks WHERE task_id = ?1", columns(search));
    let mut looked = Looked::default();
    for id in ids {
        let meant = rows.one(&sql, [id.as_str()], |row| {
            let network = parsed(row, "network_id", NetworkId::parse)?;
            let reach = search.filter.networks.iter().find(|(reached, _)| *reached == network);
            let is_meant = reach.map_or(Ok(false), |(_, reach)| is_meant(search, row, reach))?;
            Ok(is_meant.then_some(get::<i64>(row, "seq")?))
        })?;
        looked.found.extend(meant.flatten());
    }
    Ok(looked)
}

/// Those that are meant, texts aside, as far as every walk came.
fn walked(rows: &Rows<'_>, search: &TaskSearch) -> Result<Looked, Error> {
    let places = places(rows, search)?;
    let sources = sources(search);
    let share = (search.examined_rows / sources.len().max(1)).max(LEAST_ROWS);
    let mut all = Looked::default();
    for source in &sources {
        let walked = walk(rows, search, source, &places, share)?;
        all.found.extend(walked.found);
        all.stopped_at = all.stopped_at.max(walked.stopped_at);
    }
    // Below the highest stop, some walk has not looked yet.
    all.found.retain(|seq| all.stopped_at.is_none_or(|stop| *seq >= stop));
    Ok(all)
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
fn sources(search: &TaskSearch) -> Vec<Source<'_>> {
    let filter = &search.filter;
    let mut sources = Vec::new();
    for (network, reach) in &filter.networks {
        let mut add = |index, column, value| sources.push(Source { network, reach, index, column, value });
        match (&search.parent, &filter.to_name, &filter.from_name, filter.status, reach) {
            (Some(parent), ..) => add("tasks_by_parent", "parent_task_id", parent.as_str()),
            (_, Some(to), ..) => add("tasks_by_recipient", "to_name", to),
            (_, _, Some(from), ..) => add("tasks_by_sender", "from_name", from),
            (.., TaskReach::Own(alias)) => {
                add("tasks_by_recipient", "to_name", alias.as_str());
                add("tasks_by_sender", "from_name", alias.as_str());
            }
            (_, _, _, Some(status), _) => add("tasks_by_status", "status", status.as_str()),
            _ => Status::ALL.iter().for_each(|status| add("tasks_by_status", "status", status.as_str())),
        }
    }
    sources
}

fn walk(
    rows: &Rows<'_>,
    search: &TaskSearch,
    source: &Source<'_>,
    places: &Range<i64>,
    share: usize,
) -> Result<Looked, Error> {
    let (Source { index, column, .. }, columns) = (source, columns(search));
    let sql = format!(
        "SELECT {columns} FROM tasks INDEXED BY {index}
         WHERE network_id = ?1 AND {column} = ?2 AND seq >= ?3 AND seq < ?4 ORDER BY seq DESC LIMIT ?5"
    );
    plans::check(rows.connection, &sql);
    let mut statement = rows.connection.prepare_cached(&sql)?;
    let parameters = params![source.network.as_str(), source.value, places.start, places.end, share as i64];
    let mut walking = statement.query(parameters)?;
    let mut looked = Looked::default();
    let mut examined = 0;
    while let Some(row) = walking.next()? {
        let seq = get(row, "seq")?;
        if is_meant(search, row, source.reach)? {
            looked.found.push(seq);
        }
        examined += 1;
        // How many of these have the text is not known yet.
        let is_full = search.text.is_none() && looked.found.len() > search.filter.limit;
        if examined == share || is_full {
            looked.stopped_at = Some(seq);
            break;
        }
    }
    Ok(looked)
}

/// What a row is asked for. Those that stand behind its texts are a long way to go, and are left out where nothing
/// asks for them.
fn columns(search: &TaskSearch) -> String {
    let is_timed = search.since.is_some() || search.until.is_some();
    let created_at = if is_timed { "created_at" } else { "0 AS created_at" };
    let parent = if search.parent.is_some() { "parent_task_id" } else { "NULL AS parent_task_id" };
    format!("seq, network_id, from_kind, from_name, to_name, kind, status, {created_at}, {parent}")
}

/// Whether a row is meant, its texts aside.
fn is_meant(search: &TaskSearch, row: &Row<'_>, reach: &TaskReach) -> Result<bool, Error> {
    let TaskSearch { filter, kind, since, until, parent, .. } = search;
    let is_or_any = |column: &str, value: Option<&str>| match value {
        Some(value) => Ok::<_, Error>(row.get_ref(column)?.as_str().ok() == Some(value)),
        None => Ok(true),
    };
    let made_at = UnixMillis::new(get(row, "created_at")?);
    Ok(is_shown(row, reach)?
        && since.is_none_or(|since| made_at >= since)
        && until.is_none_or(|until| made_at < until)
        && is_or_any("status", filter.status.map(Status::as_str))?
        && is_or_any("to_name", filter.to_name.as_deref())?
        && is_or_any("from_name", filter.from_name.as_deref())?
        && is_or_any("kind", kind.as_ref().map(baton_core::Kind::as_str))?
        && is_or_any("parent_task_id", parent.as_ref().map(TaskId::as_str))?)
}

fn is_shown(row: &Row<'_>, reach: &TaskReach) -> Result<bool, Error> {
    if *reach == TaskReach::Network {
        return Ok(true);
    }
    let from = principal(row, "from_kind", "from_name")?;
    let to = parsed(row, "to_name", |text| Alias::parse(text).ok())?;
    Ok(reach.shows(Parties { from: &from, to: &to }))
}

impl Looked {
    /// Those with a text in them, newest first, until a page is full or so many bytes were read.
    fn with_text(self, rows: &Rows<'_>, text: &str, mut bytes: usize, limit: usize) -> Result<Self, Error> {
        let mut with = Self { found: Vec::new(), stopped_at: self.stopped_at };
        for seq in self.found {
            if has_text(rows, seq, text, &mut bytes)? {
                with.found.push(seq);
            }
            if bytes == 0 || with.found.len() > limit {
                with.stopped_at = Some(seq);
                break;
            }
        }
        Ok(with)
    }
}

/// Whether a task's text or result has this in it, in whatever case; takes what it reads off `bytes`.
fn has_text(rows: &Rows<'_>, seq: i64, text: &str, bytes: &mut usize) -> Result<bool, Error> {
    const TEXTS: &str = "SELECT content, result FROM tasks WHERE seq = ?1";
    plans::check(rows.connection, TEXTS);
    let mut statement = rows.connection.prepare_cached(TEXTS)?;
    let mut found = statement.query([seq])?;
    let Some(row) = found.next()? else { return Ok(false) };
    for column in ["content", "result"] {
        let Some(said) = row.get_ref(column)?.as_str_or_null().ok().flatten() else { continue };
        *bytes = bytes.saturating_sub(said.len());
        if said.to_lowercase().contains(text) {
            return Ok(true);
        }
    }
    Ok(false)
}
