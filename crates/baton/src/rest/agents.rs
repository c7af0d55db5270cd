//! Who is there, and the workers that say so, over REST.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, put};
use std::sync::Arc;
use utoipa::OpenApi;

use super::{Authenticated, Body, HubState, Path, Query, answer};
use crate::hub::Hub;
use crate::openapi::NotFound;
use crate::service::agents;
use crate::service::workers::{put, remove};

/// The routes.
pub(crate) fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/api/agents", get(list))
        .route("/api/workers/{worker_id}", put(put_worker).delete(remove_worker))
}

/// What the routes are, for the description.
#[derive(OpenApi)]
#[openapi(paths(list, put_worker, remove_worker))]
pub(crate) struct Described;

/// Agents: what each works on, what waits for it, and its last day
///
/// Readers of the network, and its nodes; a node token sees of `works_on` the tasks it is party to. An agent is listed if it
/// holds a lease, waits for a task, has a worker or a session, or was seen or ended a task within the last day.
#[utoipa::path(
    get,
    path = "/api/agents",
    tag = "tasks",
    operation_id = "list_agents",
    params(agents::QueryArgs),
    responses(
        (status = 200, description = "a page, by network and alias", body = agents::Answer),
        NotFound
    )
)]
async fn list(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<agents::QueryArgs>,
) -> Response {
    answer(agents::run_on_query(&hub, &who.caller, args).await)
}

/// Say that a worker of yours is there
///
/// Node tokens. The worker is the token's alias's, under an id it chooses; an alias may have several. Repeat it every 30
/// seconds: a worker that says nothing for 90 counts as gone. What is left out is not known any more, but for `description`
/// and `skills`, which are the agent's and stay until they are said anew.
#[utoipa::path(
    put,
    path = "/api/workers/{worker_id}",
    tag = "tasks",
    operation_id = "put_worker",
    params(("worker_id" = String, Path, description = "1-64 of A-Z a-z 0-9 . _ -")),
    request_body = put::Args,
    responses(
        (status = 200, description = "seen", body = put::Answer)
    )
)]
async fn put_worker(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(worker_id): Path<String>,
    Body(args): Body<put::Args>,
) -> Response {
    answer(put::run(&hub, &who.caller, worker_id, args).await)
}

/// Say that a worker of yours has stopped
///
/// Node tokens.
#[utoipa::path(
    delete,
    path = "/api/workers/{worker_id}",
    tag = "tasks",
    operation_id = "remove_worker",
    params(("worker_id" = String, Path, description = "1-64 of A-Z a-z 0-9 . _ -")),
    responses(
        (status = 200, description = "it is gone", body = remove::Answer)
    )
)]
async fn remove_worker(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(worker_id): Path<String>,
) -> Response {
    answer(remove::run(&hub, &who.caller, worker_id).await)
}
