//! Why an outbound call failed. No text here holds a path, a query, a credential or what a name resolved to: the user who
//! gives names to call must not learn from a refusal how things stand inside.

use std::error::Error as _;

/// No answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The given text is not an address to call.
    #[error("{0}")]
    NoTarget(&'static str),
    /// The address is not public, and the operator has not allowed its range.
    #[error(
        "leads to an address that the hub may not call; `baton hub start --allow-outbound CIDR` can allow it"
    )]
    Forbidden,
    /// A public address over plain http.
    #[error("must be an https address: plain http only goes to ranges the operator allowed")]
    NotHttps,
    /// The name has no address.
    #[error("its host has no address")]
    NoAddress,
    /// Nobody the hub knows has signed its certificate.
    #[error(
        "its certificate is signed by an unknown authority; add that authority with `baton hub start --outbound-ca FILE`"
    )]
    UnknownIssuer,
    /// There is no connection: nothing of the call has left the hub.
    #[error("no connection: {0}")]
    NoConnection(String),
    /// Nothing came in time.
    #[error("no answer in time")]
    Silent,
    /// The answer is longer than any may be.
    #[error("the answer is too long")]
    TooLong,
    /// The answer is not what was asked for.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    /// The call failed on its way.
    #[error("{0}")]
    Failed(String),
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        let mut causes = std::iter::successors(error.source(), |cause| (*cause).source());
        if causes.any(is_unknown_issuer) {
            return Self::UnknownIssuer;
        }
        if error.is_connect() {
            return Self::NoConnection(last_cause(&error.without_url()));
        }
        if error.is_timeout() {
            return Self::Silent;
        }
        Self::Failed(last_cause(&error.without_url()))
    }
}

/// What TLS says comes inside the error of the line, which may come inside another.
fn is_unknown_issuer(cause: &(dyn std::error::Error + 'static)) -> bool {
    use rustls::{CertificateError, Error};
    if let Some(said) = cause.downcast_ref::<Error>() {
        return matches!(said, Error::InvalidCertificate(CertificateError::UnknownIssuer));
    }
    let inside = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    inside.is_some_and(|inside| is_unknown_issuer(inside))
}

/// The innermost cause says what happened; the others say what was being done.
fn last_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
