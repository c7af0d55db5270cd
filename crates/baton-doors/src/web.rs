//! The door for people: the dashboard's files and the session of the browser that shows them. What the pages ask for
//! they ask of the other doors, by cookie; `cookie.rs` says when that counts.

mod assets;
mod cookie;
mod facts;
mod headers;
mod oidc;
mod session;
#[cfg(test)]
mod tests;

pub(crate) use cookie::{COOKIE, Cookie, Origin};
pub(crate) use headers::keep_private;

use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

use crate::hub::Hub;

/// The routes of the pages and of the session.
pub(crate) fn router() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::from(assets::routes().merge(oidc::routes())).merge(session::routes())
}
