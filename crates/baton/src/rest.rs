//! The REST door. Every route on one screen; handlers are thin: arguments in, one use case, its answer out.

mod answer;
mod arguments;
mod caller;
pub(crate) mod error;
mod tasks;

pub(crate) use answer::answer;
pub(crate) use arguments::{Body, Query};
pub(crate) use caller::Authenticated;
pub(crate) use error::Failure;

use axum::Router;
use std::sync::Arc;

use crate::hub::Hub;

/// All REST routes.
pub(crate) fn router() -> Router<Arc<Hub>> {
    Router::new().merge(tasks::routes())
}
