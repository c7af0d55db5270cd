//! An error as OAuth answers it: `error` and `error_description` (RFC 6749, section 5.2). What every door refuses with stays as it
//! is there.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::rest::ErrorResponse;
use crate::service::oauth::OauthError;

/// The answer.
pub(super) struct Answer(pub(super) OauthError);

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        match self.0 {
            OauthError::Standard { code, description } => {
                let body = json!({"error": code, "error_description": description});
                (StatusCode::BAD_REQUEST, Json(body)).into_response()
            }
            OauthError::Hub(error) => ErrorResponse(error).into_response(),
        }
    }
}
