//! The REST door. Every route on one screen; handlers are thin: arguments in, one use case, its answer out.

mod accounts;
mod agents;
mod answer;
mod arguments;
pub(crate) mod artifacts;
mod byte_range;
mod caller;
mod client_address;
pub(crate) mod described;
pub(crate) mod discard;
pub(crate) mod error;
mod evidence;
mod health;
mod metrics;
mod metrics_page;
mod pieces;
mod plain;
mod quotas;
pub(crate) mod refuse;
mod remotes;
mod request_cost;
mod task_commands;
mod tasks;

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

use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

use crate::hub::Hub;

/// What every handler is given.
pub(crate) type HubState = axum::extract::State<Arc<Hub>>;

/// All REST routes, with their description.
pub(crate) fn router() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new()
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
