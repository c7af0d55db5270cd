//! A request's method for logs and spans. HTTP accepts any word for one, as long as a head may be, so a word that is
//! not known goes by one name: nobody writes into them by calling.

use axum::http::Method;

/// The methods of RFC 9110 and RFC 5789, which are the known ones of OpenTelemetry's conventions.
const KNOWN: [Method; 9] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::DELETE,
    Method::CONNECT,
    Method::OPTIONS,
    Method::TRACE,
    Method::PATCH,
];

/// What every other one is called, by the same conventions (`http.request.method`).
const OTHER: &str = "_OTHER";

/// The name a method goes by.
pub(crate) fn method_name(method: &Method) -> &str {
    if KNOWN.contains(method) { method.as_str() } else { OTHER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_that_is_not_known_is_not_repeated() {
        assert_eq!(method_name(&Method::PATCH), "PATCH");
        for odd in ["BREW", "get", &"X".repeat(15_000)] {
            assert_eq!(method_name(&Method::from_bytes(odd.as_bytes()).unwrap()), OTHER);
        }
    }
}
