//! The parameters of a request to the token endpoint: a form, each parameter once, and nothing in the query, which proxies and
//! browsers keep in logs.

use axum::body;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use baton_core::limits;
use std::collections::HashMap;

use super::error::Answer;
use crate::rest::{DoorError, refuse};
use crate::service::oauth::OauthError;

/// Parameters by name; those that are empty count as absent (RFC 6749, section 3.2).
#[derive(Debug, Default)]
pub(super) struct Form(HashMap<String, String>);

impl Form {
    /// Takes one out.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        self.0.remove(name)
    }

    fn read(bytes: &[u8]) -> Result<Self, OauthError> {
        let mut all = HashMap::new();
        for (name, value) in form_urlencoded::parse(bytes) {
            if all.insert(name.clone().into_owned(), value.into_owned()).is_some() {
                return Err(OauthError::invalid_request(format!("{name} was sent twice")));
            }
        }
        all.retain(|_, value: &mut String| !value.is_empty());
        Ok(Self(all))
    }
}

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = Response;

    async fn from_request(request: Request, _: &S) -> Result<Self, Response> {
        let refused = |why: &'static str| Answer(OauthError::invalid_request(why)).into_response();
        if request.uri().query().is_some_and(|query| !query.is_empty()) {
            return Err(refused("send the parameters in the body, none in the URL"));
        }
        let named = request.headers().get("content-type").and_then(|named| named.to_str().ok());
        let media_type = named.and_then(|named| named.split(';').next()).unwrap_or_default().trim();
        if !media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(refused("content-type must be application/x-www-form-urlencoded"));
        }
        let bytes = body::to_bytes(request.into_body(), limits::PUBLIC_BODY_MAX_BYTES).await;
        let bytes = bytes.map_err(|_| refuse::with(DoorError::BodyTooLarge))?;
        Self::read(&bytes).map_err(|error| Answer(error).into_response())
    }
}
