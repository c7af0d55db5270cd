//! `GET /health`: the process answers. `GET /ready`: it can also read and write its database and takes work. Both public; no
//! names, no counts.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{DoorError, HubState, refuse};
use crate::hub::{Hub, NotReady, look};

#[derive(Debug, Serialize, ToSchema)]
struct Health {
    ok: bool,
    version: &'static str,
    api_version: &'static str,
    transport: &'static str,
    uptime: u64,
}

pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new().routes(routes!(health)).routes(routes!(ready))
}

/// The process answers
///
/// Everybody.
#[utoipa::path(
    get,
    path = "/health",
    tag = "hub",
    security(()),
    responses(
        (status = 200, description = "it does", body = Health)
    )
)]
async fn health(State(hub): HubState) -> Response {
    Json(Health {
        ok: true,
        version: env!("CARGO_PKG_VERSION"),
        api_version: "v3",
        transport: "streamable-http",
        uptime: hub.clock.uptime_seconds(),
    })
    .into_response()
}

/// It also has its database and takes work
///
/// Everybody.
#[utoipa::path(
    get,
    path = "/ready",
    tag = "hub",
    security(()),
    responses(
        (status = 200, description = "it does", body = Health)
    )
)]
async fn ready(State(hub): HubState) -> Response {
    match look(&hub).await {
        Ok(()) => health(State(hub)).await,
        Err(NotReady::Damaged) => refuse::with_remedy(DoorError::DatabaseDamaged),
        Err(NotReady::Refused(_) | NotReady::Silent) => refuse::for_now(DoorError::StorageUnavailable),
    }
}
