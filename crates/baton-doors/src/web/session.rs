//! `/api/session`: a browser registers, signs in, asks who it is, signs out, changes a password. The token is the cookie's
//! value and in no body: a page's script never has it.

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
use super::{headers, oidc};
use crate::hub::Hub;
use crate::rest::described::WrongCredentials;
use crate::rest::{Authenticated, Body, ClientAddress, ErrorResponse, HubState, answer};
use crate::service::accounts::users::UserView;
use crate::service::accounts::{passwords, registration, sessions};
use crate::service::{Done, Holder};

/// Callers without a token share a small budget.
const PUBLIC: usize = limits::PUBLIC_BODY_MAX_BYTES;

pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new()
        .routes(routes!(show, open, close))
        .routes(routes!(options))
        .routes(routes!(register))
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

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignInOptions)]
struct Options {
    ok: bool,
    /// Whether anybody may register.
    open_registration: bool,
    /// The host of the OpenID Connect issuer that users may sign in with.
    issuer: Option<String>,
}

/// The ways to sign in to this hub
///
/// Everybody.
#[utoipa::path(
    get,
    path = "/api/session/options",
    tag = "sessions",
    operation_id = "show_sign_in_options",
    security(()),
    responses(
        (status = 200, description = "what the sign-in page offers", body = Options)
    )
)]
async fn options(State(hub): HubState) -> Json<Options> {
    let (open_registration, issuer) = (hub.settings.open_registration, oidc::issuer_host(&hub.settings));
    Json(Options { ok: true, open_registration, issuer })
}

/// Register, and sign this browser in
///
/// Everybody, unless the hub's operator has closed registration. The token is the value of the cookie, and in no body.
#[utoipa::path(
    post,
    path = "/api/session/register",
    tag = "sessions",
    operation_id = "register_in_browser",
    security(()),
    params(("baton-page" = String, Header, pattern = "^1$", description = "Always `1`: a sign of the hub's own page")),
    request_body = registration::Registration,
    responses(
        (status = 200, description = "registered, with a network of one's own, and signed in", body = Opened)
    )
)]
async fn register(
    State(hub): HubState,
    from: ClientAddress,
    Body(args): Body<registration::Registration, PUBLIC>,
) -> Response {
    match registration::sign_up(&hub, from.0, args).await {
        Ok(registration::SignedUp { user, network_id, token }) => {
            let network_id = Some(network_id);
            let opened = Opened { ok: true, user, must_change_password: false, network_id };
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
