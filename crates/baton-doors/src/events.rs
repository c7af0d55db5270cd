//! The SSE door: what happens to an agent or a user, or in a whole network, sent while it happens. The live path
//! is the resume path: a stream reads the rows of the network's numbered feed after the last it sent, and a bell
//! only says that it is worth looking.

mod channel;
mod frame;
mod listener;
mod page;
mod tail;
mod task;
#[cfg(test)]
mod tests;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use baton_core::{NetworkId, Refusal, TaskId};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::hub::Hub;
use crate::rest::described::NotFound;
use crate::rest::{Authenticated, ErrorResponse, Query, bearer};
use crate::service::Error;
use channel::RequestedChannel;
use listener::Listener;
use task::TaskStream;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Args {
    /// A user token's network
    network_id: Option<String>,
}

/// The routes of the SSE door.
pub(crate) fn router() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new().routes(routes!(somebodys)).routes(routes!(networks)).routes(routes!(tasks))
}

/// What happens to an agent or a user, while it happens
///
/// The agent of that alias; `me` for the user of a user token.
#[utoipa::path(
    get,
    path = "/events/{name}",
    tag = "streams",
    operation_id = "follow_somebody",
    params(
        ("name" = String, Path, description = "An alias, or `me`"),
        Args,
        ("last-event-id" = Option<String>, Header, description = "The id of the last event seen: those after it come first")
    ),
    responses(
        (status = 200, description = "server-sent events, without end", content_type = "text/event-stream", body = String),
        NotFound
    )
)]
async fn somebodys(
    State(hub): State<Arc<Hub>>,
    _: Authenticated,
    name: Result<Path<String>, PathRejection>,
    Query(Args { network_id }): Query<Args>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let Path(name) = name.map_err(|_| Refusal::PermissionDenied)?;
    stream(hub, RequestedChannel::Somebody { name, network_id }, &headers).await
}

/// Everything that happens in a network, while it happens
///
/// Members of the network.
#[utoipa::path(
    get,
    path = "/events/network/{network_id}",
    tag = "streams",
    operation_id = "follow_network",
    params(
        ("network_id" = NetworkId, Path, description = "The network"),
        ("last-event-id" = Option<String>, Header, description = "The id of the last event seen: those after it come first")
    ),
    responses(
        (status = 200, description = "server-sent events, without end", content_type = "text/event-stream", body = String),
        NotFound
    )
)]
async fn networks(
    State(hub): State<Arc<Hub>>,
    _: Authenticated,
    network_id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let Path(network_id) = network_id.map_err(|_| Refusal::NetworkNotFound)?;
    stream(hub, RequestedChannel::Network { network_id }, &headers).await
}

/// A task's statuses, its progress and what its command prints, until it has ended
///
/// Who may read the task. Frames are `{type: "status", task_id, status, event, detail, at}`,
/// `{type: "progress", task_id, percent, message, at}` and `{type: "output", task_id, offset, text}`; `offset` counts the bytes
/// printed before `text`. A stream begins with how the task stands and the output that is kept, the last 64 KiB.
#[utoipa::path(
    get,
    path = "/events/task/{task_id}",
    tag = "streams",
    operation_id = "follow_task",
    params(
        ("task_id" = TaskId, Path, description = "The task"),
        ("last-event-id" = Option<String>, Header, description = "The id of the last event seen: what came after it is sent, as far as it is kept")
    ),
    responses(
        (status = 200, description = "server-sent events, until the task has ended", content_type = "text/event-stream", body = String),
        NotFound
    )
)]
async fn tasks(
    State(hub): State<Arc<Hub>>,
    _: Authenticated,
    task_id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let Path(task_id) = task_id.map_err(|_| Refusal::TaskNotFound)?;
    let (bearer, last_event_id) = named(&headers)?;
    let stream = TaskStream::open(hub, bearer, &task_id, last_event_id.as_deref()).await?;
    Ok(answered(Body::from_stream(stream.frames())))
}

async fn stream(
    hub: Arc<Hub>,
    wanted: RequestedChannel,
    headers: &HeaderMap,
) -> Result<Response, ErrorResponse> {
    let (bearer, last_event_id) = named(headers)?;
    let listener = Listener::open(hub, bearer, wanted, last_event_id).await?;
    Ok(answered(Body::from_stream(listener.frames())))
}

/// The token of a request, and the last event that its client has seen.
fn named(headers: &HeaderMap) -> Result<(String, Option<String>), ErrorResponse> {
    let bearer = bearer(headers).ok_or(Error::from(Refusal::Unauthorized))?.to_owned();
    let last_event_id = headers.get(LAST_EVENT_ID).map(|id| id.to_str().unwrap_or_default().to_owned());
    Ok((bearer, last_event_id))
}

fn answered(frames: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        // Proxies that collect an answer before they pass it on are asked not to.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, frames).into_response()
}
