//! The history of tasks, newest first.

use baton_core::{ActorToken, Caller, NetworkId, Refusal, Status, TaskId, limits};
use baton_store::rows::{EventFilter, EventRow, Page, PageBounds};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::network_ref::VisibleNetworks;
use super::wire_time::WireTime;
use super::{Error, audit, get_task, page};
use crate::hub::Hub;

/// Whose history.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// Only of this task
    pub task_id: Option<String>,
    /// The network; without it, all of the caller's
    pub network_id: Option<String>,
    /// 50 by default
    #[param(value_type = Option<u32>)]
    pub limit: Option<String>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

/// The events.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskEvents {
    ok: bool,
    events: Vec<EventView>,
    count: usize,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaskEvent)]
struct EventView {
    /// Grows from event to event of a network
    id: i64,
    task_id: TaskId,
    n: i64,
    from_status: Option<Status>,
    to_status: Status,
    actor: String,
    /// Which token acted, by a name that stays the same within the network; null for the hub itself and for events
    /// from before tokens were recorded.
    actor_token: Option<ActorToken>,
    detail: String,
    created_at: WireTime,
    network_id: NetworkId,
    /// Since 1970: what lies between two events is often less than the wire's second.
    created_at_ms: i64,
}

impl From<EventRow> for EventView {
    fn from(row: EventRow) -> Self {
        Self {
            id: row.number,
            task_id: row.task_id,
            n: row.n,
            from_status: row.from_status,
            to_status: row.to_status,
            actor: row.actor.name().to_owned(),
            actor_token: row.actor_token,
            detail: row.detail,
            created_at: WireTime(row.created_at),
            network_id: row.network_id,
            created_at_ms: row.created_at.get(),
        }
    }
}

/// Lists events: of one task, or of all the caller may see.
pub async fn run(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<TaskEvents, Error> {
    let limit = page::limit_text(args.limit.as_deref(), limits::EVENT_PAGE_DEFAULT, limits::EVENT_PAGE_MAX)?;
    let cursors = page::cursors(hub, caller, "task events");
    let filter = EventFilter {
        page: PageBounds::rows(limit),
        before: cursors.open(args.cursor.as_deref())?,
        ..EventFilter::default()
    };
    let page = match &args.task_id {
        Some(task) => of_task(hub, caller, task, args.network_id, filter).await?,
        None => of_networks(hub, caller, args.network_id, filter).await?,
    };
    let page = page.map(EventView::from);
    Ok(TaskEvents {
        ok: true,
        count: page.rows.len(),
        events: page.rows,
        next_cursor: cursors.next(page.next),
    })
}

async fn of_task(
    hub: &Hub,
    caller: &Caller,
    task: &str,
    network_id: Option<String>,
    filter: EventFilter,
) -> Result<Page<EventRow>, Error> {
    let id = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let asker = caller.clone();
    let (network, is_audited, events) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let (task, is_audited) = get_task::visible(rows, &asker, &id)?;
            let network = task.snapshot.network_id;
            if network_id.as_ref().is_some_and(|named| named != network.as_str()) {
                return Err(Refusal::TaskNotFound.into());
            }
            Ok((network, is_audited, rows.events(&EventFilter { task: Some(id.clone()), ..filter.clone() })?))
        })
        .await?;
    if is_audited {
        audit::network_read(hub, caller, network, "task events").await?;
    }
    Ok(events)
}

async fn of_networks(
    hub: &Hub,
    caller: &Caller,
    network_id: Option<String>,
    filter: EventFilter,
) -> Result<Page<EventRow>, Error> {
    let asker = caller.clone();
    let (reach, events) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let reach = VisibleNetworks::of(rows, &asker, network_id.as_deref())?;
            let events = rows.events(&EventFilter { networks: reach.networks.clone(), ..filter.clone() })?;
            Ok((reach, events))
        })
        .await?;
    reach.write_down(hub, caller, "task events").await?;
    Ok(events)
}
