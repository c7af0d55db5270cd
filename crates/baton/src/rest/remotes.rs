//! Agents of others over REST.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::{delete, get};
use std::sync::Arc;

use super::{Authenticated, Body, HubState, answer};
use crate::hub::Hub;
use crate::service::remotes;

/// The routes.
pub(crate) fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/api/networks/{network}/remotes", get(list_remotes).post(add_remote))
        .route("/api/networks/{network}/remotes/{alias}", delete(remove_remote))
}

type Caller = Authenticated;

async fn add_remote(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<remotes::add::Args>,
) -> Response {
    answer(remotes::add::run(&hub, &by.0.caller, &network, args).await)
}

async fn list_remotes(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(remotes::list::run(&hub, &by.0.caller, &network).await)
}

async fn remove_remote(
    State(hub): HubState,
    by: Caller,
    Path((network, alias)): Path<(String, String)>,
) -> Response {
    answer(remotes::remove::run(&hub, &by.0.caller, &network, &alias).await)
}
