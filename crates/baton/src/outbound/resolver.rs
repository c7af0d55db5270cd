//! Names to addresses for the outbound client. What this gives is what is connected to: there is no second lookup
//! between the check and the connection.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::IpAddr;
use std::time::Duration;

use super::error::Error;
use super::policy::{Policy, Scheme};
use super::{CONNECT, without_port};

/// Resolves names under a policy, for one scheme.
#[derive(Debug)]
pub(super) struct Resolver {
    policy: Policy,
    scheme: Scheme,
}

/// As long as a connection may take.
const PATIENCE: Duration = CONNECT;

impl Resolver {
    pub(super) const fn new(policy: Policy, scheme: Scheme) -> Self {
        Self { policy, scheme }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (policy, scheme) = (self.policy.clone(), self.scheme);
        Box::pin(async move {
            let usable = look_up(&policy, scheme, name.as_str()).await?;
            let addresses: Addrs = Box::new(usable.into_iter().map(without_port));
            Ok(addresses)
        })
    }
}

/// The addresses of a name that may be called.
pub(super) async fn look_up(policy: &Policy, scheme: Scheme, name: &str) -> Result<Vec<IpAddr>, Error> {
    let answer = tokio::time::timeout(PATIENCE, tokio::net::lookup_host((name, 0))).await;
    let found = answer.map_err(|_| Error::NoAddress)?.map_err(|_| Error::NoAddress)?;
    policy.usable(found.map(|address| address.ip()), scheme)
}
