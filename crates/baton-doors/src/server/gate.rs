//! What every request passes on its way to any door, in order, and what its answer gets on the way out.

use axum::body::HttpBody;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use baton_core::{Refusal, limits};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;
use tracing::Instrument;

use super::arrival::{self, Bounds};
use super::hosts::Hosts;
use super::origins::{self, Origins, Page};
use super::rates::Rates;
use super::request_id::{RequestId, RequestIds, X_REQUEST_ID};
use super::{large, sending};
use crate::a2a;
use crate::hub::in_flight::ReservationSlot;
use crate::hub::{Hub, Identity, Resource, client_of};
use crate::metrics::Door;
use crate::request_trace::{RequestSpan, method_name};
use crate::rest::{CallRate, ClientAddress, DoorError, ErrorResponse, ExpiryNotice, bearer, refuse};
use crate::service::Error;
use crate::web::{self, Cookie, Origin};

/// The rules of the gate, from the hub's settings.
pub(super) struct Gate {
    hub: Arc<Hub>,
    hosts: Hosts,
    origins: Origins,
    cookie: Cookie,
    rates: Option<Arc<Rates>>,
    bounds: Bounds,
    request_ids: RequestIds,
}

/// Lets a request pass, or answers it here, and counts it. Its id is in every log line about it, and
/// in the answer; never the token, the query or the body.
pub(super) async fn pass(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    let (door, began) = (Door::of(request.uri().path()), Instant::now());
    let id = RequestId::of(request.headers(), &gate.request_ids);
    let method = method_name(request.method());
    let span = tracing::error_span!("request", %id, method, path = request.uri().path());
    let is_grpc = a2a::is_grpc(request.headers());
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
    if let Some(span) = traced {
        response = span.leave_with(response);
    }
    // Only now: in the words of gRPC every refusal is a 200, and metrics and trace are about what the gate answered.
    if is_grpc {
        response = a2a::in_place_of(response).await;
    }
    if let Some(id) = id.into_header() {
        response.headers_mut().insert(X_REQUEST_ID, id);
    }
    response
}

impl Gate {
    pub(super) fn new(hub: Arc<Hub>, bounds: Bounds) -> Self {
        let settings = &hub.settings;
        Self {
            hosts: Hosts::of(settings),
            origins: Origins::new(&settings.cors_origins),
            cookie: Cookie::of(settings),
            rates: settings.rate_limit.map(|(per_second, burst)| Arc::new(Rates::new(per_second, burst))),
            bounds,
            request_ids: RequestIds::default(),
            hub,
        }
    }

    async fn answer(&self, request: Request, next: Next) -> Response {
        if let Some(name) = repeated(request.headers()) {
            return refuse::duplicate_header(name);
        }
        if !self.hosts.allow(request.headers()) {
            return refuse::with(DoorError::HostNotAllowed);
        }
        match self.origins.page(request.headers()) {
            Page::Foreign => refuse::with(DoorError::OriginNotAllowed),
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
            return refuse::for_now(DoorError::ShuttingDown);
        }
        // From here on a cookie that counts is the request's bearer token, for rates, doors and streams alike.
        let is_by_cookie = match self.cookie.admit(&mut request, from) {
            Ok(is_by_cookie) => is_by_cookie,
            Err(not_our_page) => return not_our_page.into_response(),
        };
        let rated = self.rates.as_ref().zip(self.rated_as(&request));
        if let Some((rates, caller)) = rated {
            if let Err(retry_after_ms) = rates.take(&caller, self.hub.alive_count(), Instant::now()) {
                return ErrorResponse(Refusal::RateLimited { retry_after_ms }.into()).into_response();
            }
            let rates = rates.clone();
            request.extensions_mut().insert(CallRate::new(move |calls| rates.charge(&caller, calls)));
        }
        let mut response = self.count(request, next).await;
        if is_by_cookie {
            web::keep_private(response.headers_mut());
        }
        response
    }

    /// Whose rate a request counts for: its token's. What clients send to OAuth's endpoints without one is their address's, also
    /// if a token that nobody checks there comes with it.
    fn rated_as(&self, request: &Request) -> Option<String> {
        if request.method() == Method::POST && request.uri().path().starts_with("/oauth/") {
            let behind_proxy = self.hub.settings.behind_proxy;
            let from = ClientAddress::of(request.extensions(), request.headers(), behind_proxy);
            return Some(format!("address {}", client_of(from.0)));
        }
        bearer(request.headers()).map(str::to_owned)
    }

    /// Counts a request among its token's, and gives its answer a share of the hub's memory if it may be large.
    async fn count(&self, mut request: Request, next: Next) -> Response {
        let share = ReservationSlot::default();
        let Some(bearer) = bearer(request.headers()).map(str::to_owned) else {
            return sending::held(self.run(request, None, next).await, share, None);
        };
        let counted = match self.hub.in_flight.begin(&bearer) {
            Ok(counted) => counted,
            Err(refusal) => return ErrorResponse(refusal.into()).into_response(),
        };
        let cost = large::cost(request.method(), request.uri().path());
        let resource = Resource::of(request.uri().path());
        // An unknown caller gets the door's 401, and neither sends nor receives anything large.
        let who = match cost.is_some() || arrival::needs_known_caller(&request) {
            true => match self.hub.identity_of_at(&bearer, resource).await {
                Ok(who) => Some(who),
                Err(Error::Refused(_)) => None,
                Err(error) => return ErrorResponse(error).into_response(),
            },
            false => None,
        };
        if let Some((cost, who)) = cost.zip(who.as_ref()) {
            tokio::select! {
                reserved = self.hub.in_flight.reserve(who, cost) => match reserved {
                    Ok(reservation) => share.put(reservation),
                    Err(error) => return ErrorResponse(error).into_response(),
                },
                () = self.hub.shutdown.wait() => return refuse::for_now(DoorError::ShuttingDown),
            }
        }
        request.extensions_mut().insert(share.clone());
        let notice = ExpiryNotice::default();
        request.extensions_mut().insert(notice.clone());
        let mut response = self.run(request, who, next).await;
        notice.announce(response.headers_mut());
        let bytes = response.body().size_hint().exact().unwrap_or(0);
        self.charge(&share, (&bearer, resource), bytes).await;
        sending::held(response, share, Some(counted))
    }

    /// An answer that turned out to be large counts as well.
    async fn charge(&self, share: &ReservationSlot, (bearer, resource): (&str, Resource), bytes: u64) {
        if bytes > limits::SMALL_BODY_MAX_BYTES as u64
            && !share.is_some()
            && let Ok(who) = self.hub.identity_of_at(bearer, resource).await
        {
            share.put(self.hub.in_flight.charge(&who, bytes));
        }
    }

    /// Runs the handler; if it panics, this request has failed and no other.
    async fn run(&self, request: Request, who: Option<Identity>, next: Next) -> Response {
        let began = Instant::now();
        let answer = arrival::bounded(self.bounds, &self.hub, who, request, next);
        let answered = AssertUnwindSafe(answer).catch_unwind().await;
        let response = answered.unwrap_or_else(|_| {
            tracing::error!("the handler of this request panicked");
            refuse::with(DoorError::InternalError)
        });
        tracing::debug!(status = response.status().as_u16(), elapsed = ?began.elapsed(), "answered");
        response
    }
}

/// The name of a header that decides who is called or who calls, if the request has it twice: of two values a proxy
/// may have read one and the hub the other.
fn repeated(headers: &HeaderMap) -> Option<&'static str> {
    let is_repeated = |name: &HeaderName| headers.get_all(name).iter().nth(1).is_some();
    let both = [(header::HOST, "Host"), (header::AUTHORIZATION, "Authorization")];
    both.into_iter().find_map(|(header, name)| is_repeated(&header).then_some(name))
}
