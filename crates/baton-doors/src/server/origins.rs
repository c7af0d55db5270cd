//! Browsers say which page a request comes from. Pages of the hub itself pass, pages of a configured origin pass
//! with CORS headers, all others are turned away; without configured origins there is no CORS at all.
//! What is not a browser sends no `Origin` and is not concerned.

use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::hosts;

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, DELETE");
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, \
     a2a-version, a2a-extensions, idempotency-key, traceparent, tracestate, x-request-id",
);
const EXPOSED: HeaderValue = HeaderValue::from_static("retry-after, x-request-id, mcp-session-id");
const REMEMBERED_SECONDS: HeaderValue = HeaderValue::from_static("600");

/// The origins that were configured.
#[derive(Debug)]
pub(super) struct Origins(Vec<String>);

/// Where a request comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Page {
    /// No browser, or a page of the hub itself.
    Own,
    /// A page of a configured origin.
    Configured(HeaderValue),
    /// Any other page.
    Foreign,
}

impl Origins {
    pub(super) fn new(configured: &[String]) -> Self {
        Self(configured.iter().map(|origin| origin.to_ascii_lowercase()).collect())
    }

    pub(super) fn page(&self, headers: &HeaderMap) -> Page {
        let Some(value) = headers.get(header::ORIGIN) else { return Page::Own };
        let Ok(origin) = value.to_str() else { return Page::Foreign };
        // First: the hub's own page stays its own, and keeps its cookie, when its address is configured as well.
        if is_own(origin, headers) {
            return Page::Own;
        }
        let is_configured = self.0.iter().any(|configured| configured.eq_ignore_ascii_case(origin));
        if is_configured { Page::Configured(value.clone()) } else { Page::Foreign }
    }
}

/// The origin is the host the request is sent to; a page of another port is another page.
fn is_own(origin: &str, headers: &HeaderMap) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.zip(hosts::host(headers)).is_some_and(|(page, host)| host.as_str().eq_ignore_ascii_case(page))
}

/// Whether a browser asks before it calls.
pub(super) fn is_preflight<B>(request: &Request<B>) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The CORS headers for such a browser.
pub(super) fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, REMEMBERED_SECONDS),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Lets a page of a configured origin read the answer.
pub(super) fn open_to(origin: HeaderValue, headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hubs_own_page_stays_its_own_when_its_origin_is_configured_too() {
        let origins = Origins::new(&["http://Localhost:9200".into(), "https://elsewhere.example".into()]);
        let page = |origin: &'static str| {
            let headers = [(header::HOST, "localhost:9200"), (header::ORIGIN, origin)];
            let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
            origins.page(&HeaderMap::from_iter(headers))
        };
        assert_eq!(page("http://localhost:9200"), Page::Own);
        let elsewhere = "https://elsewhere.example";
        assert_eq!(page(elsewhere), Page::Configured(HeaderValue::from_static(elsewhere)));
        assert_eq!(page("http://localhost:9201"), Page::Foreign);
    }
}
