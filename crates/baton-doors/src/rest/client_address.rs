//! Where a call comes from: the socket's other end or, behind a proxy, what the proxy says of it.

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use crate::hub::Hub;

/// The client's address.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Where a request with these comes from.
    pub fn of(extensions: &Extensions, headers: &HeaderMap, behind_proxy: bool) -> Self {
        let socket = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let forwarded = behind_proxy.then(|| forwarded_for(headers)).flatten();
        // Without a socket all clients are one: stricter, never laxer.
        Self(forwarded.or(socket).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
    }
}

impl FromRequestParts<Arc<Hub>> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, hub: &Arc<Hub>) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.extensions, &parts.headers, hub.settings.behind_proxy))
    }
}

/// The last address of the last `X-Forwarded-For`: the one the proxy itself added, where a client's own come first.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    let text = last.to_str().ok()?.rsplit(',').next()?.trim();
    text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proxys_own_word_counts_and_not_the_clients() {
        let mut headers = HeaderMap::new();
        assert_eq!(forwarded_for(&headers), None);
        headers.append("x-forwarded-for", "192.0.2.1".parse().unwrap());
        headers.append("x-forwarded-for", "192.0.2.2, 198.51.100.7".parse().unwrap());
        assert_eq!(forwarded_for(&headers), Some("198.51.100.7".parse().unwrap()));
        headers.append("x-forwarded-for", "nonsense".parse().unwrap());
        assert_eq!(forwarded_for(&headers), None);
    }
}
