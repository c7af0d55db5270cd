//! Posts spans to the collector in batches. A collector that is busy or away for a moment is tried again a few times;
//! then the batch is given up and counted. Nobody waits for any of it.

use baton_core::limits;
use std::sync::Arc;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::error::Error;
use crate::hub::Hub;
use crate::trace::span::Span;
use crate::trace::{Finished, Refused, SpanOutcome, Traces, json, task};

/// Exports until the hub stops.
pub async fn run(hub: Arc<Hub>) {
    let Some(traces) = &hub.traces else { return };
    let mut waiting = traces.waiting.lock().await;
    let exporter = Exporter { hub: &hub, traces };
    let mut batch = Vec::new();
    loop {
        tokio::select! {
            () = gather(&mut waiting, &mut batch) => {}
            () = hub.shutdown.wait() => break,
        }
        exporter.export(std::mem::take(&mut batch)).await;
    }
    exporter.export(batch).await;
}

/// Exports what is left, in batches like any other; called when no more can come. What is not taken in time has failed.
pub async fn flush(hub: &Hub) {
    let Some(traces) = &hub.traces else { return };
    let mut waiting = traces.waiting.lock().await;
    let exporter = Exporter { hub, traces };
    let deadline = Instant::now() + limits::SPANS_FLUSH_MAX;
    let mut late = 0;
    loop {
        let batch = at_hand(&mut waiting);
        let count = batch.len();
        if count == 0 {
            break;
        }
        let is_taken =
            Instant::now() < deadline && timeout_at(deadline, exporter.export(batch)).await.is_ok();
        if !is_taken {
            traces.note(SpanOutcome::Failed, count);
            late += count;
        }
    }
    if late > 0 {
        tracing::warn!(spans = late, "the last spans were not taken in time");
    }
}

/// A batch of what waits already.
fn at_hand(waiting: &mut Receiver<Finished>) -> Vec<Finished> {
    std::iter::from_fn(|| waiting.try_recv().ok()).take(limits::SPANS_PER_EXPORT_COUNT).collect()
}

/// Waits for a span, and a little for others.
async fn gather(waiting: &mut Receiver<Finished>, batch: &mut Vec<Finished>) {
    // The sender lives beside the receiver: there is always one more, or a wait.
    if let Some(first) = waiting.recv().await {
        batch.push(first);
    }
    let others = async {
        while batch.len() < limits::SPANS_PER_EXPORT_COUNT {
            let room = limits::SPANS_PER_EXPORT_COUNT - batch.len();
            waiting.recv_many(batch, room).await;
        }
    };
    let _ = timeout(limits::SPANS_GATHERED_FOR, others).await; // fewer are a batch too
}

struct Exporter<'h> {
    hub: &'h Hub,
    traces: &'h Traces,
}

impl Exporter<'_> {
    async fn export(&self, batch: Vec<Finished>) {
        let count = batch.len();
        if count == 0 {
            return;
        }
        let sent = match self.spans(batch).await {
            Ok(spans) => self.post(&spans).await,
            Err(error) => Err(error.to_string()),
        };
        let outcome = match sent {
            Ok(()) => SpanOutcome::Exported,
            Err(error) => {
                tracing::warn!(spans = count, error, "spans were not taken");
                SpanOutcome::Failed
            }
        };
        self.traces.note(outcome, count);
    }

    /// The spans of requests, and those of the tasks that ended.
    async fn spans(&self, batch: Vec<Finished>) -> Result<Vec<Span>, Error> {
        let (mut spans, mut ended) = (Vec::new(), Vec::new());
        for finished in batch {
            match finished {
                Finished::Span(span) => spans.push(*span),
                Finished::Task(id) => ended.push(id),
            }
        }
        if !ended.is_empty() {
            let sampler = self.traces.collector.export.sampler;
            spans.extend(self.hub.store.read(move |rows| task::spans(rows, &ended, sampler)).await?);
        }
        Ok(spans)
    }

    async fn post(&self, spans: &[Span]) -> Result<(), String> {
        if spans.is_empty() {
            return Ok(());
        }
        let body = json::request(spans, &self.traces.collector.export.service_name)
            .map_err(|error| error.to_string())?;
        let mut pauses = limits::SPANS_RETRY_PAUSES.iter();
        loop {
            let refused = match self.traces.collector.post(body.clone()).await {
                Ok(()) => return Ok(()),
                Err(refused) => refused,
            };
            match (refused, pauses.next()) {
                (Refused::ForNow(_), Some(pause)) if !self.hub.shutdown.is_draining() => sleep(*pause).await,
                (Refused::ForNow(why) | Refused::Finally(why), _) => return Err(why),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, collector};
    use crate::trace::span::{Kind, nanos_now};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    const COUNT: usize = limits::SPANS_PER_EXPORT_COUNT + 3;

    /// A hub that stops with this many spans waiting for a collector.
    fn stopping_hub(collector_at: &TcpListener) -> TestHub {
        let url = format!("http://{}", collector_at.local_addr().unwrap());
        let test = TestHub::start_with(|settings| settings.collector = Some(collector(&url)));
        for _ in 0..COUNT {
            let span = Span {
                trace_id: [1; 16],
                span_id: [1; 8],
                parent: None,
                name: "test".into(),
                kind: Kind::Internal,
                start: nanos_now(),
                end: nanos_now(),
                attributes: Vec::new(),
                has_failed: false,
            };
            test.hub.traces.as_ref().unwrap().export(Finished::Span(Box::new(span)));
        }
        test.hub.shutdown.begin();
        test
    }

    fn counted(test: &TestHub, outcome: SpanOutcome) -> u64 {
        let mut outcomes = test.hub.traces.as_ref().unwrap().outcomes();
        outcomes.find(|(one, _)| *one == outcome).unwrap().1
    }

    /// Takes one call, answers it, and says how many spans it had.
    async fn take(collector: &TcpListener) -> usize {
        let (mut stream, _) = collector.accept().await.unwrap();
        let mut read = Vec::new();
        while !read.ends_with(b"]}]}]}") {
            assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0, "the call ended early");
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        String::from_utf8(read).unwrap().matches("traceId").count()
    }

    #[tokio::test]
    async fn the_last_spans_leave_in_batches_like_all_others() {
        let collector = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let test = stopping_hub(&collector);
        let taken = async { [take(&collector).await, take(&collector).await] };
        let ((), taken) = tokio::join!(flush(&test.hub), taken);
        assert_eq!(taken, [limits::SPANS_PER_EXPORT_COUNT, 3]);
        assert_eq!(counted(&test, SpanOutcome::Exported), COUNT as u64);
    }

    #[tokio::test]
    async fn the_last_spans_that_are_not_taken_in_time_have_failed() {
        // It takes the connection, as a socket that listens does, and never answers.
        let collector = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let test = stopping_hub(&collector);
        flush(&test.hub).await;
        assert_eq!(counted(&test, SpanOutcome::Failed), COUNT as u64);
    }
}
