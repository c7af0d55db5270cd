//! Lists artifacts, newest first: those of a network, or those that a task refers to.

use baton_core::access::TaskReach;
use baton_core::{Action, Caller, Principal, Refusal, TaskId, limits};
use baton_store::Snapshot;
use baton_store::rows::PageBounds;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::ArtifactView;
use crate::hub::Hub;
use crate::service::network_ref::NetworkRef;
use crate::service::page;
use crate::service::{Error, audit, get_task};

/// Which artifacts.
#[derive(Debug, Clone, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; needed unless the token has only one, or `task_id` is given
    pub network_id: Option<String>,
    /// Only what this task, its messages and its reply refer to
    pub task_id: Option<String>,
    /// 100 by default
    #[param(value_type = Option<u32>)]
    pub limit: Option<String>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

/// A page of artifacts.
#[derive(Debug, Serialize, ToSchema)]
pub struct Artifacts {
    ok: bool,
    artifacts: Vec<ArtifactView>,
    next_cursor: Option<String>,
}

pub async fn run(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Artifacts, Error> {
    let limit =
        page::limit_text(args.limit.as_deref(), limits::ARTIFACT_PAGE_DEFAULT, limits::OTHER_PAGE_MAX)?;
    let bounds = PageBounds::rows(limit);
    let (list, task) = match args.task_id.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => ("artifacts of a task", Some(TaskId::parse(id).ok_or(Refusal::TaskNotFound)?)),
        None => ("artifacts", None),
    };
    let cursors = page::cursors(hub, caller, list);
    let before = cursors.open(args.cursor.as_deref())?;
    let (asker, place) = (caller.clone(), NetworkRef::of_write(args.network_id.as_deref()));
    let read = hub.store_for(caller).read(move |rows| match &task {
        Some(task) => of_task(rows, &asker, task, before, bounds),
        None => of_network(rows, &asker, &place, before, bounds),
    });
    let Found { artifacts, next, audited } = read.await?;
    audit::network_read(hub, caller, audited, "artifacts").await?;
    Ok(Artifacts { ok: true, artifacts, next_cursor: cursors.next(next) })
}

struct Found {
    artifacts: Vec<ArtifactView>,
    next: Option<i64>,
    /// The network, if that look is to be recorded.
    audited: Option<baton_core::NetworkId>,
}

fn of_task(
    rows: &dyn Snapshot,
    caller: &Caller,
    task: &TaskId,
    before: Option<i64>,
    bounds: PageBounds,
) -> Result<Found, Error> {
    let (task, is_audited) = get_task::visible(rows, caller, task)?;
    let page = rows.newest_artifact_refs(task.seq, before, bounds)?.map(ArtifactView::from);
    let audited = is_audited.then_some(task.snapshot.network_id);
    Ok(Found { artifacts: page.rows, next: page.next, audited })
}

fn of_network(
    rows: &dyn Snapshot,
    caller: &Caller,
    place: &NetworkRef,
    before: Option<i64>,
    bounds: PageBounds,
) -> Result<Found, Error> {
    let permitted = place.permit_read(rows, caller, Action::ReadNetwork)?;
    let uploader = match permitted.reach()? {
        TaskReach::Network => None,
        TaskReach::Own(alias) => Some(Principal::Node(alias)),
    };
    let page =
        rows.artifacts(permitted.network(), uploader.as_ref(), before, bounds)?.map(ArtifactView::from);
    let audited = permitted.is_audited().then(|| permitted.into_network());
    Ok(Found { artifacts: page.rows, next: page.next, audited })
}
