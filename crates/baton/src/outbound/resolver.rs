//! Names to addresses for the outbound client. What this gives is what is connected to: there is no second lookup
//! between the check and the connection. The system's lookup blocks a thread and cannot be called back, so only a few
//! run at once, and each counts until it really ends, also when nobody waits for it any more.

use baton_core::limits;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

use super::error::Error;
use super::policy::{Policy, Scheme};
use super::{CONNECT, without_port};

/// Asks what a name stands for; blocks.
type Ask = fn(&str) -> std::io::Result<Vec<IpAddr>>;

/// The lookups of the hub; clones share their bound.
#[derive(Debug, Clone)]
pub(super) struct Lookups {
    room: Arc<Semaphore>,
    /// For a place among the lookups and the answer together.
    patience: Duration,
    ask: Ask,
}

impl Default for Lookups {
    fn default() -> Self {
        let room = Arc::new(Semaphore::new(limits::OUTBOUND_LOOKUPS_AT_ONCE));
        Self { room, patience: CONNECT, ask: ask_system }
    }
}

fn ask_system(name: &str) -> std::io::Result<Vec<IpAddr>> {
    Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}

impl Lookups {
    /// The addresses of a name that may be called.
    pub(super) async fn usable(
        &self,
        policy: &Policy,
        scheme: Scheme,
        name: &str,
    ) -> Result<Vec<IpAddr>, Error> {
        let found = tokio::time::timeout(self.patience, self.all(name)).await.unwrap_or(None);
        policy.usable(found.ok_or(Error::NoAddress)?, scheme)
    }

    async fn all(&self, name: &str) -> Option<Vec<IpAddr>> {
        let place = self.room.clone().acquire_owned().await.ok()?;
        let (ask, name) = (self.ask, name.to_owned());
        let lookup = tokio::task::spawn_blocking(move || {
            let answer = ask(&name);
            drop(place);
            answer
        });
        lookup.await.ok()?.ok()
    }
}

/// Resolves names under a policy, for one scheme.
#[derive(Debug)]
pub(super) struct Resolver {
    lookups: Lookups,
    policy: Policy,
    scheme: Scheme,
}

impl Resolver {
    pub(super) const fn new(lookups: Lookups, policy: Policy, scheme: Scheme) -> Self {
        Self { lookups, policy, scheme }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookups, policy, scheme) = (self.lookups.clone(), self.policy.clone(), self.scheme);
        Box::pin(async move {
            let usable = lookups.usable(&policy, scheme, name.as_str()).await?;
            let addresses: Addrs = Box::new(usable.into_iter().map(without_port));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    static ASKED: AtomicUsize = AtomicUsize::new(0);
    static ANSWERS: AtomicBool = AtomicBool::new(false);

    /// A server of names that says nothing until it is told to.
    fn silent(_: &str) -> std::io::Result<Vec<IpAddr>> {
        ASKED.fetch_add(1, Ordering::SeqCst);
        while !ANSWERS.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        Ok(vec![[8, 8, 8, 8].into()])
    }

    #[tokio::test]
    async fn lookups_that_hang_are_few_and_given_up_in_time() {
        let patience = Duration::from_millis(100);
        let lookups = Lookups { room: Arc::new(Semaphore::new(2)), patience, ask: silent };
        let one = || {
            let lookups = lookups.clone();
            tokio::spawn(async move { lookups.usable(&Policy::default(), Scheme::Https, "a.example").await })
        };
        let waiting: Vec<_> = (0..20).map(|_| one()).collect();
        for lookup in waiting {
            assert!(matches!(lookup.await.unwrap(), Err(Error::NoAddress)));
        }
        assert_eq!(ASKED.load(Ordering::SeqCst), 2, "what nobody waits for still has its place");
        ANSWERS.store(true, Ordering::SeqCst);
        let lookups = Lookups { patience: CONNECT, ..lookups };
        assert_eq!(
            lookups.usable(&Policy::default(), Scheme::Https, "a.example").await.unwrap(),
            [IpAddr::from([8, 8, 8, 8])]
        );
    }
}
