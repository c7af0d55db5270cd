//! The authorization server's door: where clients find it (`metadata`), register, and get tokens; the consent page is the
//! dashboard's (`web/`), and what it asks is here. Errors are those of the standards, not the hub's own body.

mod consent;
mod error;
mod form;
mod metadata;
mod token;

pub(crate) use metadata::challenge;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

use crate::hub::Hub;

/// The routes. Those that standards describe are in RFC 8414's metadata and not in the API's description.
pub(crate) fn router() -> OpenApiRouter<Arc<Hub>> {
    let standard = Router::new()
        .route("/.well-known/oauth-protected-resource", get(metadata::resource))
        .route("/.well-known/oauth-protected-resource/mcp", get(metadata::resource))
        .route("/.well-known/oauth-authorization-server", get(metadata::server))
        .route("/oauth/register", post(token::register))
        .route("/oauth/token", post(token::token))
        .route("/oauth/revoke", post(token::revoke))
        .layer(middleware::map_response(keep_out_of_caches));
    OpenApiRouter::from(standard).merge(consent::routes())
}

/// Tokens and codes are in no cache, and nothing here is worth one.
async fn keep_out_of_caches(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
