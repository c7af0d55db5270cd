//! As much of an agent's card as the hub needs to speak to it; the rest may be of any version.

use serde::Deserialize;

use super::{Binding, PeerError};

/// A card.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Card {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    supported_interfaces: Vec<Interface>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Interface {
    url: String,
    protocol_binding: String,
    #[serde(default)]
    protocol_version: Option<String>,
    #[serde(default)]
    tenant: Option<String>,
}

impl Card {
    /// The first interface that the hub can speak: the agent names the one it likes best first.
    pub(super) fn interface(&self) -> Result<(Binding, String), PeerError> {
        let found = self.supported_interfaces.iter().find_map(|interface| {
            let binding = match &*interface.protocol_binding {
                "JSONRPC" => Binding::JsonRpc,
                "HTTP+JSON" => Binding::HttpJson,
                _ => return None,
            };
            let version = interface.protocol_version.as_deref().unwrap_or("1.0");
            let is_spoken = version == "1.0" || version.starts_with("1.0.");
            let has_tenant = interface.tenant.as_ref().is_some_and(|tenant| !tenant.is_empty());
            (is_spoken && !has_tenant).then(|| (binding, interface.url.clone()))
        });
        let none = "its card names no interface of A2A 1.0 over JSON-RPC or HTTP+JSON without a tenant";
        found.ok_or_else(|| PeerError::Final(none.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_interface_that_is_spoken_is_taken() {
        let card = |text: &str| serde_json::from_str::<Card>(text).unwrap().interface();
        let taken = card(
            r#"{"name":"x","supportedInterfaces":[
                {"url":"https://a/g","protocolBinding":"GRPC","protocolVersion":"1.0"},
                {"url":"https://a/old","protocolBinding":"JSONRPC","protocolVersion":"0.3"},
                {"url":"https://a/t","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"t"},
                {"url":"https://a/h","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},
                {"url":"https://a/r","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}"#,
        );
        assert_eq!(taken.unwrap(), (Binding::HttpJson, "https://a/h".into()));
        assert!(card(r#"{"url":"https://a","preferredTransport":"JSONRPC"}"#).is_err());
    }
}
