//! List tasks, newest first.

use baton_core::{Caller, NetworkId, Status, TaskId, limits};
use baton_store::Snapshot;
use baton_store::rows::{TaskFilter, TaskRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::Reach;
use super::task_view::{StatusCount, TaskView};
use super::{Error, page};
use crate::hub::Hub;

/// Which tasks.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Args {
    /// Only tasks to this agent
    alias: Option<String>,
    status: Option<String>,
    from_name: Option<String>,
    network_id: Option<String>,
    /// 20 by default
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// next_cursor of the page before
    cursor: Option<String>,
}

/// The query of `GET /api/tasks`.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct QueryArgs {
    pub(crate) task_id: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) to_name: Option<String>,
    pub(crate) from_name: Option<String>,
    pub(crate) network_id: Option<String>,
    pub(crate) limit: Option<String>,
    pub(crate) cursor: Option<String>,
}

/// A page.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    ok: bool,
    tasks: Vec<TaskView>,
    count: usize,
    stats: Vec<StatusCount>,
    next_cursor: Option<String>,
}

/// Lists, by the tool's arguments.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let filter = TaskFilter {
        status: status(args.status.as_deref())?,
        to_name: args.alias,
        from_name: args.from_name,
        context: None,
        before: page::cursor(args.cursor.as_deref())?,
        limit: page::limit(args.limit, limits::TASK_LIST_DEFAULT, limits::TASK_LIST_MAX)?,
        networks: Vec::new(),
    };
    list(hub, caller, args.network_id, filter, None).await
}

/// Lists, by the query.
pub(crate) async fn run_on_query(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Answer, Error> {
    let filter = TaskFilter {
        status: status(args.status.as_deref())?,
        to_name: args.to_name,
        from_name: args.from_name,
        context: None,
        before: page::cursor(args.cursor.as_deref())?,
        limit: page::limit_text(args.limit.as_deref(), limits::TASK_PAGE_DEFAULT, limits::TASK_PAGE_MAX)?,
        networks: Vec::new(),
    };
    list(hub, caller, args.network_id, filter, args.task_id).await
}

fn status(name: Option<&str>) -> Result<Option<Status>, Error> {
    let names = || Status::ALL.iter().map(|status| status.as_str()).collect::<Vec<_>>().join(", ");
    let parse = |name| {
        Status::parse(name).ok_or_else(|| Error::argument("status", format!("must be one of {}", names())))
    };
    name.map(parse).transpose()
}

async fn list(
    hub: &Hub,
    caller: &Caller,
    network_id: Option<String>,
    mut filter: TaskFilter,
    task_id: Option<String>,
) -> Result<Answer, Error> {
    let asker = caller.clone();
    let (reach, answer) = hub
        .store
        .read(move |rows| -> Result<_, Error> {
            let reach = Reach::of(rows, &asker, network_id.as_deref())?;
            filter.networks = reach.networks.clone();
            let tasks = match task_id {
                Some(id) => only(rows, &filter, &id)?,
                None => rows.tasks(&filter)?,
            };
            let next = (tasks.len() == filter.limit)
                .then(|| tasks.last().map(|task| task.seq.to_string()))
                .flatten();
            let stats = stats(rows, reach.networks.iter().map(|(network, _)| network))?;
            let tasks: Vec<TaskView> = tasks.into_iter().map(TaskView::from).collect();
            Ok((reach, Answer { ok: true, count: tasks.len(), tasks, stats, next_cursor: next }))
        })
        .await?;
    reach.write_down(hub, caller, "tasks").await?;
    Ok(answer)
}

/// The one task of this id, if the other filters let it through.
fn only(rows: &dyn Snapshot, filter: &TaskFilter, id: &str) -> Result<Vec<TaskRow>, Error> {
    use baton_core::access::TaskReach;
    let Some(id) = TaskId::parse(id) else { return Ok(Vec::new()) };
    let task = rows.task(&id)?.filter(|task| {
        let seen = &task.snapshot;
        let in_reach = filter.networks.iter().any(|(network, reach)| {
            *network == seen.network_id
                && match reach {
                    TaskReach::Network => true,
                    TaskReach::Own(alias) => seen.parties().sent_by(alias) || seen.parties().given_to(alias),
                }
        });
        in_reach
            && filter.status.is_none_or(|status| status == seen.status)
            && filter.to_name.as_ref().is_none_or(|name| name == seen.to.as_str())
            && filter.from_name.as_ref().is_none_or(|name| name == seen.from.name())
    });
    Ok(task.into_iter().collect())
}

/// How many tasks of each status the networks have, from the counters.
pub(crate) fn stats<'a>(
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
