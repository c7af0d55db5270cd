//! How a card is answered: signed, and so that a client or a proxy may keep it for a while and ask whether it changed. And
//! the key set that its signature is checked with.

use a2a_types::{AgentCard, AgentCardSignature};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_core::{UnixMillis, limits};
use chrono::{DateTime, NaiveDateTime, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::error::{A2aError, Kind};
use crate::card_text::canonical_card;
use crate::hub::{CardPublicKey, Hub};
use crate::rest::is_known;

/// An HTTP date (RFC 9110, 5.6.7).
const DATE: &str = "%a, %d %b %Y %H:%M:%S GMT";

/// A card, and since when it says what it says.
pub(super) struct DatedCard {
    pub(super) card: AgentCard,
    /// Nothing that it is made of has changed since.
    pub(super) changed_at: UnixMillis,
}

/// The public keys that cards are signed with.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CardKeySet)]
struct KeySet {
    keys: [CardPublicKey; 1],
}

pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new().routes(routes!(key_set))
}

/// The key set that the signatures of agents' cards are checked with
///
/// Everybody.
#[utoipa::path(
    get,
    path = "/.well-known/jwks.json",
    tag = "a2a",
    security(()),
    responses(
        (status = 200, description = "the public keys", body = KeySet)
    )
)]
async fn key_set(State(hub): State<Arc<Hub>>) -> Response {
    let kept = [(header::CACHE_CONTROL, cache_control(&HeaderMap::new()))];
    (kept, Json(KeySet { keys: [hub.card_key.public().clone()] })).into_response()
}

/// Signs a card: RFC 7515 over RFC 8785, without what is empty, as the protocol's own clients compute it.
pub(super) fn sign(hub: &Hub, mut card: AgentCard) -> Result<AgentCard, A2aError> {
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, "a card could not be signed");
        A2aError::new(Kind::InternalError, "the card could not be signed")
    };
    let value = serde_json::to_value(&card).map_err(|error| failed(&error))?;
    let payload = canonical_card(value).map_err(|error| failed(&error))?;
    let signature = hub.card_key.sign(&hub.settings.public_url, &payload).map_err(|error| failed(&error))?;
    let (protected, signature) = (signature.protected, signature.signature);
    card.signatures = Some(vec![AgentCardSignature { protected, signature, header: None }]);
    Ok(card)
}

/// The response to a request for a card; without a body if the client already has it.
pub(super) fn answer(asked: &HeaderMap, media_type: &'static str, dated: &DatedCard) -> Response {
    let body = match serde_json::to_vec(&dated.card) {
        Ok(body) => body,
        Err(error) => {
            tracing::error!(%error, "a card could not be printed");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let tag = format!("\"{:x}\"", Sha256::digest(&body));
    let changed = DateTime::<Utc>::from_timestamp_millis(dated.changed_at.get()).unwrap_or_default();
    let kept = [
        (header::ETAG, tag.clone()),
        (header::LAST_MODIFIED, changed.format(DATE).to_string()),
        (header::CACHE_CONTROL, cache_control(asked)),
        (header::VARY, "accept, authorization, content-type".to_owned()),
    ];
    if has_already(asked, &tag, changed) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    (kept, [(header::CONTENT_TYPE, HeaderValue::from_static(media_type))], body).into_response()
}

/// A tag counts before a time (RFC 9110, 13.2.2).
fn has_already(asked: &HeaderMap, tag: &str, changed: DateTime<Utc>) -> bool {
    if asked.contains_key(header::IF_NONE_MATCH) {
        return is_known(asked, tag);
    }
    let since = asked.get(header::IF_MODIFIED_SINCE).and_then(|since| since.to_str().ok());
    let since = since.and_then(|since| NaiveDateTime::parse_from_str(since, DATE).ok());
    since.is_some_and(|since| changed.timestamp() <= since.and_utc().timestamp())
}

/// What was answered to a token is not for others.
pub(super) fn cache_control(asked: &HeaderMap) -> String {
    let whose = if asked.contains_key(header::AUTHORIZATION) { "private" } else { "public" };
    format!("{whose}, max-age={}", limits::CARD_MAX_AGE_SECONDS)
}
