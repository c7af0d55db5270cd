//! The address that a client knows the hub by. It is the configured one, but for a hub on loopback: that one is reached by
//! several names (`localhost`, `127.0.0.1`), and a client compares what it is answered with the name it called.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};

use crate::hub::Settings;

/// Without a slash at its end.
pub fn base_url(settings: &Settings, headers: &HeaderMap) -> String {
    let known = settings.public_url.parse::<Uri>().ok();
    let called = headers.get(header::HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
    match (known, called) {
        (Some(known), Some(called))
            if known.host().is_some_and(is_loopback_name) && is_loopback_name(called.host()) =>
        {
            format!("{}://{called}", known.scheme_str().unwrap_or("http"))
        }
        _ => settings.public_url.clone(),
    }
}

/// The machine's own names.
pub fn is_loopback_name(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || matches!(host, "127.0.0.1" | "[::1]")
}
