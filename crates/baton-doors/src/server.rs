//! The listener and what stands before every door: limits on time and size, TLS, the gate, the orderly end.
//! `router` puts the doors behind the gate.

mod accept;
mod addresses;
mod arrival;
mod certificate;
mod connection;
mod file_limit;
mod gate;
mod hosts;
mod large;
mod origins;
mod paced;
mod preface;
mod rates;
mod request_id;
mod sending;
#[cfg(test)]
mod tests;
mod tls;
mod unread;

pub use accept::{Connections, Listener};
pub use certificate::CertificateInUse;
pub use file_limit::raise as raise_file_limit;
pub use tls::{Loaded, TlsError, TlsFiles};

use axum::Router;
use axum::middleware;
use std::sync::Arc;

use crate::hub::Hub;
use crate::rest::{DoorError, refuse};
use arrival::Bounds;

/// Every door behind the one gate.
pub fn router(hub: Arc<Hub>) -> Router {
    let doors = Router::from(crate::openapi::doors())
        .merge(crate::mcp::router(&hub))
        .merge(crate::a2a::grpc_router(&hub));
    gated(doors, hub, Bounds::default())
}

fn gated(doors: Router<Arc<Hub>>, hub: Arc<Hub>, bounds: Bounds) -> Router {
    let gate = Arc::new(gate::Gate::new(hub.clone(), bounds));
    doors
        .fallback(async || refuse::with(DoorError::NotFound))
        .method_not_allowed_fallback(async || refuse::with(DoorError::MethodNotAllowed))
        .layer(middleware::from_fn_with_state(gate, gate::pass))
        .with_state(hub)
}
