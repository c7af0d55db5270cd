//! An answer's body that holds something until it has been sent or dropped.

use axum::body::{Body, Bytes, HttpBody};
use http_body_util::BodyExt;

/// The same body; `held` is dropped with it.
pub(crate) fn holding<T>(body: Body, held: T) -> impl HttpBody<Data = Bytes, Error = axum::Error> {
    body.map_err(move |error| {
        let _held = &held;
        error
    })
}
