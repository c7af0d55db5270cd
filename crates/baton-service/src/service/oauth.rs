//! The authorization server: MCP clients that register or name themselves by a URL, what a signed-in user allows one of
//! them, and the codes and tokens it gets for that. A grant is a node token of the user (`accounts/tokens.rs` lists and revokes
//! it with the others), to which access tokens and one refresh token lead. Access tokens count at `/mcp` and nowhere else.

pub mod authorization;
mod client;
mod client_document;
mod error;
pub mod exchange;
pub mod registration;
pub mod revocation;
mod secrets;

pub use error::OauthError;

use reqwest::Url;

/// Where tokens are for (RFC 8707): this hub's MCP door, at any of the addresses that the hub is reached by.
pub fn resource_at(base: &str) -> String {
    format!("{base}/mcp")
}

/// Whether a client means that place. Without the parameter it cannot mean another one.
fn is_own_resource(asked: Option<&str>, base: &str) -> bool {
    let same = |asked: &str| {
        let (asked, own) = (Url::parse(asked.trim_end_matches('/')), Url::parse(&resource_at(base)));
        asked.is_ok_and(|asked| own.is_ok_and(|own| asked == own))
    };
    asked.is_none_or(same)
}

#[cfg(test)]
mod tests {
    use super::is_own_resource;

    #[test]
    fn a_token_is_for_this_hubs_mcp_door_and_for_nothing_else() {
        for (asked, is_own) in [
            (None, true),
            (Some("https://hub.example/mcp"), true),
            (Some("https://hub.example/mcp/"), true),
            (Some("HTTPS://HUB.example:443/mcp"), true),
            (Some("https://hub.example/"), false),
            (Some("https://hub.example/mcp?x=1"), false),
            (Some("https://hub.example/mcp#x"), false),
            (Some("https://hub.example/api"), false),
            (Some("http://hub.example/mcp"), false),
            (Some("https://other.example/mcp"), false),
            (Some("https://hub.example@other.example/mcp"), false),
            (Some(""), false),
        ] {
            assert_eq!(is_own_resource(asked, "https://hub.example"), is_own, "{asked:?}");
        }
    }
}
