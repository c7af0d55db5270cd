//! A use case's answer as JSON.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::Failure;
use crate::service::Error;

/// 200 with the answer, or the error's response.
pub(crate) fn answer<T: Serialize>(outcome: Result<T, Error>) -> Response {
    match outcome {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => Failure(error).into_response(),
    }
}
