//! Where a user is sent back to: the forms a redirect URI may have, and whether one is among those that a client registered.
//! They are compared byte for byte; only the port of a loopback address may differ (RFC 8252, section 7.3).

use crate::limits::OAUTH_URI_MAX_BYTES;

/// Schemes that a browser runs, reads files with, or sends unencrypted by; no app has them for itself.
const NO_APP: [&str; 16] = [
    "about",
    "blob",
    "chrome",
    "data",
    "file",
    "filesystem",
    "ftp",
    "http",
    "intent",
    "javascript",
    "jar",
    "mailto",
    "vbscript",
    "view-source",
    "ws",
    "wss",
];

/// A redirect URI of a form that the hub sends users to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectUri<'a> {
    text: &'a str,
    kind: Kind<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<'a> {
    /// `https`, at this host and port.
    Web { authority: &'a str },
    /// `http` on the user's own machine: the host, and what follows the port.
    Loopback { host: &'a str, rest: &'a str },
    /// A scheme that an app has registered with its system.
    App { scheme: &'a str },
}

impl<'a> RedirectUri<'a> {
    /// Reads one, or says what is wrong with it.
    pub fn parse(text: &'a str) -> Result<Self, &'static str> {
        if text.len() > OAUTH_URI_MAX_BYTES {
            return Err("is too long");
        }
        // What a URL may hold (RFC 3986), without the backslash that browsers read as a slash.
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte);
        if text.contains('#') {
            return Err("must not have a fragment");
        }
        if !text.bytes().all(is_allowed) {
            return Err("must be a URI of ASCII characters, others percent-encoded");
        }
        let (scheme, rest) = text.split_once(':').ok_or("must be an absolute URI")?;
        let kind = match scheme {
            "https" => Kind::Web { authority: authority(rest)?.0 },
            "http" => {
                let (authority, rest) = authority(rest)?;
                let (host, _) = host_and_port(authority)?;
                if !matches!(host, "127.0.0.1" | "[::1]" | "localhost") {
                    return Err("must be https, or http to 127.0.0.1, [::1] or localhost");
                }
                Kind::Loopback { host, rest }
            }
            _ => Kind::App { scheme: app_scheme(scheme)? },
        };
        Ok(Self { text, kind })
    }

    /// The whole of it.
    pub const fn as_str(&self) -> &'a str {
        self.text
    }

    /// Where it leads, for the user who decides: a host with its port, or an app's scheme.
    pub fn place(&self) -> &'a str {
        match self.kind {
            Kind::Web { authority } => authority,
            Kind::Loopback { host, .. } => host,
            Kind::App { scheme } => scheme,
        }
    }

    /// Whether it leads to a program on the user's own machine.
    pub const fn is_on_this_machine(&self) -> bool {
        matches!(self.kind, Kind::Loopback { .. } | Kind::App { .. })
    }

    /// Whether this one, which was registered, allows that one.
    fn allows(&self, asked: &Self) -> bool {
        match (self.kind, asked.kind) {
            (Kind::Loopback { host, rest }, Kind::Loopback { host: asked_host, rest: asked_rest }) => {
                host == asked_host && rest == asked_rest
            }
            _ => self.text == asked.text,
        }
    }
}

/// Whether one of these, as a client registered them, allows this one.
pub fn is_registered<'r>(registered: impl IntoIterator<Item = &'r str>, asked: &RedirectUri<'_>) -> bool {
    registered.into_iter().any(|uri| RedirectUri::parse(uri).is_ok_and(|uri| uri.allows(asked)))
}

/// Host and port, and what follows them.
fn authority(rest: &str) -> Result<(&str, &str), &'static str> {
    let rest = rest.strip_prefix("//").ok_or("must have a host")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    if authority.contains('@') {
        return Err("must not hold a user or a password");
    }
    host_and_port(authority)?;
    Ok((authority, rest))
}

fn host_and_port(authority: &str) -> Result<(&str, Option<&str>), &'static str> {
    let end = authority.rfind(']').map_or(0, |end| end + 1);
    let (host, port) = match authority[end..].find(':') {
        Some(colon) => (&authority[..end + colon], Some(&authority[end + colon + 1..])),
        None => (authority, None),
    };
    if host.is_empty() || port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Err("must have a host, and a port that is a number");
    }
    Ok((host, port))
}

fn app_scheme(scheme: &str) -> Result<&str, &'static str> {
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte));
    if !is_scheme || NO_APP.contains(&scheme) {
        return Err("must be https, http on loopback, or the scheme of an app in lower case");
    }
    Ok(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_uri_is_https_or_leads_to_the_users_own_machine() {
        for (text, place) in [
            ("https://client.example/callback?a=b", Some("client.example")),
            ("https://client.example:8443", Some("client.example:8443")),
            ("http://127.0.0.1/callback", Some("127.0.0.1")),
            ("http://localhost:6274/oauth/callback", Some("localhost")),
            ("http://[::1]:80/", Some("[::1]")),
            ("cursor://anysphere.cursor-retrieval/callback", Some("cursor")),
            ("com.example.app:/callback", Some("com.example.app")),
            ("http://client.example/callback", None),
            ("http://127.0.0.1.client.example/", None),
            ("http://localhost@client.example/", None),
            ("http://localhost:80@client.example/", None),
            ("https://user:password@client.example/", None),
            ("https://client.example/#fragment", None),
            ("https://client.example\\@evil.example/", None),
            ("https://", None),
            ("https:/client.example", None),
            ("https://client.example:port/", None),
            ("/callback", None),
            ("", None),
            ("javascript:alert(1)", None),
            ("JavaScript:alert(1)", None),
            ("data:text/html,x", None),
            ("file:///etc/passwd", None),
            ("https://client.example/ö", None),
            ("https://client.example/a b", None),
        ] {
            let read = RedirectUri::parse(text);
            assert_eq!(read.as_ref().ok().map(RedirectUri::place), place, "{text}: {read:?}");
        }
        let long = format!("https://client.example/{}", "x".repeat(OAUTH_URI_MAX_BYTES));
        assert!(RedirectUri::parse(&long).is_err());
    }

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ_from_what_was_registered() {
        for (registered, asked, is_allowed) in [
            ("https://a.example/cb", "https://a.example/cb", true),
            ("https://a.example/cb", "https://a.example/cb/", false),
            ("https://a.example/cb", "https://a.example/cb?x=1", false),
            ("https://a.example/cb", "https://a.example/CB", false),
            ("https://a.example/cb", "https://a.example:443/cb", false),
            ("https://a.example:1/cb", "https://a.example:2/cb", false),
            ("https://a.example/cb", "https://b.a.example/cb", false),
            ("https://a.example/cb", "http://127.0.0.1/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1:49152/cb", true),
            ("http://127.0.0.1:1/cb", "http://127.0.0.1:2/cb", true),
            ("http://127.0.0.1:1/cb", "http://127.0.0.1/cb", true),
            ("http://127.0.0.1/cb", "http://127.0.0.1:2/other", false),
            ("http://127.0.0.1/cb", "http://localhost/cb", false),
            ("http://[::1]/cb", "http://[::1]:5/cb", true),
            ("app:/cb", "app:/cb", true),
            ("app:/cb", "app:/cc", false),
        ] {
            let asked_uri = RedirectUri::parse(asked).unwrap();
            assert_eq!(is_registered([registered], &asked_uri), is_allowed, "{registered} {asked}");
        }
        assert!(!is_registered([], &RedirectUri::parse("https://a.example/").unwrap()));
    }
}
