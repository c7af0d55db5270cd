//! The link of an invite: a hub's address, and the code in the fragment, which browsers send to no server.

use std::fmt;

use super::HubAddress;

/// What stands between the hub's address and the code; the dashboard reads the same (`invite.js`).
const JOIN: &str = "/#/join/";

/// An invite to a network of a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InviteLink {
    hub: HubAddress,
    code: String,
}

impl InviteLink {
    pub(crate) fn new(hub: HubAddress, code: &str) -> Self {
        Self { hub, code: code.to_owned() }
    }

    fn parse(text: &str) -> Option<Self> {
        let (hub, code) = text.split_once(JOIN)?;
        let hub = hub.parse().ok()?;
        (!code.is_empty()).then(|| Self::new(hub, code))
    }
}

impl fmt::Display for InviteLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{JOIN}{}", self.hub, self.code)
    }
}

/// The code of an invite that was given as a code or as a link to this hub; otherwise what is wrong, without the code in it.
pub(crate) fn code_for(hub: &HubAddress, text: &str) -> Result<String, String> {
    let text = text.trim();
    if !text.contains("://") {
        return Ok(text.to_owned());
    }
    let Some(link) = InviteLink::parse(text) else {
        return Err(format!("this is not an invite's link; one to this hub begins with {hub}{JOIN}inv_"));
    };
    if link.hub == *hub {
        return Ok(link.code);
    }
    let other = link.hub;
    Err(format!(
        "this invite is of the hub at {other}, and you are logged in to {hub}; log in there with `baton login --hub {other}` \
         (or `baton register`) and run this again. If both are one hub, pass the code at the end of the link alone"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_the_hub_and_the_code_and_reads_back() {
        for (hub, link) in [
            ("http://127.0.0.1:9200", "http://127.0.0.1:9200/#/join/inv_0a"),
            ("https://a.example/", "https://a.example/#/join/inv_0a"),
        ] {
            let hub: HubAddress = hub.parse().unwrap();
            assert_eq!(InviteLink::new(hub.clone(), "inv_0a").to_string(), link);
            assert_eq!(code_for(&hub, link), Ok("inv_0a".into()));
            assert_eq!(code_for(&hub, " inv_0a\n"), Ok("inv_0a".into()));
        }
    }

    #[test]
    fn a_link_to_another_hub_or_to_none_is_refused_and_the_code_is_not_repeated() {
        let hub: HubAddress = "http://127.0.0.1:9200".parse().unwrap();
        for (link, says) in [
            ("http://127.0.0.1:9201/#/join/inv_secret", "the hub at http://127.0.0.1:9201, and"),
            ("https://127.0.0.1:9200/#/join/inv_secret", "the hub at https://127.0.0.1:9200, and"),
            ("http://127.0.0.1:9200/join/inv_secret", "not an invite's link"),
            ("http://127.0.0.1:9200/#/join/", "not an invite's link"),
            ("ftp://127.0.0.1/#/join/inv_secret", "not an invite's link"),
        ] {
            let refused = code_for(&hub, link).unwrap_err();
            assert!(refused.contains(says) && !refused.contains("secret"), "{refused}");
        }
    }
}
