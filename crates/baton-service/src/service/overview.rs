//! A network at a glance: its counts, its last hour by the minute, and what somebody should look at.

use baton_core::{Caller, Latencies, NetworkId, Status, UnixMillis, limits};
use baton_store::Snapshot;
use baton_store::rows::{MinuteCounts, minute_begins, minute_of};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::{IntoParams, ToSchema};

use super::attention::{self, Attention};
use super::stamp::Stamp;
use super::task_view::StatusCount;
use super::{Error, WireTime, audit, list_tasks, network_ref};
use crate::hub::Hub;

/// Of which network.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Overview {
    ok: bool,
    now: WireTime,
    tasks: Tasks,
    minutes: Vec<Minute>,
    last_hour: LastHour,
    attention: Attention,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OverviewOfTasks)]
struct Tasks {
    total: i64,
    /// Tasks that are delivered, acked, running or waiting for input
    open: i64,
    by_status: Vec<StatusCount>,
}

impl Tasks {
    fn new(by_status: Vec<StatusCount>) -> Self {
        let open = by_status.iter().filter(|counted| !counted.status.is_terminal());
        let open = open.map(|counted| counted.count).sum();
        Self { total: by_status.iter().map(|counted| counted.count).sum(), open, by_status }
    }
}

/// How long the tasks took that were replied to or failed in the last hour, from creation to end, within 5 %.
#[derive(Debug, Serialize, ToSchema)]
struct LastHour {
    p50_ms: Option<u64>,
    p95_ms: Option<u64>,
}

/// What happened in a minute. The durations are of tasks that were replied to or failed in it, from creation to end,
/// within 5 %.
#[derive(Debug, Serialize, ToSchema)]
struct Minute {
    at: WireTime,
    sent: i64,
    replied: i64,
    failed: i64,
    cancelled: i64,
    expired: i64,
    p50_ms: Option<u64>,
    p95_ms: Option<u64>,
}

pub async fn run(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Overview, Error> {
    let stamp = Stamp::new(hub);
    let asker = caller.clone();
    let store = hub.store_for(caller);
    let look = move |rows: &dyn Snapshot| -> Result<_, Error> {
        let (network, is_audited) = network_ref::watched(rows, &asker, args.network_id.as_deref())?;
        let by_status = list_tasks::stats(rows, std::iter::once(&network))?;
        let (minutes, last_hour) = minutes(rows, &network, stamp.time.now)?;
        let answer = Overview {
            ok: true,
            now: stamp.time.now.into(),
            minutes,
            last_hour,
            attention: attention::of_network(rows, &stamp, &network, &by_status)?,
            tasks: Tasks::new(by_status),
        };
        Ok((network, is_audited, answer))
    };
    let (network, is_audited, answer) = store.read(look).await?;
    if is_audited {
        audit::network_read(hub, caller, network, "overview").await?;
    }
    Ok(answer)
}

/// The last hour, oldest first, and how long its tasks took; a minute in which nothing happened is there too.
fn minutes(
    rows: &dyn Snapshot,
    network: &NetworkId,
    now: UnixMillis,
) -> Result<(Vec<Minute>, LastHour), Error> {
    let end = minute_of(now) + 1;
    let shown = end - limits::OVERVIEW_MINUTES as i64..end;
    let counted: HashMap<i64, MinuteCounts> = rows.minutes(network, shown.clone())?.into_iter().collect();
    let mut latencies = Latencies::default();
    counted.values().for_each(|counts| latencies.add(&counts.latencies));
    let none = MinuteCounts::default();
    let minutes = shown.map(|minute| Minute::new(minute, counted.get(&minute).unwrap_or(&none))).collect();
    let last_hour = LastHour { p50_ms: latencies.percentile(50), p95_ms: latencies.percentile(95) };
    Ok((minutes, last_hour))
}

impl Minute {
    fn new(minute: i64, counts: &MinuteCounts) -> Self {
        Self {
            at: minute_begins(minute).into(),
            sent: counts.sent,
            replied: counts.ends.get(Status::Replied),
            failed: counts.ends.get(Status::Failed),
            cancelled: counts.ends.get(Status::Cancelled),
            expired: counts.ends.get(Status::Expired),
            p50_ms: counts.latencies.percentile(50),
            p95_ms: counts.latencies.percentile(95),
        }
    }
}
