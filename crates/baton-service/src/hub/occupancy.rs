//! What a network holds open in this process: streams, waiting claims and calls that wait for a task, counted in memory and capped by its quotas.
//! A number that a system admin set is read once and kept here, so that nothing is read for each stream or claim.

use baton_core::{NetworkId, Quota, Refusal};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

use super::Hub;
use crate::error::Error;

type Key = (NetworkId, Quota);

/// The quotas that are counted here.
const COUNTED: [Quota; 3] = [Quota::WaitingClaims, Quota::WaitingCalls, Quota::Streams];

/// What every network holds open.
#[derive(Debug, Default)]
pub struct Occupancy {
    held: Arc<Mutex<HashMap<Key, i64>>>,
    /// The numbers that are not the default.
    max: OnceCell<Mutex<HashMap<Key, i64>>>,
}

/// One open stream, waiting claim or waiting call; it counts until it is dropped.
#[derive(Debug)]
pub struct Occupied {
    held: Arc<Mutex<HashMap<Key, i64>>>,
    key: Key,
}

impl Hub {
    /// Takes one of what a network may hold open.
    pub async fn occupy(&self, quota: Quota, network: &NetworkId) -> Result<Occupied, Error> {
        let set = self.maxima().await?;
        let key = (network.clone(), quota);
        let max = set.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        Ok(self.occupancy.take(key, max)?)
    }

    /// The current setting, read once. Callers that raise it ask for it first, so that nothing is missed between the two.
    pub async fn maxima(&self) -> Result<&Mutex<HashMap<Key, i64>>, Error> {
        self.occupancy.max.get_or_try_init(|| self.set_quotas()).await
    }

    async fn set_quotas(&self) -> Result<Mutex<HashMap<Key, i64>>, Error> {
        let read = |rows: &dyn baton_store::Snapshot| -> Result<_, Error> {
            let mut all = HashMap::new();
            for quota in COUNTED {
                all.extend(rows.set_quotas(quota)?.into_iter().map(|(id, max)| ((id, quota), max)));
            }
            Ok(all)
        };
        Ok(Mutex::new(self.store.read(read).await?))
    }
}

impl Occupancy {
    fn take(&self, key: Key, max: Option<i64>) -> Result<Occupied, Refusal> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.get(&key).copied().unwrap_or_default();
        key.1.admit(count, max)?;
        held.insert(key.clone(), count + 1);
        Ok(Occupied { held: self.held.clone(), key })
    }

    /// How many a network holds; none for a quota that is not counted here.
    pub fn count(&self, quota: Quota, network: &NetworkId) -> Option<i64> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        COUNTED.contains(&quota).then(|| held.get(&(network.clone(), quota)).copied().unwrap_or_default())
    }

    /// Sets the limit from now on; none for the default.
    pub fn set_max(&self, quota: Quota, network: &NetworkId, max: Option<i64>) {
        let Some(set) = self.max.get().filter(|_| COUNTED.contains(&quota)) else { return };
        let (mut set, key) = (set.lock().unwrap_or_else(PoisonError::into_inner), (network.clone(), quota));
        match max {
            Some(max) => set.insert(key, max),
            None => set.remove(&key),
        };
    }
}

impl Drop for Occupied {
    fn drop(&mut self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_held_in_each_network_and_what_is_dropped_is_free_again() {
        let occupancy = Occupancy::default();
        let key = |network: u8| (NetworkId::from_random([network; 6]), Quota::Streams);
        let held: Vec<_> = (0..3).map(|_| occupancy.take(key(1), Some(3)).unwrap()).collect();
        let refused = occupancy.take(key(1), Some(3)).unwrap_err();
        assert_eq!(refused, Refusal::QuotaExceeded { quota: Quota::Streams, max: 3 });
        assert!(occupancy.take(key(2), Some(3)).is_ok(), "another network has its own");
        drop(held);
        assert!(occupancy.held.lock().unwrap().is_empty());
    }
}
