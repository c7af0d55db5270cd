//! Counts of tasks, sessions and agents, and the latest tasks.

use baton_core::{Caller, limits};
use baton_store::rows::{PageBounds, TaskFilter, TaskTexts};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::network_ref::VisibleNetworks;
use super::statuses::{self, SessionCount};
use super::task_view::{StatusCount, TaskView};
use super::{Error, list_tasks};
use crate::hub::Hub;

/// Of which network.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; without it, all of the caller's
    pub network_id: Option<String>,
}

/// The counts.
#[derive(Debug, Serialize, ToSchema)]
pub struct Stats {
    ok: bool,
    tasks: Tasks,
    sessions: Sessions,
    nodes: Nodes,
    recent_tasks: Vec<TaskView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatsOfTasks)]
struct Tasks {
    total: i64,
    by_status: Vec<StatusCount>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatsOfSessions)]
struct Sessions {
    by_status: Vec<SessionCount>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatsOfNodes)]
struct Nodes {
    total: i64,
}

/// Counts.
pub async fn run(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Stats, Error> {
    let sessions = statuses::by_status(hub, caller, args.network_id.clone()).await?;
    let asker = caller.clone();
    hub.store_for(caller)
        .read(move |rows| {
            let reach = VisibleNetworks::of(rows, &asker, args.network_id.as_deref())?;
            let by_status = list_tasks::stats(rows, reach.networks.iter().map(|(network, _)| network))?;
            let mut nodes = 0;
            for (network, _) in &reach.networks {
                nodes += rows.alias_count(network)?;
            }
            let recent = rows.tasks(&TaskFilter {
                networks: reach.networks,
                page: PageBounds::rows(limits::RECENT_TASKS_COUNT),
                texts: TaskTexts::Listed,
                ..TaskFilter::default()
            })?;
            Ok(Stats {
                ok: true,
                tasks: Tasks { total: by_status.iter().map(|counted| counted.count).sum(), by_status },
                sessions: Sessions { by_status: sessions.clone() },
                nodes: Nodes { total: nodes },
                recent_tasks: recent.map(TaskView::listed).rows,
            })
        })
        .await
}
