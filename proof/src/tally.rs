//! What came of one measurement: latencies of what went through, and the first thing that did not.

use std::future::Future;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

use super::figures::Speed;
use super::histogram::Histogram;
use super::trouble::Trouble;

/// The outcome of one connection's calls, or of all of them together.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) latencies: Histogram,
    pub(super) errors: u64,
    pub(super) first_error: Option<Trouble>,
    pub(super) elapsed: Duration,
}

impl Tally {
    /// Notes one latency or why there is none, and says whether the connection continues.
    pub(super) fn note(&mut self, outcome: Result<Duration, Trouble>) -> ControlFlow<()> {
        let trouble = match outcome {
            Ok(latency) => {
                self.latencies.record(latency);
                return ControlFlow::Continue(());
            }
            Err(trouble) => trouble,
        };
        let goes_on = trouble.is_passing();
        self.errors += 1;
        self.first_error.get_or_insert(trouble);
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// How fast calls were of which none went wrong.
    pub(super) fn speed(self) -> Result<Speed, Trouble> {
        let per_second = self.latencies.count() as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        let speed = Speed {
            per_second: (per_second * 10.0).round() / 10.0,
            p50_ms: self.latencies.percentile_ms(50),
            p99_ms: self.latencies.percentile_ms(99),
        };
        self.first_error.map_or(Ok(speed), Err)
    }

    fn merge(&mut self, other: Self) {
        self.latencies.merge(&other.latencies);
        self.errors += other.errors;
        self.first_error = self.first_error.take().or(other.first_error);
    }
}

/// Runs the connections side by side until each has ended, and adds up what came of them.
pub(super) async fn together<F>(connections: impl IntoIterator<Item = F>) -> Tally
where
    F: Future<Output = Tally> + Send + 'static,
{
    let begun = Instant::now();
    let mut running: JoinSet<Tally> = connections.into_iter().collect();
    let mut whole = Tally::default();
    while let Some(ended) = running.join_next().await {
        // A connection's task has nothing in it that panics, and nobody aborts it.
        whole.merge(ended.unwrap_or_default());
    }
    whole.elapsed = begun.elapsed();
    whole
}
