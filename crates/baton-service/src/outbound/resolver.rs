//! Names to addresses for the outbound client. What this gives is what is connected to: there is no second lookup
//! between the check and the connection. The system's lookup blocks a thread and cannot be called back, so only a few
//! run at once, fewer yet for one network, and each counts until it really ends, also when nobody waits for it any
//! more.

use baton_core::{NetworkId, limits};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashMap;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::Semaphore;

use super::error::Error;
use super::policy::{Policy, Scheme};
use super::{CONNECT, without_port};

/// Asks what a name stands for; blocks.
type Ask = fn(&str) -> std::io::Result<Vec<IpAddr>>;

tokio::task_local! {
    /// For which network a call is made.
    static NETWORK: NetworkId;
}

/// Does what makes calls for a network: its names take turns among themselves.
pub fn for_network<F: Future>(network: &NetworkId, calls: F) -> impl Future<Output = F::Output> + use<F> {
    NETWORK.scope(network.clone(), calls)
}

/// For whom this task makes calls; none: for nobody in particular.
pub(super) fn whose() -> Whose {
    NETWORK.try_with(Clone::clone).ok()
}

pub(super) type Whose = Option<NetworkId>;

/// The lookups of the hub; clones share their bound.
#[derive(Debug, Clone)]
pub(super) struct Lookups {
    room: Arc<Semaphore>,
    /// What each who looks something up has of it; gone when nobody does.
    shares: Arc<Mutex<HashMap<Whose, Weak<Semaphore>>>>,
    /// For a place among the lookups and the answer together.
    patience: Duration,
    ask: Ask,
}

impl Default for Lookups {
    fn default() -> Self {
        let room = Arc::new(Semaphore::new(limits::OUTBOUND_LOOKUPS_AT_ONCE));
        Self { room, shares: Arc::default(), patience: CONNECT, ask: ask_system }
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
        (whose, name): (Whose, &str),
    ) -> Result<Vec<IpAddr>, Error> {
        let found = tokio::time::timeout(self.patience, self.all(whose, name)).await.unwrap_or(None);
        policy.usable(found.ok_or(Error::NoAddress)?, scheme)
    }

    async fn all(&self, whose: Whose, name: &str) -> Option<Vec<IpAddr>> {
        // The share first: who waits for it takes no place from others.
        let share = self.share(whose).acquire_owned().await.ok()?;
        let place = self.room.clone().acquire_owned().await.ok()?;
        let (ask, name) = (self.ask, name.to_owned());
        let lookup = tokio::task::spawn_blocking(move || {
            let answer = ask(&name);
            drop((place, share));
            answer
        });
        lookup.await.ok()?.ok()
    }

    fn share(&self, whose: Whose) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(&whose).and_then(Weak::upgrade) {
            return share;
        }
        shares.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(limits::OUTBOUND_LOOKUPS_PER_NETWORK_AT_ONCE));
        shares.insert(whose, Arc::downgrade(&share));
        share
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
        // Asked here, in the task that makes the call; the rest may be run by another.
        let whose = whose();
        Box::pin(async move {
            let usable = lookups.usable(&policy, scheme, (whose, name.as_str())).await?;
            let addresses: Addrs = Box::new(usable.into_iter().map(without_port));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Condvar;

    /// A server of names that says nothing until it is told to, for the names of one test.
    struct Silent {
        state: Mutex<(usize, bool)>,
        changed: Condvar,
    }

    impl Silent {
        const fn new() -> Self {
            Self { state: Mutex::new((0, false)), changed: Condvar::new() }
        }

        fn ask(&self) -> std::io::Result<Vec<IpAddr>> {
            let mut state = self.state.lock().unwrap();
            state.0 += 1;
            self.changed.notify_all();
            drop(self.changed.wait_while(state, |(_, answers)| !*answers).unwrap());
            Ok(vec![[8, 8, 8, 8].into()])
        }

        /// Waits until so many were asked.
        async fn wait_for(&'static self, count: usize) {
            let wait = move || {
                drop(
                    self.changed.wait_while(self.state.lock().unwrap(), |(asked, _)| *asked < count).unwrap(),
                );
            };
            tokio::task::spawn_blocking(wait).await.unwrap();
        }

        fn asked(&self) -> usize {
            self.state.lock().unwrap().0
        }

        fn answer(&self) {
            self.state.lock().unwrap().1 = true;
            self.changed.notify_all();
        }
    }

    fn lookups(room: usize, patience: Duration, ask: Ask) -> Lookups {
        Lookups { room: Arc::new(Semaphore::new(room)), shares: Arc::default(), patience, ask }
    }

    async fn one(lookups: Lookups, whose: Whose, name: &'static str) -> Result<Vec<IpAddr>, Error> {
        lookups.usable(&Policy::default(), Scheme::Https, (whose, name)).await
    }

    #[tokio::test]
    async fn lookups_that_hang_are_few_and_given_up_in_time() {
        static SERVER: Silent = Silent::new();
        let lookups = lookups(2, Duration::from_secs(1), |_| SERVER.ask());
        let waiting: Vec<_> =
            (0..20).map(|_| tokio::spawn(one(lookups.clone(), None, "a.example"))).collect();
        SERVER.wait_for(2).await;
        for lookup in waiting {
            assert!(matches!(lookup.await.unwrap(), Err(Error::NoAddress)));
        }
        assert_eq!(SERVER.asked(), 2, "what nobody waits for still has its place");
        SERVER.answer();
        let lookups = Lookups { patience: CONNECT, ..lookups };
        assert_eq!(one(lookups, None, "a.example").await.unwrap(), [IpAddr::from([8, 8, 8, 8])]);
    }

    #[tokio::test]
    async fn names_that_hang_for_one_network_leave_room_for_another_and_for_nobody() {
        static SERVER: Silent = Silent::new();
        let lookups = lookups(limits::OUTBOUND_LOOKUPS_AT_ONCE, CONNECT, |name| match name {
            "hangs.example" => SERVER.ask(),
            _ => Ok(vec![[8, 8, 8, 8].into()]),
        });
        let crowd = |n: u8| Some(crate::fixture::network(n));
        let waiting: Vec<_> =
            (0..40).map(|_| tokio::spawn(one(lookups.clone(), crowd(1), "hangs.example"))).collect();
        SERVER.wait_for(limits::OUTBOUND_LOOKUPS_PER_NETWORK_AT_ONCE).await;
        for whose in [crowd(2), None] {
            assert!(one(lookups.clone(), whose, "a.example").await.is_ok());
        }
        assert_eq!(SERVER.asked(), limits::OUTBOUND_LOOKUPS_PER_NETWORK_AT_ONCE);
        SERVER.answer();
        for lookup in waiting {
            assert!(lookup.await.unwrap().is_ok());
        }
        assert!(one(lookups.clone(), crowd(3), "a.example").await.is_ok());
        assert_eq!(lookups.shares.lock().unwrap().len(), 1, "shares go with those who had them");
    }

    #[tokio::test]
    async fn a_call_for_a_network_is_known_as_its_own() {
        let network = crate::fixture::network(1);
        assert_eq!(for_network(&network, async { whose() }).await, Some(network.clone()));
        assert_eq!(whose(), None);
    }
}
