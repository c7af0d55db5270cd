//! The REST door. Every route on one screen; handlers are thin: arguments in, one use case, its answer out.

pub(crate) mod accounts;
pub(crate) mod agents;
mod answer;
mod arguments;
pub(crate) mod artifacts;
mod byte_range;
mod caller;
mod client_address;
pub(crate) mod described;
pub(crate) mod discard;
pub(crate) mod error;
pub(crate) mod evidence;
pub(crate) mod health;
pub(crate) mod metrics;
mod metrics_page;
mod pieces;
mod plain;
pub(crate) mod quotas;
pub(crate) mod refuse;
pub(crate) mod remotes;
mod request_cost;
pub(crate) mod task_commands;
pub(crate) mod tasks;

pub(crate) use answer::answer;
pub(crate) use arguments::{Body, Path, Query, Strict};
pub(crate) use caller::{Authenticated, bearer};
pub(crate) use client_address::ClientAddress;
#[cfg(test)]
pub(crate) use error::status_of;
pub(crate) use error::{ErrorBody, Failure};
pub(crate) use evidence::{LOG_FROM, LOG_TO};
pub(crate) use pieces::json;
pub(crate) use plain::Plain;
pub(crate) use request_cost::{CallRate, Rate, Reserved};

use axum::Router;
use std::sync::Arc;

use crate::hub::Hub;

/// What every handler is given.
pub(crate) type HubState = axum::extract::State<Arc<Hub>>;

/// All REST routes.
pub(crate) fn router() -> Router<Arc<Hub>> {
    Router::new()
        .merge(accounts::routes())
        .merge(tasks::routes())
        .merge(task_commands::routes())
        .merge(agents::routes())
        .merge(evidence::routes())
        .merge(remotes::routes())
        .merge(quotas::routes())
        .merge(artifacts::routes())
        .merge(health::routes())
        .merge(metrics::routes())
}
