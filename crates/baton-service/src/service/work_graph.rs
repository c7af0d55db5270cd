//! Who sent tasks to whom in a time, from the counters that move with the task rows. They are kept by the hour, so the
//! time is one of whole hours, and reading it costs the same however many tasks there were.

use baton_core::{Caller, NetworkId, PrincipalKind, Status, UnixMillis, limits};
use baton_store::Snapshot;
use baton_store::rows::{EdgeRow, hour_begins, hour_of, minute_begins, minute_of};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use utoipa::{IntoParams, ToSchema};

use super::{Error, WireTime, audit, network_ref, wire_time};
use crate::hub::Hub;

/// Of which network and which time.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS` in UTC, or RFC 3339; a day before `until` by default. Rounded down to the hour
    since: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS` in UTC, or RFC 3339; now by default. Rounded up to the hour
    until: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct WorkGraph {
    ok: bool,
    source: &'static str,
    /// The time that is counted: whole hours, not before counting began
    since: WireTime,
    until: WireTime,
    /// Tasks created in that time
    tasks_read: usize,
    /// Some of these tasks are on no edge: their hour had more than 1,000
    truncated: bool,
    edges: Vec<Edge>,
    /// Edges beyond those shown
    edges_left_out: usize,
    visible_handoffs: VisibleHandoffs,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkEdge)]
struct Edge {
    from_kind: PrincipalKind,
    from_name: String,
    to_name: String,
    #[serde(flatten)]
    ends: Ends,
}

/// What became of an edge's tasks.
#[derive(Debug, Default, Clone, Copy, Serialize, ToSchema)]
#[schema(as = WorkEnds)]
struct Ends {
    open: usize,
    replied: usize,
    failed: usize,
    cancelled: usize,
    expired: usize,
    total: usize,
}

/// Evidence events whose handoff is visible: a count beside the graph, never an edge of it. Counted by whole minutes,
/// from `counted_since` on.
#[derive(Debug, Serialize, ToSchema)]
struct VisibleHandoffs {
    count: i64,
    counted_since: WireTime,
}

pub async fn run(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<WorkGraph, Error> {
    let now = hub.clock.now();
    let until = wire_time::argument("until", args.until.as_deref())?.unwrap_or(now.plus_millis(1));
    let default = until.plus_millis(-1000 * i64::from(limits::GRAPH_SINCE_DEFAULT_SECONDS));
    let since = wire_time::argument("since", args.since.as_deref())?.unwrap_or(default);
    if since >= until {
        return Err(Error::argument("since", "must be before until"));
    }
    let asker = caller.clone();
    let look = move |rows: &dyn Snapshot| -> Result<_, Error> {
        let (network, is_audited) = network_ref::watched(rows, &asker, args.network_id.as_deref())?;
        let hours = Hours::of(since..until, rows.edges_since()?);
        let answer = graph(rows, &network, &hours, hours.time(until, now), now)?;
        Ok((network, is_audited, answer))
    };
    let (network, is_audited, answer) = hub.store_for(caller).read(look).await?;
    if is_audited {
        audit::network_read(hub, caller, network, "work graph").await?;
    }
    Ok(answer)
}

/// The hours that touch a time and are counted; the last one exclusive.
#[derive(Debug, PartialEq, Eq)]
struct Hours(Range<i64>);

impl Hours {
    fn of(time: Range<UnixMillis>, counted_since: i64) -> Self {
        let first = hour_of(time.start).max(counted_since);
        Self(first..(hour_of(time.end.plus_millis(-1)) + 1).max(first))
    }

    /// The time they are. An hour that is not over ends now, or when it was asked to.
    fn time(&self, until: UnixMillis, now: UnixMillis) -> Range<UnixMillis> {
        let end = hour_begins(self.0.end).min(until.max(now.plus_millis(1)));
        hour_begins(self.0.start).min(end)..end
    }
}

fn graph(
    rows: &dyn Snapshot,
    network: &NetworkId,
    hours: &Hours,
    time: Range<UnixMillis>,
    now: UnixMillis,
) -> Result<WorkGraph, Error> {
    let edges = rows.edges(network, hours.0.clone(), limits::GRAPH_EDGES_MAX_COUNT)?;
    Ok(WorkGraph {
        ok: true,
        source: "task rows",
        since: time.start.into(),
        until: time.end.into(),
        tasks_read: count(edges.tasks),
        truncated: edges.tasks_of_no_edge > 0,
        edges: edges.shown.into_iter().map(Edge::from).collect(),
        edges_left_out: count(edges.left_out),
        visible_handoffs: visible_handoffs(rows, network, time, now)?,
    })
}

fn visible_handoffs(
    rows: &dyn Snapshot,
    network: &NetworkId,
    time: Range<UnixMillis>,
    now: UnixMillis,
) -> Result<VisibleHandoffs, Error> {
    let kept = now.plus_millis(-1000 * i64::from(limits::MINUTES_KEPT_SECONDS));
    let counted_since = rows.counted_since()?.max(minute_begins(minute_of(kept)));
    let minutes = minute_of(time.start.max(counted_since))..minute_of(time.end.plus_millis(-1)) + 1;
    let count = rows.minutes(network, minutes)?.iter().map(|(_, counts)| counts.handoffs).sum();
    Ok(VisibleHandoffs { count, counted_since: counted_since.into() })
}

/// A counter as it is shown. Only one that was damaged is below zero.
fn count(counter: i64) -> usize {
    usize::try_from(counter).unwrap_or_default()
}

impl From<EdgeRow> for Edge {
    fn from(row: EdgeRow) -> Self {
        let counts = row.counts;
        Self {
            from_kind: row.from_kind,
            from_name: row.from_name,
            to_name: row.to_name,
            ends: Ends {
                open: count(counts.open),
                replied: count(counts.ends.get(Status::Replied)),
                failed: count(counts.ends.get(Status::Failed)),
                cancelled: count(counts.ends.get(Status::Cancelled)),
                expired: count(counts.ends.get(Status::Expired)),
                total: count(counts.total()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    #[test]
    fn a_time_is_rounded_to_the_hours_it_touches_and_ends_no_later_than_now_or_asked() {
        /// What is asked for, since when edges are counted, the hours, and the time they are.
        type Case = (Range<i64>, i64, Range<i64>, Range<i64>);
        let now = 100 * HOUR + 1_200_000; // 20 minutes into hour 100
        let cases: [Case; 7] = [
            (10 * HOUR..12 * HOUR, 0, 10..12, 10 * HOUR..12 * HOUR),
            (10 * HOUR + 1..12 * HOUR + 1, 0, 10..13, 10 * HOUR..13 * HOUR),
            (76 * HOUR + 1_200_000..now + 1, 0, 76..101, 76 * HOUR..now + 1),
            (76 * HOUR..now - 600_000, 0, 76..101, 76 * HOUR..now + 1),
            (76 * HOUR..now + 60_000, 0, 76..101, 76 * HOUR..now + 60_000),
            (10 * HOUR..12 * HOUR, 11, 11..12, 11 * HOUR..12 * HOUR),
            (10 * HOUR..12 * HOUR, 40, 40..40, 40 * HOUR..40 * HOUR), // nothing of it is counted
        ];
        for (asked, counted_since, hours, time) in cases {
            let at = |range: &Range<i64>| UnixMillis::new(range.start)..UnixMillis::new(range.end);
            let found = Hours::of(at(&asked), counted_since);
            assert_eq!(found, Hours(hours), "{asked:?}");
            assert_eq!(found.time(UnixMillis::new(asked.end), UnixMillis::new(now)), at(&time), "{asked:?}");
        }
    }
}
