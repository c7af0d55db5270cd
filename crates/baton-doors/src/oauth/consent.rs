//! What the consent page asks of the hub: what a client wants, and the user's decision. By the browser's cookie, which counts
//! for calls of the hub's own pages only (`web/cookie.rs`).

use axum::extract::State;
use axum::http::HeaderMap;
use axum::middleware;
use axum::response::Response;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::hub::Hub;
use crate::rest::described::NotFound;
use crate::rest::{Authenticated, Body, HubState, Query, answer, base_url};
use crate::service::oauth::authorization::{self, Asked, Decided, Decision, Request};

pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    let routes = OpenApiRouter::new().routes(routes!(show_authorization, decide_authorization));
    routes.layer(middleware::map_response(super::keep_out_of_caches))
}

/// What an OAuth client asks
///
/// User tokens. The parameters are those of the client's request to `/oauth/authorize`.
#[utoipa::path(
    get,
    path = "/api/oauth/authorization",
    tag = "sessions",
    operation_id = "show_authorization",
    params(Request),
    responses(
        (status = 200, description = "who asks, and what is wrong with the request if anything is", body = Asked)
    )
)]
async fn show_authorization(
    State(hub): HubState,
    by: Authenticated,
    headers: HeaderMap,
    Query(request): Query<Request>,
) -> Response {
    let base = base_url(&hub.settings, &headers);
    answer(authorization::show(&hub, &by.0.caller, request, &base).await)
}

/// Allow or refuse what an OAuth client asks
///
/// User tokens, as for a node token of the alias.
#[utoipa::path(
    post,
    path = "/api/oauth/authorization",
    tag = "sessions",
    operation_id = "decide_authorization",
    request_body = Decision,
    responses(
        (status = 200, description = "where the browser goes now", body = Decided),
        NotFound
    )
)]
async fn decide_authorization(
    State(hub): HubState,
    by: Authenticated,
    headers: HeaderMap,
    Body(decision): Body<Decision>,
) -> Response {
    let base = base_url(&hub.settings, &headers);
    answer(authorization::decide(&hub, &by.0.caller, decision, &base).await)
}
