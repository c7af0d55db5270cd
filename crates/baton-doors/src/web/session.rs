//! `/api/session`: a browser signs in, asks who it is, signs out, changes a password. The token is the cookie's value
//! and in no body: a page's script never has it.

use axum::Json;
use axum::extract::State;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use baton_core::{NetworkId, limits};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::cookie::Cookie;
use super::headers;
use crate::hub::Hub;
use crate::rest::described::WrongCredentials;
use crate::rest::{Authenticated, Body, ClientAddress, ErrorResponse, HubState, answer};
use crate::service::accounts::users::UserView;
use crate::service::accounts::{passwords, sessions};
use crate::service::{Done, Holder};

/// Callers without a token share a small budget.
const PUBLIC: usize = limits::PUBLIC_BODY_MAX_BYTES;

pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new()
        .routes(routes!(show, open, close))
        .routes(routes!(change_password))
        .layer(middleware::map_response(headers::of_session))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BrowserSessionOpened)]
struct Opened {
    ok: bool,
    user: UserView,
    must_change_password: bool,
    network_id: Option<NetworkId>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BrowserPasswordChanged)]
struct Changed {
    ok: bool,
    revoked: usize,
}

/// Sign this browser in
///
/// Everybody. The token is the value of the cookie, and in no body.
#[utoipa::path(
    post,
    path = "/api/session",
    tag = "sessions",
    operation_id = "open_browser_session",
    security(()),
    params(("baton-page" = String, Header, pattern = "^1$", description = "Always `1`: a sign of the hub's own page")),
    request_body = sessions::Login,
    responses(
        (status = 200, description = "signed in", body = Opened),
        WrongCredentials
    )
)]
async fn open(
    State(hub): HubState,
    from: ClientAddress,
    Body(args): Body<sessions::Login, PUBLIC>,
) -> Response {
    match sessions::login(&hub, from.0, Holder::Browser, args).await {
        Ok(sessions::LoggedIn { mut user, token, network_id, .. }) => {
            let must_change_password = user.take_notice();
            let opened = Opened { ok: true, user, must_change_password, network_id };
            (Cookie::of(&hub.settings).set(&token), Json(opened)).into_response()
        }
        Err(error) => ErrorResponse(error).into_response(),
    }
}

/// Whom this browser is signed in as
///
/// Every user token.
#[utoipa::path(
    get,
    path = "/api/session",
    tag = "sessions",
    operation_id = "show_browser_session",
    responses(
        (status = 200, description = "the user and the networks", body = sessions::Session)
    )
)]
async fn show(State(hub): HubState, by: Authenticated) -> Response {
    answer(sessions::show(&hub, &by.0.caller).await)
}

/// Sign this browser out
///
/// Every user token.
#[utoipa::path(
    delete,
    path = "/api/session",
    tag = "sessions",
    operation_id = "close_browser_session",
    responses(
        (status = 200, description = "signed out", body = Done)
    )
)]
async fn close(State(hub): HubState, by: Authenticated) -> Response {
    match sessions::logout(&hub, by.0).await {
        Ok(done) => (Cookie::of(&hub.settings).clear(), Json(done)).into_response(),
        Err(error) => ErrorResponse(error).into_response(),
    }
}

/// Change one's password, and stay signed in
///
/// User tokens.
#[utoipa::path(
    post,
    path = "/api/session/password",
    tag = "sessions",
    operation_id = "change_password_in_browser",
    request_body = passwords::PasswordChange,
    responses(
        (status = 200, description = "changed", body = Changed)
    )
)]
async fn change_password(
    State(hub): HubState,
    by: Authenticated,
    from: ClientAddress,
    Body(args): Body<passwords::PasswordChange>,
) -> Response {
    match passwords::change(&hub, &by.0.caller, from.0, Holder::Browser, args).await {
        Ok(passwords::PasswordChanged { revoked, token, .. }) => {
            let changed = Changed { ok: true, revoked };
            (Cookie::of(&hub.settings).set(&token), Json(changed)).into_response()
        }
        Err(error) => ErrorResponse(error).into_response(),
    }
}
