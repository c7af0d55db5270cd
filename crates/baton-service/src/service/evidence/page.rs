//! A log's events, in order: of the whole log, or about one task.

use baton_core::{Caller, Refusal, TaskId, limits};
use baton_store::rows::{LeafPage, LeafRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::reader::{Reader, number, task_named};
use crate::hub::Hub;
use crate::service::{Error, page};

/// Which events.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
    /// Only about this task
    task_id: Option<String>,
    /// Only events after this index
    #[param(value_type = Option<u64>)]
    after: Option<String>,
    /// 100 by default
    #[param(value_type = Option<u32>)]
    limit: Option<String>,
}

/// Which task's, for the tool.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The task's id
    task_id: String,
    /// The network; a node token has only its own
    network_id: Option<String>,
    /// Only events after this index in the log
    after: Option<u64>,
    /// 100 by default
    #[schemars(range(min = 1, max = limits::EVIDENCE_PAGE_MAX))]
    limit: Option<i64>,
}

/// The events as the log has them, and how long it is.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceEvents {
    ok: bool,
    #[schema(value_type = Vec<Object>)]
    events: Vec<Box<RawValue>>,
    size: u64,
}

/// Lists events, by a query.
pub async fn run_on_query(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<EvidenceEvents, Error> {
    let limit =
        page::limit_text(args.limit.as_deref(), limits::EVIDENCE_PAGE_DEFAULT, limits::EVIDENCE_PAGE_MAX)?;
    let after = number("after", args.after.as_deref())?;
    list(hub, caller, args.network_id, task_named(args.task_id.as_deref())?, after, limit).await
}

/// Lists a task's events, for the tool.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<EvidenceEvents, Error> {
    let limit = page::limit(args.limit, limits::EVIDENCE_PAGE_DEFAULT, limits::EVIDENCE_PAGE_MAX)?;
    let task = TaskId::parse(&args.task_id).ok_or(Refusal::TaskNotFound)?;
    list(hub, caller, args.network_id, Some(task), args.after, limit).await
}

async fn list(
    hub: &Hub,
    caller: &Caller,
    network_id: Option<String>,
    task: Option<TaskId>,
    after: Option<u64>,
    limit: usize,
) -> Result<EvidenceEvents, Error> {
    let from = after.map_or(0, |after| after.saturating_add(1));
    let bytes = limits::EVIDENCE_PAGE_MAX_BYTES;
    let page = LeafPage { from, to: u64::MAX, limit, bytes, with_packets: false };
    let asker = caller.clone();
    let (reader, leaves, size) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let (reader, leaves) = match &task {
                Some(task) => {
                    let reader = Reader::of_task(rows, &asker, network_id.as_deref(), task)?;
                    let leaves = rows.leaves_of_task(&reader.network, task, page)?;
                    (reader, leaves)
                }
                None => {
                    let reader = Reader::of(rows, &asker, network_id.as_deref())?;
                    reader.sees_all()?;
                    let leaves = rows.leaves(&reader.network, page)?;
                    (reader, leaves)
                }
            };
            let size = rows.log_size(&reader.network)?;
            Ok((reader, leaves, size))
        })
        .await?;
    reader.write_down(hub, caller).await?;
    let events = leaves.into_iter().map(shown).collect::<Result<_, _>>()?;
    Ok(EvidenceEvents { ok: true, events, size })
}

/// The event byte for byte: it is its own leaf.
fn shown(leaf: LeafRow) -> Result<Box<RawValue>, Error> {
    let corrupt = |what: String| baton_store::Error::Corrupt(format!("event {}: {what}", leaf.index));
    let text = String::from_utf8(leaf.event).map_err(|error| corrupt(error.to_string()))?;
    Ok(RawValue::from_string(text).map_err(|error| corrupt(error.to_string()))?)
}
