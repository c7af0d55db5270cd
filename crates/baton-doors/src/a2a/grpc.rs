//! The gRPC binding: `lf.a2a.v1.A2AService` on the hub's own port. gRPC has no path for an agent, so `tenant` names it,
//! `NETWORK/ALIAS`, as the card's GRPC interface says and the protocol's clients send it back. A message is read into
//! the same `Call` as on the HTTP bindings, and what came of it is printed as a message.

mod address;
mod card;
mod codec;
mod deadline;
mod elements;
// As tonic-prost-build writes it from proto/a2a.proto; a test holds that it is current.
#[rustfmt::skip]
#[allow(clippy::all, clippy::needless_pass_by_value, clippy::cloned_instead_of_copied, clippy::semicolon_if_nothing_returned, missing_docs, unreachable_pub, unused_qualifications, rust_2018_idioms, dead_code)]
mod generated;
mod reply;
mod request;
mod service;
mod status;
#[cfg(test)]
mod tests;
mod value;

pub(super) use address::interface;
pub(crate) use status::{in_place_of, is_grpc};

use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::Router;
use baton_core::limits;
use std::sync::Arc;

use super::error::{A2aError, Kind};
use super::http::refuse;
use crate::hub::Hub;
use generated::a2a_service_server::A2aServiceServer;
use service::Binding;

/// The service's methods.
const PATH: &str = "/lf.a2a.v1.A2AService/{method}";

/// The routes of the binding.
pub(crate) fn router(hub: &Arc<Hub>) -> Router<Arc<Hub>> {
    // The gate bounds what arrives, and the answer's size is bounded where it is made.
    let service = A2aServiceServer::new(Binding { hub: hub.clone() })
        .max_decoding_message_size(limits::JSON_BODY_MAX_BYTES)
        .max_encoding_message_size(usize::MAX);
    Router::new().route_service(PATH, service).layer(middleware::from_fn(only_grpc))
}

/// What is not called gRPC is not read as such.
async fn only_grpc(request: Request, next: Next) -> Response {
    if is_grpc(request.headers()) {
        return next.run(request).await;
    }
    let fault = A2aError::new(Kind::ContentTypeNotSupported, "send application/grpc");
    refuse("application/json", &fault)
}
