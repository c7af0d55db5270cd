//! An address that somebody wants called: `http` or `https`, a host, no user, no fragment, of bounded length.

use baton_core::limits;
use reqwest::Url;
use std::fmt;
use std::net::IpAddr;

use super::error::Error;
use super::policy::Scheme;

/// Where a call goes.
#[derive(Clone, PartialEq, Eq)]
pub struct Target(Url);

impl Target {
    /// Reads an address; whether it may be called is the policy's to say.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        if text.len() > limits::OUTBOUND_URL_MAX_BYTES {
            return Err(Error::NoTarget("is too long"));
        }
        let url = Url::parse(text).map_err(|_| Error::NoTarget("must be an https address"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(Error::NoTarget("must be an https address"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::NoTarget("must not hold a user or a password"));
        }
        if url.fragment().is_some() {
            return Err(Error::NoTarget("must not have a fragment"));
        }
        Ok(Self(url))
    }

    /// Where a request goes that was made for a target.
    pub(super) fn of(url: &Url) -> Self {
        Self(url.clone())
    }

    pub fn url(&self) -> &Url {
        &self.0
    }

    /// The same place with this path after it.
    pub fn join(&self, segments: &[&str]) -> Self {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        Self(url)
    }

    pub(super) fn scheme(&self) -> Scheme {
        if self.0.scheme() == "https" { Scheme::Https } else { Scheme::Http }
    }

    /// The address, if the host is written as one: the URL's reader has understood every odd way to write it.
    pub(super) fn literal(&self) -> Option<IpAddr> {
        self.0.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
    }

    /// The host, if it is a name.
    pub(super) fn name(&self) -> Option<&str> {
        if self.literal().is_some() { None } else { self.0.host_str() }
    }

    /// Scheme, host and port: what a credential is for, and what is waited for.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }
}

/// Paths and queries may hold secrets; the log is notified of the origin.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_plain_web_address_is_refused() {
        let long = format!("https://a.example/{}", "x".repeat(limits::OUTBOUND_URL_MAX_BYTES));
        for text in
            ["", "a", "ftp://a", "file:///etc/passwd", "https://u:p@a", "https://a/#f", "https:///", &long]
        {
            assert!(Target::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_number_is_known_however_it_is_written() {
        for text in ["http://127.1/", "http://0x7f000001/", "http://2130706433/", "http://0177.0.0.1/"] {
            assert_eq!(Target::parse(text).unwrap().literal(), Some([127, 0, 0, 1].into()), "{text}");
        }
        let mapped = Target::parse("http://[::ffff:127.0.0.1]:80/").unwrap();
        assert_eq!(mapped.literal(), Some("::ffff:127.0.0.1".parse().unwrap()));
        assert_eq!(Target::parse("https://a.example/").unwrap().name(), Some("a.example"));
    }

    #[test]
    fn a_target_prints_its_origin_alone() {
        let target = Target::parse("https://a.example/hooks/secret?key=secret").unwrap();
        assert_eq!(format!("{target:?}"), "https://a.example");
    }
}
