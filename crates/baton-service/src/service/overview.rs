//! A network at a glance: its counts, its last hours step by step, and what somebody should look at.

use baton_core::{Caller, Status, UnixMillis, limits};
use baton_store::Snapshot;
use baton_store::rows::{MinuteCounts, minute_begins, minute_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use utoipa::{IntoParams, ToSchema};

use super::attention::{self, Attention};
use super::stamp::Stamp;
use super::task_view::StatusCount;
use super::{Error, WireTime, audit, list_tasks, network_ref, page};
use crate::hub::Hub;

/// Of which network.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
    /// How many hours `minutes` covers; 1 by default
    #[param(value_type = Option<u32>)]
    hours: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Overview {
    ok: bool,
    now: WireTime,
    tasks: Tasks,
    /// How many minutes a step of `minutes` takes: 1 for an hour, more for longer
    step_minutes: i64,
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

/// What happened in a step. The durations are of tasks that were replied to or failed in it, from creation to end,
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
    let span = Span::of(args.hours.as_deref())?;
    let asker = caller.clone();
    let store = hub.store_for(caller);
    let look = move |rows: &dyn Snapshot| -> Result<_, Error> {
        let (network, is_audited) = network_ref::watched(rows, &asker, args.network_id.as_deref())?;
        let by_status = list_tasks::stats(rows, std::iter::once(&network))?;
        let counted = rows.minutes(&network, span.minutes(stamp.time.now))?.into_iter().collect();
        let answer = Overview {
            ok: true,
            now: stamp.time.now.into(),
            step_minutes: span.step,
            minutes: steps(&counted, span, stamp.time.now),
            last_hour: LastHour::of(&counted, stamp.time.now),
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

/// How much the plot covers, in minutes, and how many of them a step takes.
#[derive(Clone, Copy, Debug)]
struct Span {
    covered: i64,
    step: i64,
}

impl Span {
    const HOUR: Self = Self { covered: 60, step: 1 };

    /// So many hours, by the finest step of a round length that keeps the plot short.
    fn of(hours: Option<&str>) -> Result<Self, Error> {
        let hours = page::count_text("hours", hours, 1, limits::OVERVIEW_MAX_HOURS)?;
        let covered = hours as i64 * Self::HOUR.covered;
        let is_short = |step: &i64| covered / step <= limits::OVERVIEW_STEPS_MAX_COUNT as i64;
        let step = [1, 5, 15, 30, 60, 120].into_iter().find(is_short).unwrap_or(covered);
        Ok(Self { covered: (covered + step - 1) / step * step, step })
    }

    /// The minutes it covers: whole steps, of which the last one has this time in it.
    fn minutes(self, now: UnixMillis) -> Range<i64> {
        let end = (minute_of(now).div_euclid(self.step) + 1) * self.step;
        end - self.covered..end
    }
}

/// The steps, oldest first; one in which nothing happened is there too.
fn steps(counted: &BTreeMap<i64, MinuteCounts>, span: Span, now: UnixMillis) -> Vec<Minute> {
    let begins = span.minutes(now).step_by(span.step as usize);
    begins.map(|begin| Minute::new(begin, &sum(counted, begin..begin + span.step))).collect()
}

fn sum(counted: &BTreeMap<i64, MinuteCounts>, minutes: Range<i64>) -> MinuteCounts {
    let mut whole = MinuteCounts::default();
    counted.range(minutes).for_each(|(_, counts)| whole.add(counts));
    whole
}

impl LastHour {
    fn of(counted: &BTreeMap<i64, MinuteCounts>, now: UnixMillis) -> Self {
        let latencies = sum(counted, Span::HOUR.minutes(now)).latencies;
        Self { p50_ms: latencies.percentile(50), p95_ms: latencies.percentile(95) }
    }
}

impl Minute {
    fn new(begin: i64, counts: &MinuteCounts) -> Self {
        Self {
            at: minute_begins(begin).into(),
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
