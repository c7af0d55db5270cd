//! What the server itself refuses with: a status and `{ok:false,error}`, as every door says it.

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::{DoorError, ErrorBody};

pub fn with(why: DoorError) -> Response {
    (why.status(), Json(ErrorBody::bare(why))).into_response()
}

/// A header came twice.
pub fn duplicate_header(name: &str) -> Response {
    (DoorError::DuplicateHeader.status(), Json(ErrorBody::duplicate_header(name))).into_response()
}

/// No, and what to do about it: coming back does not help.
pub fn with_remedy(why: DoorError) -> Response {
    (why.status(), Json(ErrorBody::with_remedy(why))).into_response()
}

/// Not now: the response says when to retry.
pub fn for_now(why: DoorError) -> Response {
    let mut response = with(why);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Not yet, and not on this connection: the next one is answered by the hub itself.
pub fn while_starting() -> Response {
    let mut response = for_now(DoorError::Starting);
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// No, and the rest of this connection is not read.
pub fn and_close(why: DoorError) -> Response {
    let mut response = with(why);
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
