//! `GET /health`: the process answers. `GET /ready`: it can also read and write its database and takes work. `GET /openapi.json`:
//! what can be called. All public; no names, no counts.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use baton_store::Error as StoreError;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use utoipa::OpenApi;
use utoipa::ToSchema;

use super::refuse;
use crate::hub::Hub;
use crate::openapi;
use crate::rest::{HubState, Plain};
use crate::service::Error;

/// Within this time of a commit nobody asks the disk again: however often readiness is asked for, it writes as rarely.
const WRITTEN_LATELY: Duration = Duration::from_secs(5);
/// A database that takes longer than this to say anything is not ready.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Serialize, ToSchema)]
struct Health {
    ok: bool,
    version: &'static str,
    api_version: &'static str,
    transport: &'static str,
    uptime: u64,
}

pub(super) fn router() -> Router<Arc<Hub>> {
    Router::new()
        .route("/health", get(health))
        .route("/ready", get(ready))
        .route("/openapi.json", get(describe))
}

/// What the routes are, for the description.
#[derive(OpenApi)]
#[openapi(paths(health, ready, describe))]
pub(crate) struct Described;

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
        Err(trouble) => {
            tracing::warn!(%trouble, "not ready");
            refuse::for_now(Plain::StorageUnavailable)
        }
    }
}

/// Why a hub is not ready.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotReady {
    #[error(transparent)]
    Refused(#[from] Error),
    #[error("the database does not answer in time")]
    Silent,
}

/// Whether the database can be read and written.
pub(crate) async fn look(hub: &Hub) -> Result<(), NotReady> {
    let tried = tokio::time::timeout(PATIENCE, try_storage(hub)).await;
    Ok(tried.map_err(|_| NotReady::Silent)??)
}

/// Reads; and writes a row as it was, unless a commit of just now says that the disk takes changes: also where one was
/// refused lately, or a hub that nobody sends to any more because it is not ready would never be ready again.
async fn try_storage(hub: &Hub) -> Result<(), Error> {
    hub.store.read(|rows| rows.has_users().map_err(Error::from)).await?;
    let is_written = hub.store.meter().since_commit().is_some_and(|since| since < WRITTEN_LATELY);
    if is_written && !hub.store.refuses_writes() {
        return Ok(());
    }
    hub.store.write(|tx| tx.probe().map_err(Error::from)).await?;
    if hub.store.refuses_writes() {
        return Err(StoreError::Unavailable("the disk refused a change a moment ago".into()).into());
    }
    Ok(())
}

/// What can be called: this description
///
/// Everybody.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "hub",
    security(()),
    responses((status = 200, description = "an OpenAPI 3.1 document", body = Object))
)]
async fn describe() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], openapi::json()).into_response()
}
