//! The spans the hub records of itself when it is configured where to send them
//! (`--otlp-endpoint`): one for each request, one for each task's life. Recording never waits: what does not fit into
//! the queue is dropped and counted.

mod collector;
mod endpoint;
mod environment;
pub mod json;
mod sampler;
pub mod span;
pub mod task;

pub use collector::{Collector, Export, Refused};
pub use endpoint::OtlpEndpoint;
pub use environment::of_environment;
pub use sampler::Sampler;

use baton_core::{TaskId, limits};
use baton_store::ChangedTask;
use tokio::sync::{Mutex, mpsc};

use crate::metrics::{Tally, words};
use span::Span;

words!(
    /// What became of a span.
    SpanOutcome {
        Exported = "exported",
        // There was no room for it.
        Dropped = "dropped",
        // The collector did not take it.
        Failed = "failed",
    }
);

/// What is to be exported.
#[derive(Debug)]
pub enum Finished {
    Span(Box<Span>),
    /// Its span is made from its row, by the exporter.
    Task(TaskId),
}

/// The spans of a hub on their way out.
#[derive(Debug)]
pub struct Traces {
    pub collector: Collector,
    queue: mpsc::Sender<Finished>,
    /// Held by the exporter.
    pub waiting: Mutex<mpsc::Receiver<Finished>>,
    outcomes: Tally<SpanOutcome>,
}

impl Traces {
    /// Nothing is called yet.
    pub fn new(collector: Collector) -> Self {
        let (queue, waiting) = mpsc::channel(limits::SPANS_WAITING_MAX_COUNT);
        Self { collector, queue, waiting: Mutex::new(waiting), outcomes: Tally::default() }
    }

    /// Tasks continued; those that ended have a span. Told right after the commit.
    pub fn tasks_changed(&self, changed: &[ChangedTask]) {
        let has_ended = |task: &&ChangedTask| {
            task.status.is_some_and(|status| status.is_terminal() && task.from != Some(status))
        };
        changed.iter().filter(has_ended).for_each(|task| self.export(Finished::Task(task.task_id.clone())));
    }

    pub fn export(&self, finished: Finished) {
        if self.queue.try_send(finished).is_err() {
            self.outcomes.note(SpanOutcome::Dropped);
        }
    }

    pub fn note(&self, outcome: SpanOutcome, count: usize) {
        (0..count).for_each(|_| self.outcomes.note(outcome));
    }

    /// What became of spans.
    pub fn outcomes(&self) -> impl Iterator<Item = (SpanOutcome, u64)> {
        self.outcomes.read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::collector;
    use baton_core::{Status, UnixMillis};

    fn changed(from: Option<Status>, status: Option<Status>) -> ChangedTask {
        let task_id = TaskId::new(UnixMillis::new(1), [1; 10]);
        ChangedTask { task_id, from, status }
    }

    fn dropped(traces: &Traces) -> u64 {
        traces.outcomes().find(|(outcome, _)| *outcome == SpanOutcome::Dropped).unwrap().1
    }

    #[tokio::test]
    async fn a_task_is_noted_once_when_it_ends() {
        let traces = Traces::new(collector("http://127.0.0.1:1"));
        traces.tasks_changed(&[
            changed(None, Some(Status::Delivered)),
            changed(Some(Status::Running), None),
            changed(Some(Status::Running), Some(Status::Failed)),
            changed(Some(Status::Failed), Some(Status::Failed)),
        ]);
        let mut waiting = traces.waiting.lock().await;
        assert!(waiting.try_recv().is_ok());
        assert!(waiting.try_recv().is_err());
    }

    #[test]
    fn what_the_queue_has_no_room_for_is_dropped_and_counted() {
        let traces = Traces::new(collector("http://127.0.0.1:1"));
        let ended =
            vec![changed(Some(Status::Running), Some(Status::Replied)); limits::SPANS_WAITING_MAX_COUNT];
        traces.tasks_changed(&ended);
        assert_eq!(dropped(&traces), 0);
        traces.tasks_changed(&ended[..3]);
        assert_eq!(dropped(&traces), 3);
    }
}
