//! The `traceparent` header. One that does not follow the specification, or comes twice, is as good as none.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use baton_core::TraceParent;
use std::convert::Infallible;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace a request belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traced(pub Option<TraceParent>);

impl<S: Sync> FromRequestParts<S> for Traced {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(of_headers(&parts.headers)))
    }
}

/// What the headers say.
pub(crate) fn of_headers(headers: &HeaderMap) -> Option<TraceParent> {
    let mut values = headers.get_all(TRACEPARENT).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => TraceParent::parse(value.to_str().ok()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn one_header_counts_and_two_do_not() {
        let value = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let mut headers = HeaderMap::new();
        assert_eq!(of_headers(&headers), None);
        headers.append(TRACEPARENT, HeaderValue::from_static(value));
        assert_eq!(of_headers(&headers), TraceParent::parse(value));
        headers.append(TRACEPARENT, HeaderValue::from_static(value));
        assert_eq!(of_headers(&headers), None);
    }
}
