//! Agents and their workers over REST.

use axum::extract::State;
use axum::response::Response;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Authenticated, Body, HubState, Path, Query, answer};
use crate::hub::Hub;
use crate::rest::described::NotFound;
use crate::service::agents;
use crate::service::workers;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(put_worker, remove_worker))
}

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
        (status = 200, description = "a page, by network and alias", body = agents::Agents),
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

/// Register a worker, or report that it still runs
///
/// Node tokens. The worker belongs to the token's alias and chooses its own id; an alias may have several. Repeat the call every 30
/// seconds: a worker that was not seen for 90 seconds counts as gone. A field that is left out is cleared, except `description` and
/// `skills`, which describe the agent and stay until they are replaced.
#[utoipa::path(
    put,
    path = "/api/workers/{worker_id}",
    tag = "tasks",
    operation_id = "put_worker",
    params(("worker_id" = String, Path, description = "1-64 of A-Z a-z 0-9 . _ -")),
    request_body = workers::Report,
    responses(
        (status = 200, description = "registered", body = workers::WorkerSeen)
    )
)]
async fn put_worker(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(worker_id): Path<String>,
    Body(args): Body<workers::Report>,
) -> Response {
    answer(workers::put(&hub, &who.caller, worker_id, args).await)
}

/// Remove a worker that has stopped
///
/// Node tokens.
#[utoipa::path(
    delete,
    path = "/api/workers/{worker_id}",
    tag = "tasks",
    operation_id = "remove_worker",
    params(("worker_id" = String, Path, description = "1-64 of A-Z a-z 0-9 . _ -")),
    responses(
        (status = 200, description = "removed, or not there", body = workers::Removed)
    )
)]
async fn remove_worker(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(worker_id): Path<String>,
) -> Response {
    answer(workers::remove(&hub, &who.caller, worker_id).await)
}
