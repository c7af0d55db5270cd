//! The REST door. Every route on one screen; handlers are thin: arguments in, one use case, its answer out.

mod accounts;
mod agents;
mod answer;
mod arguments;
pub mod artifacts;
mod base_url;
mod byte_range;
mod caller;
mod client_address;
pub mod described;
pub mod discard;
mod door_error;
mod entity_tag;
pub mod error;
mod evidence;
mod expiry_notice;
mod health;
mod metrics;
mod metrics_page;
mod pieces;
mod quotas;
pub mod refuse;
mod remotes;
mod request_cost;
mod task_commands;
mod tasks;

pub use answer::answer;
pub use arguments::{Body, Path, Query, Strict};
pub use base_url::{base_url, is_loopback_name};
pub use caller::{Authenticated, bearer};
pub use client_address::ClientAddress;
pub use door_error::DoorError;
pub(crate) use entity_tag::is_known;
#[cfg(test)]
pub use error::status_of;
pub use error::{ErrorBody, ErrorResponse};
pub use evidence::{LOG_FROM, LOG_TO};
pub use expiry_notice::ExpiryNotice;
pub use pieces::json;
pub use request_cost::{CallRate, Rate, Reserved};

use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

use crate::hub::Hub;

/// What every handler is given.
pub type HubState = axum::extract::State<Arc<Hub>>;

/// All REST routes, with their description.
pub fn router() -> OpenApiRouter<Arc<Hub>> {
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
