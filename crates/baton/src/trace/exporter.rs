//! Posts spans to the collector in batches. A collector that is busy or away for a moment is tried again a few times;
//! then the batch is given up and counted. Nobody waits for any of it.

use baton_core::limits;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, StatusCode, redirect};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::time::{sleep, timeout};

use super::span::Span;
use super::{Finished, SpanOutcome, Traces, json, task};
use crate::hub::Hub;
use crate::service::Error;

/// How long the first span of a batch waits for others.
const GATHER: Duration = Duration::from_millis(500);
/// Longest wait for the collector's answer.
const ANSWER: Duration = Duration::from_secs(5);
/// Waits before a batch is sent again.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
/// What the last spans may take when the hub stops.
const FLUSH: Duration = Duration::from_secs(2);

/// Exports until the hub stops.
pub(crate) async fn run(hub: Arc<Hub>) {
    let Some(traces) = &hub.traces else { return };
    let mut waiting = traces.waiting.lock().await;
    let exporter = match Exporter::new(&hub, traces) {
        Ok(exporter) => exporter,
        Err(error) => return tracing::error!(%error, "spans cannot be exported"),
    };
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

/// Exports what is left; called when no more can come.
pub(crate) async fn flush(hub: &Hub) {
    let Some(traces) = &hub.traces else { return };
    let last = async {
        let (mut waiting, mut batch) = (traces.waiting.lock().await, Vec::new());
        while let Ok(finished) = waiting.try_recv() {
            batch.push(finished);
        }
        match Exporter::new(hub, traces) {
            Ok(exporter) => exporter.export(batch).await,
            Err(error) => tracing::error!(%error, "the last spans cannot be exported"),
        }
    };
    if timeout(FLUSH, last).await.is_err() {
        tracing::warn!("the last spans were not taken in time");
    }
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
    let _ = timeout(GATHER, others).await; // fewer are a batch too
}

struct Exporter<'h> {
    hub: &'h Hub,
    traces: &'h Traces,
    client: Client,
}

/// Why a batch was not taken.
enum Refused {
    /// Perhaps later.
    ForNow(String),
    Finally(String),
}

impl<'h> Exporter<'h> {
    fn new(hub: &'h Hub, traces: &'h Traces) -> Result<Self, reqwest::Error> {
        // The process's one TLS engine; a second call finds it there, which is all that is asked.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .user_agent(concat!("baton/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .timeout(ANSWER);
        let builder = match traces.endpoint.is_https() {
            true => builder.tls_certs_merge(hub.settings.outbound.authorities().certificates()),
            false => builder.tls_certs_only(Vec::new()), // and so needs no certificates of the system
        };
        Ok(Self { hub, traces, client: builder.build()? })
    }

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
        (0..count).for_each(|_| self.traces.outcomes.note(outcome));
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
            spans.extend(self.hub.store.read(move |rows| task::spans(rows, &ended)).await?);
        }
        Ok(spans)
    }

    async fn post(&self, spans: &[Span]) -> Result<(), String> {
        if spans.is_empty() {
            return Ok(());
        }
        let body = json::request(spans).map_err(|error| error.to_string())?;
        let mut pauses = PAUSES.iter();
        loop {
            let refused = match self.post_once(body.clone()).await {
                Ok(()) => return Ok(()),
                Err(refused) => refused,
            };
            match (refused, pauses.next()) {
                (Refused::ForNow(_), Some(pause)) if !self.hub.shutdown.is_draining() => sleep(*pause).await,
                (Refused::ForNow(why) | Refused::Finally(why), _) => return Err(why),
            }
        }
    }

    async fn post_once(&self, body: Vec<u8>) -> Result<(), Refused> {
        let request = self.client.post(self.traces.endpoint.url().clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let answer =
            request.send().await.map_err(|error| Refused::ForNow(error.without_url().to_string()))?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            // OTLP/HTTP: these and no others may be tried again.
            status @ (StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT) => {
                Err(Refused::ForNow(format!("the collector answered {status}")))
            }
            status => Err(Refused::Finally(format!("the collector answered {status}"))),
        }
    }
}
