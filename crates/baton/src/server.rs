//! The listener and what stands before every door: limits on time and size, TLS, the gate, the orderly end.
//! `router` is the one place where the doors are put together.

mod accept;
mod accompanied;
mod addresses;
mod arrival;
mod connection;
mod file_limit;
mod gate;
mod health;
mod hosts;
mod large;
mod origins;
mod paced;
mod rates;
mod refuse;
mod request_id;
mod sending;
#[cfg(test)]
mod tests;
mod tls;

pub(crate) use accept::{Connections, Listener};
pub(crate) use accompanied::Accompanied;
pub(crate) use arrival::discard_upload;
pub(crate) use file_limit::raise as raise_file_limit;
pub(crate) use tls::{TlsError, TlsFiles};

use axum::Router;
use axum::middleware;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

use crate::hub::Hub;
use crate::rest::Plain;
use arrival::Bounds;

/// Every door behind the one gate.
pub(crate) fn router(hub: Arc<Hub>) -> Router {
    let doors = Router::from(doors()).merge(crate::mcp::router(&hub));
    gated(doors, hub, Bounds::default())
}

/// The doors that describe their routes where they list them; all but MCP's one route, which takes every method.
pub(crate) fn doors() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new()
        .merge(health::router())
        .merge(crate::metrics::router())
        .merge(crate::rest::router())
        .merge(crate::events::router())
        .merge(crate::a2a::router())
        .merge(crate::web::router())
}

fn gated(doors: Router<Arc<Hub>>, hub: Arc<Hub>, bounds: Bounds) -> Router {
    let gate = Arc::new(gate::Gate::new(hub.clone(), bounds));
    doors
        .fallback(async || refuse::with(Plain::NotFound))
        .method_not_allowed_fallback(async || refuse::with(Plain::MethodNotAllowed))
        .layer(middleware::from_fn_with_state(gate, gate::pass))
        .with_state(hub)
}
