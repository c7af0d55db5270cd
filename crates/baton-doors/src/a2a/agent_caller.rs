//! Who calls whom: the agent the path names, the caller its token names, and what the headers say beside. No token is
//! the same 401 on every operation; nothing else is looked at before.

use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Uri};
use baton_core::{Caller, IdempotencyKey, Refusal, TraceParent};

use super::error::{A2aError, Kind};
use crate::hub::in_flight::{Cost, ReservationSlot};
use crate::hub::{Hub, Identity};
use crate::request_trace;
use crate::rest::{ExpiryNotice, bearer};
use crate::service::Error;
use crate::service::agent::AgentAddress;

const A2A_VERSION: HeaderName = HeaderName::from_static("a2a-version");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The version of the protocol that is spoken here.
pub(super) const SPOKEN: &str = "1.0";
/// What a request means that names none.
const UNNAMED: &str = "0.3";

/// Somebody with a token, at an agent's base.
#[derive(Debug, Clone)]
pub(super) struct AgentCaller {
    pub(super) agent: AgentAddress,
    pub(super) identity: Identity,
    /// The access epoch under which it was identified.
    pub(super) epoch: u64,
    /// What it came with; asked about again while it waits.
    pub(super) bearer: String,
    pub(super) idempotency_key: Option<IdempotencyKey>,
    /// The last frame it has of a task's stream.
    pub(super) last_event_id: Option<String>,
    /// The trace it belongs to.
    pub(super) traceparent: Option<TraceParent>,
    /// Where the share of memory of its answer goes.
    share: ReservationSlot,
}

impl AgentCaller {
    /// Identifies the caller, then the agent.
    pub(super) async fn admit(
        hub: &Hub,
        (network_id, alias): (&str, &str),
        headers: &HeaderMap,
        request: &Extensions,
    ) -> Result<Self, A2aError> {
        let bearer = bearer(headers).ok_or(Refusal::Unauthorized)?.to_owned();
        // Read before the caller is: what changes from here on is asked about again.
        let epoch = hub.store.access_epoch();
        let identity = hub.identify(&bearer).await?;
        ExpiryNotice::leave(request, hub, &identity);
        let agent = AgentAddress::parse(network_id, alias).ok_or_else(A2aError::not_found)?;
        let key = text(headers, &IDEMPOTENCY_KEY)?.map(|key| IdempotencyKey::parse("Idempotency-Key", key));
        Ok(Self {
            agent,
            identity,
            epoch,
            bearer,
            idempotency_key: key.transpose().map_err(Error::of_argument)?,
            last_event_id: text(headers, &LAST_EVENT_ID)?.map(str::to_owned),
            traceparent: request_trace::of_headers(headers),
            share: request.get().cloned().unwrap_or_default(),
        })
    }

    /// Reserves memory for an answer that may be large. A call that waits for a task reserves it after the wait.
    pub(super) async fn take_share(&self, hub: &Hub, cost: Cost) -> Result<(), A2aError> {
        self.share.put(hub.in_flight.reserve(&self.identity, cost).await?);
        Ok(())
    }

    pub(super) fn caller(&self) -> &Caller {
        &self.identity.caller
    }
}

/// Whether the request uses the version spoken here; a header gives it, or the query.
pub(super) fn check_version(headers: &HeaderMap, uri: &Uri) -> Result<(), A2aError> {
    let in_query = query(uri)
        .into_iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(A2A_VERSION.as_str()))
        .map(|(_, version)| version);
    let named = texts(headers, &A2A_VERSION)?.into_iter().map(str::to_owned);
    let mut named: Vec<String> = named.chain(in_query).filter(|version| !version.is_empty()).collect();
    if named.is_empty() {
        named.push(UNNAMED.to_owned());
    }
    // A client may add its caller's version to its own: all that are named have to be this one.
    match named.into_iter().find(|version| version != SPOKEN) {
        None => Ok(()),
        Some(other) => {
            let message = format!(
                "A2A-Version {other} is not supported: use a client of A2A {SPOKEN}, which sends A2A-Version: {SPOKEN}"
            );
            Err(A2aError::new(Kind::VersionNotSupported, message))
        }
    }
}

/// The pairs of the query; one that cannot be read has none.
pub(super) fn query(uri: &Uri) -> Vec<(String, String)> {
    axum::extract::Query::try_from_uri(uri).map(|axum::extract::Query(pairs)| pairs).unwrap_or_default()
}

/// All that headers of this name say.
fn texts<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Vec<&'a str>, A2aError> {
    let plain = |value: &'a HeaderValue| value.to_str().map(str::trim);
    let texts = headers.get_all(name).iter().map(plain).collect::<Result<Vec<_>, _>>();
    texts.map_err(|_| A2aError::params(format!("{name} must be plain text")))
}

/// A header that says something.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, A2aError> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let value = value.to_str().map_err(|_| A2aError::params(format!("{name} must be plain text")))?.trim();
    Ok((!value.is_empty()).then_some(value))
}
