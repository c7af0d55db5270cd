//! `GET /metrics`, for a system admin's token or the one of `--metrics-token`; everybody else receives the same 401.

use axum::extract::State;
use axum::http::{Extensions, HeaderMap, header};
use axum::response::{IntoResponse, Response};
use baton_core::{Caller, Refusal, SystemRole};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{ErrorResponse, ExpiryNotice, HubState, bearer, metrics_page};
use crate::error::Error;
use crate::hub::Hub;
use crate::metrics::exposition;

/// The one route.
pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new().routes(routes!(show))
}

/// Figures of the hub, for Prometheus
///
/// A system admin, or a caller with the token of `--metrics-token`.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "hub",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "no names in it: docs/observe.md lists the figures", body = String,
         content_type = "text/plain")
    )
)]
async fn show(
    State(hub): HubState,
    request: Extensions,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    admit(&hub, &request, &headers).await?;
    let headers = [(header::CONTENT_TYPE, exposition::CONTENT_TYPE), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, metrics_page::of(&hub)).into_response())
}

async fn admit(hub: &Hub, request: &Extensions, headers: &HeaderMap) -> Result<(), Error> {
    let shown = bearer(headers).ok_or(Refusal::Unauthorized)?;
    if hub.settings.metrics_token.as_ref().is_some_and(|token| token.is(shown)) {
        return Ok(());
    }
    // Looked up without a note of the call: a scrape writes nothing.
    let identity = hub.identity_of(shown).await?;
    ExpiryNotice::leave(request, hub, &identity);
    match &identity.caller {
        Caller::User(user) if user.system_role == SystemRole::Admin => Ok(()),
        _ => Err(Refusal::Unauthorized.into()),
    }
}
