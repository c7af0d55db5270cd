//! How an agent did in the last day: the tasks it was sent in these hours that ended with a result.

use baton_core::{Status, limits};
use baton_store::Snapshot;
use baton_store::rows::{AgentFigures, hour_begins, hour_of};
use serde::Serialize;
use std::ops::Range;
use utoipa::ToSchema;

use crate::service::stamp::Stamp;
use crate::service::{Error, WireTime};

/// The figures of an agent's last day.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentDay)]
pub(super) struct Day {
    /// Tasks sent since then count: whole hours
    since: WireTime,
    /// Tasks that ended with a result: replied and failed
    ended: i64,
    replied: i64,
    failed: i64,
    /// Replied of ended, 0 to 1; null if none ended
    success_rate: Option<f64>,
    /// Half of them took no longer than this, from the send to the end; null if none ended
    p50_seconds: Option<f64>,
}

/// The hours of the last day, as far as they are counted.
pub(super) fn hours(rows: &dyn Snapshot, stamp: &Stamp) -> Result<Range<i64>, Error> {
    let now = stamp.time.now;
    let day_ago = now.plus_millis(-1000 * i64::from(limits::AGENT_SHOWN_SECONDS));
    let end = hour_of(now) + 1;
    Ok(hour_of(day_ago).max(rows.edges_since()?).min(end)..end)
}

impl Day {
    pub(super) fn new(hours: &Range<i64>, figures: Option<&AgentFigures>) -> Self {
        // Only a counter that was damaged is below zero.
        let count = |end| figures.map_or(0, |agent| agent.counts.ends.get(end)).max(0);
        let (replied, failed) = (count(Status::Replied), count(Status::Failed));
        let ended = replied + failed;
        let p50 = figures.filter(|_| ended > 0).and_then(|figures| figures.durations.percentile(50));
        Self {
            since: hour_begins(hours.start).into(),
            ended,
            replied,
            failed,
            success_rate: (ended > 0).then(|| replied as f64 / ended as f64),
            p50_seconds: p50.map(|millis| millis as f64 / 1000.0),
        }
    }

    /// Whether any task ended.
    pub(super) const fn has_ends(&self) -> bool {
        self.ended > 0
    }
}
