//! What a client is answered instead of tokens, in the words of RFC 6749, 7591 and 8707.

use std::borrow::Cow;

use crate::error::Error;

/// No tokens, or no registration.
#[derive(Debug)]
pub enum OauthError {
    /// A code of the standards, and what is wrong in words.
    Standard { code: &'static str, description: Cow<'static, str> },
    /// What every door refuses with: too many calls, a store that is busy.
    Hub(Error),
}

impl OauthError {
    fn new(code: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self::Standard { code, description: description.into() }
    }

    pub fn invalid_request(description: impl Into<Cow<'static, str>>) -> Self {
        Self::new("invalid_request", description)
    }

    pub fn invalid_grant(description: impl Into<Cow<'static, str>>) -> Self {
        Self::new("invalid_grant", description)
    }

    pub fn invalid_target(resource: &str) -> Self {
        Self::new("invalid_target", format!("resource must be {resource}"))
    }

    pub fn unsupported_grant_type() -> Self {
        Self::new("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
    }

    pub fn invalid_redirect_uri(description: impl Into<Cow<'static, str>>) -> Self {
        Self::new("invalid_redirect_uri", description)
    }

    pub fn invalid_client_metadata(description: impl Into<Cow<'static, str>>) -> Self {
        Self::new("invalid_client_metadata", description)
    }
}

impl From<Error> for OauthError {
    fn from(error: Error) -> Self {
        Self::Hub(error)
    }
}
