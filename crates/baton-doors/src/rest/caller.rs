//! Who calls: the bearer token, looked up. A missing, malformed, unknown or revoked token is the same 401.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use baton_core::Refusal;
use std::sync::Arc;

use super::{ErrorResponse, ExpiryNotice};
use crate::hub::{Hub, Identity, Resource};

/// An authenticated caller.
#[derive(Debug)]
pub struct Authenticated(pub Identity);

impl FromRequestParts<Arc<Hub>> for Authenticated {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, hub: &Arc<Hub>) -> Result<Self, Response> {
        // A layer in front may have done this already.
        if let Some(identity) = parts.extensions.get::<Identity>() {
            return Ok(Self(identity.clone()));
        }
        let bearer = bearer(&parts.headers).ok_or_else(unauthorized)?;
        let identity = hub.identify_at(bearer, Resource::of(parts.uri.path())).await;
        let identity = identity.map_err(|error| ErrorResponse(error).into_response())?;
        ExpiryNotice::leave(&parts.extensions, hub, &identity);
        Ok(Self(identity))
    }
}

/// The bearer token of a request.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The one 401 behind the common gate.
pub(super) fn unauthorized() -> Response {
    ErrorResponse(Refusal::Unauthorized.into()).into_response()
}
