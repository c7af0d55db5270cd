//! A use case's answer as JSON.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::{ErrorResponse, json};
use crate::service::Error;

/// 200 with the answer, or the error's response.
pub fn answer<T: Serialize>(outcome: Result<T, Error>) -> Response {
    match outcome {
        Ok(answer) => json(StatusCode::OK, "application/json", &answer),
        Err(error) => ErrorResponse(error).into_response(),
    }
}
