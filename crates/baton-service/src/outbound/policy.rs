//! What may be called: public addresses over `https`, and the ranges the operator named over either scheme. And whose
//! certificates are taken beside the system's.

use ipnet::IpNet;
use std::net::IpAddr;

use super::address::is_public;
use super::authorities::Authorities;
use super::error::Error;

/// How a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Https,
    Http,
}

/// The operator's rules.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    allowed: Vec<IpNet>,
    authorities: Authorities,
}

impl Policy {
    /// Public addresses, and these ranges; certificates the system knows, and these authorities'.
    pub const fn new(allowed: Vec<IpNet>, authorities: Authorities) -> Self {
        Self { allowed, authorities }
    }

    pub const fn authorities(&self) -> &Authorities {
        &self.authorities
    }

    /// Refuses an address that may not be called.
    pub(super) fn judge(&self, address: IpAddr, scheme: Scheme) -> Result<(), Error> {
        if self.allowed.iter().any(|range| range.contains(&address)) {
            return Ok(());
        }
        match (is_public(address), scheme) {
            (true, Scheme::Https) => Ok(()),
            (true, Scheme::Http) => Err(Error::NotHttps),
            (false, _) => Err(Error::Forbidden),
        }
    }

    /// Of what a name stands for, the addresses that may be called. Others are left out: exactly those that are
    /// left are connected to, so a name that points inside beside a public address reaches nothing inside.
    pub(super) fn usable(
        &self,
        addresses: impl IntoIterator<Item = IpAddr>,
        scheme: Scheme,
    ) -> Result<Vec<IpAddr>, Error> {
        let mut refused = None;
        let mut usable = Vec::new();
        for address in addresses {
            match self.judge(address, scheme) {
                Ok(()) => usable.push(address),
                Err(error) => refused = Some(error),
            }
        }
        match (usable.is_empty(), refused) {
            (true, Some(error)) => Err(error),
            (true, None) => Err(Error::NoAddress),
            (false, _) => Ok(usable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(ranges: &[&str]) -> Policy {
        Policy::new(ranges.iter().map(|range| range.parse().unwrap()).collect(), Authorities::default())
    }

    fn addresses(texts: &[&str]) -> Vec<IpAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn of_a_mixed_answer_only_the_public_address_is_used() {
        let mixed = addresses(&["10.0.0.1", "8.8.8.8", "::1"]);
        let usable = policy(&[]).usable(mixed.clone(), Scheme::Https).unwrap();
        assert_eq!(usable, addresses(&["8.8.8.8"]));
        let usable = policy(&["10.0.0.0/8"]).usable(mixed, Scheme::Http).unwrap();
        assert_eq!(usable, addresses(&["10.0.0.1"]), "plain http goes to the named range only");
    }

    #[test]
    fn an_answer_without_a_usable_address_is_refused() {
        let inside = policy(&[]).usable(addresses(&["10.0.0.1", "127.0.0.1"]), Scheme::Https);
        assert!(matches!(inside, Err(Error::Forbidden)), "{inside:?}");
        let nothing = policy(&[]).usable([], Scheme::Https);
        assert!(matches!(nothing, Err(Error::NoAddress)), "{nothing:?}");
    }

    #[test]
    fn a_range_opens_itself_and_nothing_beside_it() {
        let policy = policy(&["127.0.0.0/8", "fd00::/64"]);
        for (text, scheme, is_allowed) in [
            ("127.0.0.1", Scheme::Http, true),
            ("127.9.9.9", Scheme::Https, true),
            ("fd00::1", Scheme::Http, true),
            ("fd00:0:0:1::1", Scheme::Http, false),
            ("::ffff:127.0.0.1", Scheme::Http, false),
            ("128.0.0.1", Scheme::Http, false),
            ("128.0.0.1", Scheme::Https, true),
            ("10.0.0.1", Scheme::Https, false),
        ] {
            assert_eq!(policy.judge(text.parse().unwrap(), scheme).is_ok(), is_allowed, "{text} {scheme:?}");
        }
    }
}
