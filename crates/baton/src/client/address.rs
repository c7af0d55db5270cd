//! Where a hub is: `http` or `https`, a host, maybe a port and a path in front. No user, no query, no fragment.

use reqwest::Url;
use std::fmt;
use std::str::FromStr;

/// Where a hub listens when nobody says otherwise.
const LOCAL: &str = "http://127.0.0.1:9200";

/// A hub's address.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct HubAddress(Url);

impl HubAddress {
    /// The hub on this machine, at its usual port.
    pub(crate) fn local() -> Option<Self> {
        LOCAL.parse().ok()
    }

    /// The address of a route; each segment is escaped, so that no id leads out of its place.
    pub(super) fn route(&self, segments: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// The address of the hub's MCP door.
    pub(crate) fn mcp(&self) -> String {
        self.route(&["mcp"]).into()
    }

    pub(crate) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether the hub is on this machine, where no proxy stands between and nobody listens in.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
        address.map_or(host == "localhost", |address| address.is_loopback())
    }
}

impl FromStr for HubAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const RULE: &str = "give the hub's address, such as http://127.0.0.1:9200 or https://hub.example.org";
        // With or without its last slash it is the same hub.
        let url = Url::parse(text.trim().trim_end_matches('/')).map_err(|_| RULE)?;
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        if is_web && is_plain { Ok(Self(url)) } else { Err(RULE) }
    }
}

impl fmt::Display for HubAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for HubAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_printed_without_its_last_slash_and_routes_stand_below_it() {
        for (text, printed, route) in [
            ("http://127.0.0.1:9200", "http://127.0.0.1:9200", "http://127.0.0.1:9200/api/tasks"),
            ("https://a.example/hub/", "https://a.example/hub", "https://a.example/hub/api/tasks"),
        ] {
            let hub: HubAddress = text.parse().unwrap();
            assert_eq!(hub.to_string(), printed);
            assert_eq!(hub.route(&["api", "tasks"]).as_str(), route);
        }
    }

    #[test]
    fn a_slash_at_the_end_makes_no_other_hub() {
        for text in ["http://127.0.0.1:9200", "https://a.example/hub"] {
            assert_eq!(text.parse::<HubAddress>(), format!("{text}/").parse());
        }
    }

    #[test]
    fn an_id_leads_out_of_its_place_by_no_means() {
        let hub = HubAddress::local().unwrap();
        let url = hub.route(&["api", "tasks", "../../x?y#z"]);
        assert_eq!(url.as_str(), "http://127.0.0.1:9200/api/tasks/..%2F..%2Fx%3Fy%23z");
    }

    #[test]
    fn what_is_no_plain_web_address_is_refused() {
        for text in ["", "hub", "127.0.0.1:9200", "ftp://a", "http://u:p@a", "http://a/?q", "http://a/#f"] {
            assert!(text.parse::<HubAddress>().is_err(), "{text}");
        }
    }

    #[test]
    fn loopback_is_known_by_name_and_by_number() {
        for (text, is_loopback) in [
            ("http://localhost:1", true),
            ("http://127.0.0.9", true),
            ("http://[::1]:9", true),
            ("http://10.0.0.1", false),
            ("https://hub.example.org", false),
        ] {
            assert_eq!(text.parse::<HubAddress>().unwrap().is_loopback(), is_loopback, "{text}");
        }
    }
}
