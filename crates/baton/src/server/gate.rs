//! What every request passes on its way to any door, in order, and what its answer gets on the way out.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use baton_core::Refusal;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;
use tracing::Instrument;

use super::arrival::{self, Bounds};
use super::hosts::Hosts;
use super::origins::{self, Origins, Page};
use super::rates::Rates;
use super::refuse;
use super::request_id::{RequestId, X_REQUEST_ID};
use crate::hub::Hub;
use crate::metrics::Door;
use crate::rest::{Failure, Plain, bearer};
use crate::trace::{RequestSpan, method_name};
use crate::web::{self, Cookie, Origin};

/// The rules of the gate, from the hub's settings.
pub(super) struct Gate {
    hub: Arc<Hub>,
    hosts: Hosts,
    origins: Origins,
    cookie: Cookie,
    rates: Option<Rates>,
    bounds: Bounds,
    /// Numbers the requests of this run.
    requests: AtomicU64,
}

/// Lets a request pass, or answers it here, and counts it. Its id is in the log beside everything said about it, and
/// in the answer; never the token, the query or the body.
pub(super) async fn pass(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    let (door, began) = (Door::of(request.uri().path()), Instant::now());
    let id = RequestId::of(request.headers(), &gate.requests);
    let method = method_name(request.method());
    let span = tracing::error_span!("request", %id, method, path = request.uri().path());
    let traced = gate.hub.traces.as_ref().and_then(|traces| RequestSpan::begin(traces, &request, &id));
    if door == Door::Mcp {
        // The SDK calls a tool in a task of its own, which this leads back to the request.
        request.extensions_mut().insert(span.clone());
    }
    let mut response = gate.answer(request, next).instrument(span).await;
    gate.hub.metrics.requests.answered(door, response.status());
    // The answer of a tool comes after its head: the tool's own time is taken there.
    if door != Door::Mcp {
        gate.hub.metrics.requests.took(door, began.elapsed());
    }
    if let Some(id) = id.header() {
        response.headers_mut().insert(X_REQUEST_ID, id);
    }
    match traced {
        Some(span) => span.leave_with(response),
        None => response,
    }
}

impl Gate {
    pub(super) fn new(hub: Arc<Hub>, bounds: Bounds) -> Self {
        let settings = &hub.settings;
        Self {
            hosts: Hosts::of(settings),
            origins: Origins::new(&settings.cors_origins),
            cookie: Cookie::of(settings),
            rates: settings.rate_limit.map(|(per_second, burst)| Rates::new(per_second, burst)),
            bounds,
            requests: AtomicU64::new(1),
            hub,
        }
    }

    async fn answer(&self, request: Request, next: Next) -> Response {
        if !self.hosts.allow(request.headers()) {
            return refuse::with(Plain::HostNotAllowed);
        }
        match self.origins.page(request.headers()) {
            Page::Foreign => refuse::with(Plain::OriginNotAllowed),
            Page::Own => self.admit(request, Origin::Own, next).await,
            Page::Configured(origin) => {
                let mut response = match origins::is_preflight(&request) {
                    true => origins::preflight(),
                    false => self.admit(request, Origin::Other, next).await,
                };
                origins::open_to(origin, response.headers_mut());
                response
            }
        }
    }

    async fn admit(&self, mut request: Request, from: Origin, next: Next) -> Response {
        // Health is about the process, which is still there.
        if self.hub.shutdown.is_draining() && request.uri().path() != "/health" {
            return refuse::for_now(Plain::ShuttingDown);
        }
        // From here on a cookie that counts is the request's bearer token, for rates, doors and streams alike.
        let is_by_cookie = match self.cookie.admit(&mut request, from) {
            Ok(is_by_cookie) => is_by_cookie,
            Err(not_our_page) => return not_our_page.into_response(),
        };
        if let Some((rates, token)) = self.rates.as_ref().zip(bearer(request.headers()))
            && let Err(retry_after_ms) = rates.take(token, Instant::now())
        {
            return Failure(Refusal::RateLimited { retry_after_ms }.into()).into_response();
        }
        let mut response = self.run(request, next).await;
        if is_by_cookie {
            web::keep_private(response.headers_mut());
        }
        response
    }

    /// Runs the handler; if it panics, this request has failed and no other.
    async fn run(&self, request: Request, next: Next) -> Response {
        let began = Instant::now();
        let answer = arrival::bounded(self.bounds, self.hub.shutdown.clone(), request, next);
        let answered = AssertUnwindSafe(answer).catch_unwind().await;
        let response = answered.unwrap_or_else(|_| {
            tracing::error!("the handler of this request panicked");
            refuse::with(Plain::InternalError)
        });
        tracing::debug!(status = response.status().as_u16(), elapsed = ?began.elapsed(), "answered");
        response
    }
}
