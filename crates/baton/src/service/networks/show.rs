//! Shows a network and what is in it, in numbers.

use baton_core::{Action, Caller, Refusal, Status};
use baton_store::Snapshot;
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::network_view::NetworkView;
use crate::service::{Error, audit, permit};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NetworkShown)]
pub(crate) struct Answer {
    ok: bool,
    network: NetworkView,
    stats: Stats,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NetworkStats)]
struct Stats {
    nodes: i64,
    sessions: i64,
    tasks: Vec<StatusCount>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NetworkStatusCount)]
struct StatusCount {
    status: Status,
    count: i64,
}

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str) -> Result<Answer, Error> {
    let id = permit::network_id(network_id)?;
    let (reader, shown) = (caller.clone(), id.clone());
    let store = hub.store_for(&caller);
    let show = move |rows: &dyn Snapshot| {
        let role = permit::network(rows, &reader, &shown, Action::ReadNetwork)?;
        let network = rows.network(&shown)?.ok_or(Refusal::NetworkNotFound)?;
        let tasks = rows.task_counts(&shown)?.into_iter();
        let stats = Stats {
            nodes: rows.alias_count(&shown)?,
            sessions: rows.session_count(&shown)?,
            tasks: tasks.map(|(status, count)| StatusCount { status, count }).collect(),
        };
        Ok::<_, Error>((role, Answer { ok: true, network: NetworkView::new(network, role), stats }))
    };
    let (role, answer) = store.read(show).await?;
    audit::foreign_read(hub, &caller, role, &id, "network").await?;
    Ok(answer)
}
