//! Where clients register, get tokens and give them back. Clients have no secret: a code needs its verifier, a refresh token is
//! one itself.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use baton_core::limits;

use super::error::Answer;
use super::form::Form;
use crate::rest::{Body, ClientAddress, HubState, base_url};
use crate::service::oauth::registration::{Registration, register as registered};
use crate::service::oauth::{OauthError, exchange, revocation};

/// RFC 7591.
pub(super) async fn register(
    State(hub): HubState,
    from: ClientAddress,
    Body(args): Body<Registration, { limits::PUBLIC_BODY_MAX_BYTES }>,
) -> Response {
    match registered(&hub, from.0, args).await {
        Ok(client) => (StatusCode::CREATED, Json(client)).into_response(),
        Err(error) => Answer(error).into_response(),
    }
}

/// RFC 6749, section 3.2.
pub(super) async fn token(State(hub): HubState, headers: HeaderMap, mut form: Form) -> Response {
    let request = exchange::Request {
        grant_type: form.take("grant_type"),
        client_id: form.take("client_id"),
        code: form.take("code"),
        redirect_uri: form.take("redirect_uri"),
        code_verifier: form.take("code_verifier"),
        refresh_token: form.take("refresh_token"),
        resource: form.take("resource"),
    };
    match exchange::exchange(&hub, request, &base_url(&hub.settings, &headers)).await {
        Ok(issued) => Json(issued).into_response(),
        Err(error) => Answer(error).into_response(),
    }
}

/// RFC 7009.
pub(super) async fn revoke(State(hub): HubState, mut form: Form) -> Response {
    let Some(token) = form.take("token") else {
        return Answer(OauthError::invalid_request("token is required")).into_response();
    };
    match revocation::revoke(&hub, token, form.take("client_id")).await {
        Ok(()) => StatusCode::OK.into_response(),
        Err(error) => Answer(error).into_response(),
    }
}
