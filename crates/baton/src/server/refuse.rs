//! What the server itself says no with: a status and `{ok:false,error}`, as every door says it.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::rest::ErrorBody;

pub(super) fn with(status: StatusCode, error: &'static str) -> Response {
    (status, Json(ErrorBody::bare(error))).into_response()
}

/// Not now: the caller is told when to come back.
pub(super) fn for_now(error: &'static str) -> Response {
    let mut response = with(StatusCode::SERVICE_UNAVAILABLE, error);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Not yet, and not on this connection: the next one is answered by the hub itself.
pub(super) fn while_starting() -> Response {
    let mut response = for_now("starting");
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// No, and the rest of this connection is not read.
pub(super) fn and_close(status: StatusCode, error: &'static str) -> Response {
    let mut response = with(status, error);
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
