//! How many connections each client address has open, and how many it may: one address never takes all there are.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::hub::client_of;

/// Connections, counted by address.
#[derive(Debug)]
pub(super) struct Addresses {
    /// Of one address; behind a proxy, whose connections are everybody's, there is no such number.
    most: Option<usize>,
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// One connection of an address; no longer counted when this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    addresses: Arc<Addresses>,
    client: IpAddr,
}

impl Addresses {
    pub(super) fn new(most: Option<usize>) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// One connection more, if the address may have it.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionSlot> {
        let client = client_of(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(client).or_default();
        if self.most.is_some_and(|most| *count >= most) {
            return None;
        }
        *count += 1;
        Some(ConnectionSlot { addresses: self.clone(), client })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.addresses.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_connections_and_another_its_own() {
        let addresses = Addresses::new(Some(2));
        let [one, same_64, other] =
            ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map(|text| text.parse().unwrap());
        let first = addresses.take(one).unwrap();
        let _second = addresses.take(same_64).unwrap();
        assert!(addresses.take(one).is_none());
        let _others = addresses.take(other).unwrap();
        drop(first);
        assert!(addresses.take(one).is_some());
        let unbounded = Addresses::new(None);
        assert!((0..100).map(|_| unbounded.take(one)).collect::<Vec<_>>().iter().all(Option::is_some));
    }
}
