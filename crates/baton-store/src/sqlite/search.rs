//! Tasks by what no index has: their kind, their texts, when they were made, or several things at once. The rows of the
//! best index there is are walked newest first, a bounded way; where the way ends, the next page begins.

use baton_core::access::TaskReach;
use baton_core::{NetworkId, Status, TaskId, UnixMillis};
use rusqlite::{Row, params};
use std::ops::Range;

use super::columns::{get, parsed};
use super::plans;
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{FigureReads, SearchPage, TaskReads, TaskSearch};

/// However many indexes are walked, each goes at least so far: a search always gets somewhere.
const LEAST_ROWS: usize = 64;
/// How far the clock may have been set back between two tasks that are found by their time all the same.
const CLOCK_SLACK_MILLIS: i64 = 600_000;

/// Rows to walk: those of an index with this value, in a network as far as the caller reaches.
struct Source<'s> {
    network: &'s NetworkId,
    reach: &'s TaskReach,
    index: &'static str,
    column: &'static str,
    value: &'s str,
}

/// What a walk came to.
struct Walked {
    found: Vec<(i64, TaskId)>,
    /// The last place it looked at, if it did not come to the end.
    stopped_at: Option<i64>,
}

pub(super) fn page(rows: &Rows<'_>, search: &TaskSearch) -> Result<SearchPage, Error> {
    let places = places(rows, search)?;
    let sources = sources(search);
    let share = (search.examined_rows / sources.len().max(1)).max(LEAST_ROWS);
    let mut found = Vec::new();
    let mut stopped_at: Option<i64> = None;
    let wanted = Wanted::new(search);
    for source in &sources {
        let walked = walk(rows, &wanted, source, &places, share)?;
        found.extend(walked.found);
        stopped_at = stopped_at.max(walked.stopped_at);
    }
    // Below the highest stop, some walk has not looked yet.
    found.retain(|(seq, _)| stopped_at.is_none_or(|stop| *seq >= stop));
    found.sort_by_key(|(seq, _)| std::cmp::Reverse(*seq));
    found.dedup();
    let has_more = found.len() > search.filter.limit;
    found.truncate(search.filter.limit);
    let next = if has_more { found.last().map(|(seq, _)| *seq) } else { stopped_at };
    let tasks = found.iter().map(|(_, id)| rows.task(id)).collect::<Result<Vec<_>, _>>()?;
    Ok(SearchPage { tasks: tasks.into_iter().flatten().collect(), next })
}

/// Where tasks of the time asked for can be; whether each is of that time is asked again of its row.
fn places(rows: &Rows<'_>, search: &TaskSearch) -> Result<Range<i64>, Error> {
    let at = |time: UnixMillis, slack: i64| rows.place_of_time(time.plus_millis(slack));
    let first = search.since.map(|since| at(since, -CLOCK_SLACK_MILLIS)).transpose()?;
    let last = search.until.map(|until| at(until, CLOCK_SLACK_MILLIS)).transpose()?;
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
    wanted: &Wanted<'_>,
    source: &Source<'_>,
    places: &Range<i64>,
    share: usize,
) -> Result<Walked, Error> {
    let Source { index, column, .. } = source;
    let texts = if wanted.text.is_some() { "content, result" } else { "'' AS content, '' AS result" };
    let sql = format!(
        "SELECT seq, task_id, from_kind, from_name, to_name, status, kind, created_at, {texts}
         FROM tasks INDEXED BY {index}
         WHERE network_id = ?1 AND {column} = ?2 AND seq >= ?3 AND seq < ?4 ORDER BY seq DESC LIMIT ?5"
    );
    plans::check(rows.connection, &sql);
    let mut statement = rows.connection.prepare_cached(&sql)?;
    let parameters = params![source.network.as_str(), source.value, places.start, places.end, share as i64];
    let mut walking = statement.query(parameters)?;
    let mut walked = Walked { found: Vec::new(), stopped_at: None };
    let (mut examined, mut bytes) = (0, wanted.search.examined_bytes);
    while let Some(row) = walking.next()? {
        let seq = get(row, "seq")?;
        if wanted.lets_through(row, source.reach, &mut bytes)? {
            walked.found.push((seq, parsed(row, "task_id", TaskId::parse)?));
        }
        examined += 1;
        if examined == share || bytes == 0 || walked.found.len() > wanted.search.filter.limit {
            walked.stopped_at = Some(seq);
            break;
        }
    }
    Ok(walked)
}

/// What is asked of each row.
struct Wanted<'s> {
    search: &'s TaskSearch,
    /// In lower case.
    text: Option<String>,
}

impl<'s> Wanted<'s> {
    fn new(search: &'s TaskSearch) -> Self {
        Self { search, text: search.text.as_ref().map(|text| text.to_lowercase()) }
    }

    /// Whether a row is meant; takes what it reads of texts off `bytes`.
    fn lets_through(&self, row: &Row<'_>, reach: &TaskReach, bytes: &mut usize) -> Result<bool, Error> {
        let TaskSearch { filter, kind, since, until, .. } = self.search;
        let is =
            |column: &str, value: &str| Ok::<_, Error>(row.get_ref(column)?.as_str().ok() == Some(value));
        let is_or_any = |column: &str, value: Option<&str>| value.map_or(Ok(true), |value| is(column, value));
        let is_seen = match reach {
            TaskReach::Network => true,
            TaskReach::Own(alias) => {
                is("to_name", alias.as_str())? || is("from_kind", "node")? && is("from_name", alias.as_str())?
            }
        };
        let made_at = UnixMillis::new(get(row, "created_at")?);
        let is_meant = is_seen
            && since.is_none_or(|since| made_at >= since)
            && until.is_none_or(|until| made_at < until)
            && is_or_any("status", filter.status.map(Status::as_str))?
            && is_or_any("to_name", filter.to_name.as_deref())?
            && is_or_any("from_name", filter.from_name.as_deref())?
            && is_or_any("kind", kind.as_ref().map(baton_core::Kind::as_str))?;
        Ok(is_meant && self.text_is_in(row, bytes)?)
    }

    fn text_is_in(&self, row: &Row<'_>, bytes: &mut usize) -> Result<bool, Error> {
        let Some(text) = &self.text else { return Ok(true) };
        for column in ["content", "result"] {
            let Some(said) = row.get_ref(column)?.as_str_or_null().ok().flatten() else { continue };
            *bytes = bytes.saturating_sub(said.len());
            if said.to_lowercase().contains(text) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
