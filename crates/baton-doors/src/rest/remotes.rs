//! Remote agents over REST.

use axum::extract::State;
use axum::response::Response;
use baton_core::{Alias, NetworkId};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Authenticated, Body, HubState, Path, Query, answer};
use crate::hub::Hub;
use crate::rest::described::{BadRequest, Conflict, NotFound};
use crate::service::Done;
use crate::service::accounts::{remote_keys, remotes};
use crate::service::page::PageArgs;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new()
        .routes(routes!(list_remotes, add_remote))
        .routes(routes!(remove_remote))
        .routes(routes!(pin_remote_key))
}

type Caller = Authenticated;

/// Register a remote agent by its A2A card
///
/// Its admins and its owner. The hub reads the card first.
#[utoipa::path(
    post,
    path = "/api/networks/{network}/remotes",
    tag = "remotes",
    params(("network" = NetworkId, Path, description = "The network")),
    request_body = remotes::NewRemote,
    responses(
        (status = 200, description = "registered", body = remotes::RemoteAdded),
        NotFound,
        Conflict
    )
)]
async fn add_remote(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<remotes::NewRemote>,
) -> Response {
    answer(remotes::add(&hub, &by.0.caller, &network, args).await)
}

/// List the remote agents of a network
///
/// Its members and nodes.
#[utoipa::path(
    get,
    path = "/api/networks/{network}/remotes",
    tag = "remotes",
    params(("network" = NetworkId, Path, description = "The network"), PageArgs),
    responses(
        (status = 200, description = "the remotes", body = remotes::Remotes),
        NotFound
    )
)]
async fn list_remotes(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<PageArgs>,
) -> Response {
    answer(remotes::list(&hub, &by.0.caller, &network, args).await)
}

/// Pin the key that has to have signed a remote agent's card
///
/// Its admins and its owner. The hub reads the card first: the key has to have signed it.
#[utoipa::path(
    put,
    path = "/api/networks/{network}/remotes/{alias}/key",
    tag = "remotes",
    params(("network" = NetworkId, Path, description = "The network"), ("alias" = Alias, Path, description = "Its name here")),
    request_body = remote_keys::PinRemoteKey,
    responses(
        (status = 200, description = "pinned", body = remote_keys::RemoteKeyPinned),
        NotFound,
        Conflict
    )
)]
async fn pin_remote_key(
    State(hub): HubState,
    by: Caller,
    Path((network, alias)): Path<(String, String)>,
    Body(args): Body<remote_keys::PinRemoteKey>,
) -> Response {
    answer(remote_keys::pin(&hub, &by.0.caller, &network, &alias, args).await)
}

/// Remove a remote agent
///
/// Its admins and its owner.
#[utoipa::path(
    delete,
    path = "/api/networks/{network}/remotes/{alias}",
    tag = "remotes",
    params(("network" = NetworkId, Path, description = "The network"), ("alias" = Alias, Path, description = "Its name here")),
    responses(
        (status = 200, description = "forgotten", body = Done),
        NotFound,
        BadRequest
    )
)]
async fn remove_remote(
    State(hub): HubState,
    by: Caller,
    Path((network, alias)): Path<(String, String)>,
) -> Response {
    answer(remotes::remove(&hub, &by.0.caller, &network, &alias).await)
}
