//! List tasks, newest first. A page ends early where its rows have enough bytes, or enough rows were looked at: it may
//! be short, or empty, and still have a next one.

use baton_core::{Caller, Kind, NetworkId, Status, TaskId, limits};
use baton_store::Snapshot;
use baton_store::rows::{PageBounds, TaskFilter, TaskSearch, TaskTexts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::network_ref::VisibleNetworks;
use super::page::Cursors;
use super::task_view::{StatusCount, TaskView};
use super::{Error, page, wire_time};
use crate::hub::Hub;

/// Whose cursors these are; the tool's and the route's are the same.
const LIST: &str = "tasks";

/// Which tasks.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// Only tasks to this agent
    alias: Option<String>,
    /// Only tasks with this status
    status: Option<String>,
    /// Only tasks from this sender
    from_name: Option<String>,
    /// The network; all of yours by default
    network_id: Option<String>,
    /// 20 by default
    #[schemars(range(min = 1, max = limits::TASK_LIST_MAX))]
    limit: Option<i64>,
    /// next_cursor of the page before
    cursor: Option<String>,
}

/// The query of `GET /api/tasks`.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    pub task_id: Option<String>,
    /// Several, with commas between them.
    pub task_ids: Option<String>,
    pub status: Option<String>,
    pub to_name: Option<String>,
    pub from_name: Option<String>,
    /// The network; without it, all of the caller's
    pub network_id: Option<String>,
    /// 50 by default
    #[param(value_type = Option<u32>)]
    pub limit: Option<String>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
    pub kind: Option<String>,
    /// Part of the sender's name
    pub from: Option<String>,
    /// Part of the recipient's name
    pub to: Option<String>,
    /// Words in the task or its result
    pub text: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS` in UTC, or RFC 3339; of its creation
    pub since: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS` in UTC, or RFC 3339; of its creation
    pub until: Option<String>,
    pub parent_task_id: Option<String>,
    /// `row` for the short form.
    pub view: Option<String>,
}

/// A page.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tasks {
    ok: bool,
    tasks: Vec<TaskView>,
    count: usize,
    stats: Vec<StatusCount>,
    next_cursor: Option<String>,
}

/// Lists, by the tool's arguments.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Tasks, Error> {
    let cursors = page::cursors(hub, caller, LIST);
    let filter = TaskFilter {
        status: status(args.status.as_deref())?,
        to_name: args.alias,
        from_name: args.from_name,
        before: cursors.open(args.cursor.as_deref())?,
        page: PageBounds::of_tool(page::limit(args.limit, limits::TASK_LIST_DEFAULT, limits::TASK_LIST_MAX)?),
        texts: TaskTexts::Listed,
        ..TaskFilter::default()
    };
    let search = TaskSearch { filter, ..TaskSearch::default() };
    list(hub, caller, args.network_id, search, cursors).await
}

/// Lists, by the query.
pub async fn run_on_query(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Tasks, Error> {
    let cursors = page::cursors(hub, caller, LIST);
    let filter = TaskFilter {
        status: status(args.status.as_deref())?,
        to_name: args.to_name,
        from_name: args.from_name,
        before: cursors.open(args.cursor.as_deref())?,
        page: PageBounds::rows(page::limit_text(
            args.limit.as_deref(),
            limits::TASK_PAGE_DEFAULT,
            limits::TASK_PAGE_MAX,
        )?),
        texts: texts(args.view.as_deref())?,
        ..TaskFilter::default()
    };
    let named = |text: Option<String>| text.filter(|text| !text.is_empty());
    let mut search = TaskSearch {
        filter,
        ids: ids(args.task_id.as_deref(), args.task_ids.as_deref())?,
        kind: named(args.kind).map(|kind| Kind::parse(&kind)).transpose().map_err(Error::of_argument)?,
        text: named(args.text).map(|text| searched("text", text)).transpose()?,
        from: named(args.from).map(|part| searched("from", part)).transpose()?,
        to: named(args.to).map(|part| searched("to", part)).transpose()?,
        since: wire_time::argument("since", args.since.as_deref())?,
        until: wire_time::argument("until", args.until.as_deref())?,
        parent: named(args.parent_task_id).as_deref().map(parent).transpose()?,
        ..TaskSearch::default()
    };
    if search.ids.is_some() {
        // There are never more than a page of them.
        search.filter.page = PageBounds::rows(limits::TASK_PAGE_MAX);
    }
    list(hub, caller, args.network_id, search, cursors).await
}

fn texts(view: Option<&str>) -> Result<TaskTexts, Error> {
    match view {
        None => Ok(TaskTexts::Listed),
        Some("row") => Ok(TaskTexts::Beginning),
        Some(_) => Err(Error::argument("view", "must be row")),
    }
}

/// The named tasks; a text that is not an id names none. With both filters, the tasks that match both.
fn ids(one: Option<&str>, several: Option<&str>) -> Result<Option<Vec<TaskId>>, Error> {
    let names = |text: &str| text.split(',').count();
    if several.is_some_and(|text| names(text) > limits::TASK_PAGE_MAX) {
        let rule = format!("must be at most {} ids", limits::TASK_PAGE_MAX);
        return Err(Error::argument("task_ids", rule));
    }
    let parsed = |text: &str| text.split(',').filter_map(|id| TaskId::parse(id.trim())).collect::<Vec<_>>();
    Ok(match (one.map(TaskId::parse), several.map(parsed)) {
        (None, several) => several,
        (Some(one), None) => Some(one.into_iter().collect()),
        (Some(one), Some(several)) => {
            Some(several.into_iter().filter(|id| Some(id) == one.as_ref()).collect())
        }
    })
}

fn searched(field: &'static str, text: String) -> Result<String, Error> {
    if text.chars().count() > limits::SEARCH_TEXT_MAX_CHARS {
        let rule = format!("must be at most {} characters", limits::SEARCH_TEXT_MAX_CHARS);
        return Err(Error::argument(field, rule));
    }
    Ok(text)
}

fn parent(id: &str) -> Result<TaskId, Error> {
    TaskId::parse(id).ok_or_else(|| Error::argument("parent_task_id", "must be a task's id"))
}

fn status(name: Option<&str>) -> Result<Option<Status>, Error> {
    let names = || Status::ALL.iter().map(|status| status.as_str()).collect::<Vec<_>>().join(", ");
    let parse = |name| {
        Status::parse(name).ok_or_else(|| Error::argument("status", format!("must be one of {}", names())))
    };
    name.map(parse).transpose()
}

/// Whether texts or rows are looked at that no index leads to.
fn is_searched(search: &TaskSearch) -> bool {
    let TaskSearch { kind, text, from, to, since, until, .. } = search;
    [text, from, to].into_iter().any(Option::is_some) || kind.is_some() || since.is_some() || until.is_some()
}

async fn list(
    hub: &Hub,
    caller: &Caller,
    network_id: Option<String>,
    mut search: TaskSearch,
    cursors: Cursors,
) -> Result<Tasks, Error> {
    search.examined_rows = limits::SEARCH_EXAMINED_COUNT;
    search.examined_bytes = limits::SEARCH_EXAMINED_BYTES;
    let asker = caller.clone();
    let is_searched = is_searched(&search);
    let look = move |rows: &dyn Snapshot| -> Result<_, Error> {
        let reach = VisibleNetworks::of(rows, &asker, network_id.as_deref())?;
        let mut search = search.clone();
        search.filter.networks = reach.networks.clone();
        let page = rows.search_tasks(&search)?.map(TaskView::listed);
        let stats = stats(rows, reach.networks.iter().map(|(network, _)| network))?;
        let (count, next_cursor) = (page.rows.len(), cursors.next(page.next));
        Ok((reach, Tasks { ok: true, count, tasks: page.rows, stats, next_cursor }))
    };
    let store = hub.store_for(caller);
    let (reach, answer) = if is_searched { store.scan(look).await? } else { store.read(look).await? };
    reach.write_down(hub, caller, "tasks").await?;
    Ok(answer)
}

/// How many tasks of each status the networks have, from the counters.
pub fn stats<'a>(
    rows: &dyn Snapshot,
    networks: impl Iterator<Item = &'a NetworkId>,
) -> Result<Vec<StatusCount>, Error> {
    let mut sums = vec![0; Status::ALL.len()];
    for network in networks {
        for (status, count) in rows.task_counts(network)? {
            if let Some(index) = Status::ALL.iter().position(|other| *other == status) {
                sums[index] += count;
            }
        }
    }
    let counts = Status::ALL.iter().zip(sums).filter(|(_, count)| *count != 0);
    Ok(counts.map(|(status, count)| StatusCount { status: *status, count }).collect())
}
