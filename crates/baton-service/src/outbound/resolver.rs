//! Names to addresses for the outbound client: lookups, made for a network before each of its calls, and the addresses
//! that were judged, which are all that the client connects to. The system's lookup blocks a thread and cannot be called
//! back, so only a few run at once, fewer yet for one network, and each counts until it really ends, also when nobody
//! waits for it any more.

use baton_core::{NetworkId, limits};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::Semaphore;

use super::CONNECT;
use super::error::Error;
use super::policy::{Policy, Scheme};

/// Asks what a name stands for; blocks.
type Ask = fn(&str) -> std::io::Result<Vec<IpAddr>>;

/// The lookups of the hub; clones share their bound.
#[derive(Debug, Clone)]
pub(super) struct Lookups {
    room: Arc<Semaphore>,
    /// What each network that looks something up has of it; gone when it has no lookup.
    shares: Arc<Mutex<HashMap<NetworkId, Weak<Semaphore>>>>,
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
        network: &NetworkId,
        name: &str,
    ) -> Result<Vec<IpAddr>, Error> {
        let found = tokio::time::timeout(self.patience, self.all(network, name)).await.unwrap_or(None);
        policy.usable(found.ok_or(Error::NoAddress)?, scheme)
    }

    async fn all(&self, network: &NetworkId, name: &str) -> Option<Vec<IpAddr>> {
        // The share first: who waits for it takes no place from others.
        let share = self.share(network).acquire_owned().await.ok()?;
        let place = self.room.clone().acquire_owned().await.ok()?;
        let (ask, name) = (self.ask, name.to_owned());
        let lookup = tokio::task::spawn_blocking(move || {
            let answer = ask(&name);
            drop((place, share));
            answer
        });
        lookup.await.ok()?.ok()
    }

    fn share(&self, network: &NetworkId) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(network).and_then(Weak::upgrade) {
            return share;
        }
        shares.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(limits::OUTBOUND_LOOKUPS_PER_NETWORK_AT_ONCE));
        shares.insert(network.clone(), Arc::downgrade(&share));
        share
    }
}

/// The judged addresses of the names that are being called over one scheme; clones share them. There are never more than
/// calls are being made.
#[derive(Debug, Clone, Default)]
pub(super) struct AllowedAddresses(Arc<Mutex<HashMap<String, Entry>>>);

#[derive(Debug)]
struct Entry {
    /// Those of the newest lookup: all lookups are judged by the same rules.
    addresses: Vec<IpAddr>,
    calls: usize,
}

impl AllowedAddresses {
    /// Lets these addresses be connected to until the call is over.
    pub(super) fn keep(&self, name: &str, addresses: Vec<IpAddr>) -> ActiveCall<'_> {
        let mut entries = self.entries();
        let calls = entries.get(name).map_or(0, |entry| entry.calls) + 1;
        entries.insert(name.to_owned(), Entry { addresses, calls });
        ActiveCall { judged: self, name: name.to_owned() }
    }

    fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, Error> {
        self.entries().get(name).map(|entry| entry.addresses.clone()).ok_or(Error::NoAddress)
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that is being made.
#[derive(Debug)]
pub(super) struct ActiveCall<'a> {
    judged: &'a AllowedAddresses,
    name: String,
}

impl Drop for ActiveCall<'_> {
    fn drop(&mut self) {
        let mut entries = self.judged.entries();
        if let Some(entry) = entries.get_mut(&self.name) {
            entry.calls -= 1;
            if entry.calls == 0 {
                entries.remove(&self.name);
            }
        }
    }
}

impl Resolve for AllowedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.addresses(name.as_str());
        Box::pin(async move {
            // The port is the URL's.
            let addresses: Addrs = Box::new(found?.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Condvar;

    /// A server of names that says nothing until it is asked to, for the names of one test.
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

    async fn one(lookups: Lookups, network: u8, name: &'static str) -> Result<Vec<IpAddr>, Error> {
        let network = crate::fixture::network(network);
        lookups.usable(&Policy::default(), Scheme::Https, &network, name).await
    }

    #[tokio::test]
    async fn lookups_that_hang_are_few_and_given_up_in_time() {
        static SERVER: Silent = Silent::new();
        let lookups = lookups(2, Duration::from_secs(1), |_| SERVER.ask());
        let waiting: Vec<_> = (0..20).map(|_| tokio::spawn(one(lookups.clone(), 1, "a.example"))).collect();
        SERVER.wait_for(2).await;
        for lookup in waiting {
            assert!(matches!(lookup.await.unwrap(), Err(Error::NoAddress)));
        }
        assert_eq!(SERVER.asked(), 2, "what nobody waits for still has its place");
        SERVER.answer();
        let lookups = Lookups { patience: CONNECT, ..lookups };
        assert_eq!(one(lookups, 1, "a.example").await.unwrap(), [IpAddr::from([8, 8, 8, 8])]);
    }

    #[tokio::test]
    async fn names_that_hang_for_one_network_leave_room_for_another() {
        static SERVER: Silent = Silent::new();
        let lookups = lookups(limits::OUTBOUND_LOOKUPS_AT_ONCE, CONNECT, |name| match name {
            "hangs.example" => SERVER.ask(),
            _ => Ok(vec![[8, 8, 8, 8].into()]),
        });
        let waiting: Vec<_> =
            (0..40).map(|_| tokio::spawn(one(lookups.clone(), 1, "hangs.example"))).collect();
        SERVER.wait_for(limits::OUTBOUND_LOOKUPS_PER_NETWORK_AT_ONCE).await;
        assert!(one(lookups.clone(), 2, "a.example").await.is_ok());
        assert_eq!(SERVER.asked(), limits::OUTBOUND_LOOKUPS_PER_NETWORK_AT_ONCE);
        SERVER.answer();
        for lookup in waiting {
            assert!(lookup.await.unwrap().is_ok());
        }
        assert!(one(lookups.clone(), 3, "a.example").await.is_ok());
        assert_eq!(lookups.shares.lock().unwrap().len(), 1, "shares go with those who had them");
    }

    #[test]
    fn a_client_connects_to_what_was_judged_for_a_call_that_is_being_made_and_to_nothing_else() {
        let judged = AllowedAddresses::default();
        let (first, newer) = (IpAddr::from([8, 8, 8, 8]), IpAddr::from([9, 9, 9, 9]));
        assert!(matches!(judged.addresses("a.example"), Err(Error::NoAddress)));
        let one = judged.keep("a.example", vec![first]);
        assert_eq!(judged.addresses("a.example").unwrap(), [first]);
        assert!(judged.addresses("b.example").is_err());
        let other = judged.keep("a.example", vec![newer]);
        drop(one);
        assert_eq!(judged.addresses("a.example").unwrap(), [newer], "the other call is still being made");
        drop(other);
        assert!(judged.addresses("a.example").is_err());
        assert!(judged.entries().is_empty());
    }
}
