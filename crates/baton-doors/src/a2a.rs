//! The A2A 1.0 door: every agent of a network has a base, `/a2a/{network_id}/{alias}/`, and on it both HTTP bindings of
//! the protocol; the gRPC binding names the agent in its messages. A binding (`rpc`, `http`, `grpc`) reads a request into a `Call` and prints what came of it; the call itself is
//! one use case of `service/`, the same that REST and MCP call. Tasks are rendered in `task`, errors in `error`.

mod agent_caller;
mod artifact;
mod call;
mod card;
mod card_answer;
mod catalog;
mod described;
mod error;
mod extension;
mod grpc;
mod http;
mod input;
mod list;
mod message;
mod push;
mod rpc;
mod send;
mod stream;
mod task;
#[cfg(test)]
mod tests;
mod watch;

#[cfg(test)]
pub(crate) use error::errors;
pub(crate) use grpc::{in_place_of, is_grpc, router as grpc_router};
pub(crate) use task::updates;

use axum::routing::{any, get};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

use crate::hub::Hub;

/// The routes of the A2A door. What comes after the base is read in `http`, because the protocol's paths have a colon in
/// them; so they are described in `described`.
pub(crate) fn router() -> OpenApiRouter<Arc<Hub>> {
    let base = || get(http::card).post(rpc::answer);
    OpenApiRouter::with_openapi(described::openapi())
        .merge(card_answer::routes())
        .merge(catalog::routes())
        .route("/a2a/{network_id}/{alias}", base())
        .route("/a2a/{network_id}/{alias}/", base())
        .route("/a2a/{network_id}/{alias}/{*rest}", any(http::answer))
}
