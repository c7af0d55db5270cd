//! Quotas of accounts and networks over REST, for system admins; the depth of delegation also for admins of the network.

use axum::extract::State;
use axum::response::Response;
use baton_core::{NetworkId, UserId};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Authenticated, Body, ErrorResponse, HubState, Path, answer};
use crate::hub::Hub;
use crate::rest::described::NotFound;
use crate::service::accounts::quotas::{QuotaChange, Quotas, Subject, set, show};

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new()
        .routes(routes!(show_user_quotas, set_user_quotas))
        .routes(routes!(show_network_quotas, set_network_quotas))
}

type Caller = Authenticated;

/// How much an account may have, and how much it has
///
/// System admins.
#[utoipa::path(
    get,
    path = "/api/users/{user}/quotas",
    tag = "quotas",
    params(("user" = UserId, Path, description = "The user")),
    responses(
        (status = 200, description = "every quota of the account", body = Quotas),
        NotFound
    )
)]
async fn show_user_quotas(
    State(hub): HubState,
    by: Caller,
    Path(user): Path<String>,
) -> Result<Response, ErrorResponse> {
    Ok(answer(show(&hub, &by.0.caller, Subject::user(&user)?).await))
}

/// Set how much an account may have
///
/// System admins. Quotas that are not named stay as they are; null sets one back to the default. What the account has
/// already stays, also if it is more.
#[utoipa::path(
    put,
    path = "/api/users/{user}/quotas",
    tag = "quotas",
    params(("user" = UserId, Path, description = "The user")),
    request_body = QuotaChange,
    responses(
        (status = 200, description = "every quota of the account", body = Quotas),
        NotFound
    )
)]
async fn set_user_quotas(
    State(hub): HubState,
    by: Caller,
    Path(user): Path<String>,
    Body(args): Body<QuotaChange>,
) -> Result<Response, ErrorResponse> {
    Ok(answer(set(&hub, &by.0.caller, Subject::user(&user)?, args).await))
}

/// How much a network may have, and how much it has
///
/// System admins; an admin of the network sees `delegation_depth` alone.
#[utoipa::path(
    get,
    path = "/api/networks/{network}/quotas",
    tag = "quotas",
    params(("network" = NetworkId, Path, description = "The network")),
    responses(
        (status = 200, description = "every quota of the network", body = Quotas),
        NotFound
    )
)]
async fn show_network_quotas(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
) -> Result<Response, ErrorResponse> {
    Ok(answer(show(&hub, &by.0.caller, Subject::network(&network)?).await))
}

/// Set how much a network may have
///
/// System admins; an admin of the network may set `delegation_depth`. Quotas that are not named stay as they are; null sets one back to the default. What the network has
/// already stays, also if it is more.
#[utoipa::path(
    put,
    path = "/api/networks/{network}/quotas",
    tag = "quotas",
    params(("network" = NetworkId, Path, description = "The network")),
    request_body = QuotaChange,
    responses(
        (status = 200, description = "every quota of the network", body = Quotas),
        NotFound
    )
)]
async fn set_network_quotas(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<QuotaChange>,
) -> Result<Response, ErrorResponse> {
    Ok(answer(set(&hub, &by.0.caller, Subject::network(&network)?, args).await))
}
