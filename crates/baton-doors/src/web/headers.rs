//! Security headers for browsers: a page loads and calls nothing but its own hub, and cannot be framed.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;

const OF_PAGES: [(HeaderName, HeaderValue); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    // For browsers that do not know frame-ancestors: a decision must not be clickable inside another page.
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::X_CONTENT_TYPE_OPTIONS, NOSNIFF),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-opener-policy"), SAME_ORIGIN),
    (CROSS_ORIGIN_RESOURCE_POLICY, SAME_ORIGIN),
];

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// What goes with a page and everything it loads.
pub(super) async fn of_page(mut response: Response) -> Response {
    response.headers_mut().extend(OF_PAGES);
    response
}

/// What goes with every answer about a session.
pub(super) async fn of_session(mut response: Response) -> Response {
    keep_private(response.headers_mut());
    response
}

/// What goes with an answer that was given by cookie: it stays in the page that asked.
pub(crate) fn keep_private(headers: &mut HeaderMap) {
    headers.entry(header::CACHE_CONTROL).or_insert(NO_STORE);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, SAME_ORIGIN);
}
