//! `GET /health`: the process answers. `GET /ready`: it also has its database and takes work. `GET /openapi.json`:
//! what can be called. All public; no names, no counts.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

use super::refuse;
use crate::hub::Hub;
use crate::rest::{Failure, HubState};
use crate::service::Error;

/// Every route, described; a test calls each.
const DESCRIPTION: &str = include_str!("openapi.json");

/// A database that takes longer than this to say anything is not ready.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Serialize)]
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
        .route("/openapi.json", get(async || ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION)))
}

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

async fn ready(State(hub): HubState) -> Response {
    match look(&hub).await {
        Ok(()) => health(State(hub)).await,
        Err(NotReady::Refused(error)) => Failure(error).into_response(),
        Err(NotReady::Silent) => refuse::for_now("storage_unavailable"),
    }
}

/// Why a hub is not ready.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotReady {
    #[error(transparent)]
    Refused(Error),
    #[error("the database does not answer in time")]
    Silent,
}

/// Whether the database answers.
pub(crate) async fn look(hub: &Hub) -> Result<(), NotReady> {
    let read = hub.store.read(|rows| rows.has_users().map_err(Error::from));
    let read = tokio::time::timeout(PATIENCE, read).await.map_err(|_| NotReady::Silent)?;
    read.map(drop).map_err(NotReady::Refused)
}
