//! Where an agent is reached by gRPC: the hub's host and port, and the agent's name as `tenant`.

use a2a_types::{AgentInterface, TRANSPORT_PROTOCOL_GRPC};
use axum::http::Uri;

use crate::service::agent::AgentAddress;

/// The card's entry; none where the hub is reached below a path, which gRPC has not.
pub(in crate::a2a) fn interface(public_url: &str, address: &AgentAddress) -> Option<AgentInterface> {
    let tenant = Some(format!("{}/{}", address.network_id, address.alias));
    Some(AgentInterface { tenant, ..AgentInterface::new(target(public_url)?, TRANSPORT_PROTOCOL_GRPC) })
}

/// `HOST:PORT`, as gRPC's clients take it. Whether it is TLS they have to know; the other interfaces' URLs say it.
fn target(public_url: &str) -> Option<String> {
    let uri: Uri = public_url.parse().ok()?;
    if !matches!(uri.path(), "" | "/") {
        return None;
    }
    let authority = uri.authority()?;
    let port = authority.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    Some(format!("{}:{port}", authority.host()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_gives_host_and_port_unless_it_has_a_path() {
        for (url, expected) in [
            ("http://127.0.0.1:7070", Some("127.0.0.1:7070")),
            ("https://hub.example.org", Some("hub.example.org:443")),
            ("http://hub.example.org", Some("hub.example.org:80")),
            ("https://hub.example.org:8443/", Some("hub.example.org:8443")),
            ("http://[::1]:7070", Some("[::1]:7070")),
            ("https://example.org/hub", None),
        ] {
            assert_eq!(target(url).as_deref(), expected, "{url}");
        }
    }
}
