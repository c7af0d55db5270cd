//! A lock for each key: work on one key never waits for work on another. A lock exists only while
//! somebody holds it or waits for it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OwnedMutexGuard;

/// The locks in use.
#[derive(Debug)]
pub struct KeyedLocks<K> {
    entries: Mutex<HashMap<K, Entry>>,
}

#[derive(Debug, Default)]
struct Entry {
    lock: Arc<tokio::sync::Mutex<()>>,
    /// How many hold it or wait for it.
    users: usize,
}

/// One who holds a key's lock or waits for it.
#[derive(Debug)]
struct User<'l, K: Hash + Eq + Clone> {
    locks: &'l KeyedLocks<K>,
    key: K,
}

/// A key's lock, held until this is dropped.
#[derive(Debug)]
pub struct KeyGuard<'l, K: Hash + Eq + Clone> {
    // Dropped in this order: the lock is free before its entry may go.
    _lock: OwnedMutexGuard<()>,
    _user: User<'l, K>,
}

impl<K> Default for KeyedLocks<K> {
    fn default() -> Self {
        Self { entries: Mutex::default() }
    }
}

impl<K: Hash + Eq + Clone> KeyedLocks<K> {
    /// Waits for a key's lock, first come first served.
    pub async fn lock(&self, key: &K) -> KeyGuard<'_, K> {
        let (user, lock) = self.enter(key);
        KeyGuard { _lock: lock.lock_owned().await, _user: user }
    }

    /// Takes a key's lock unless somebody holds it or waits for it.
    pub fn try_lock(&self, key: &K) -> Option<KeyGuard<'_, K>> {
        let (user, lock) = self.enter(key);
        Some(KeyGuard { _lock: lock.try_lock_owned().ok()?, _user: user })
    }

    fn enter(&self, key: &K) -> (User<'_, K>, Arc<tokio::sync::Mutex<()>>) {
        let mut entries = self.entries();
        let entry = entries.entry(key.clone()).or_default();
        entry.users += 1;
        (User { locks: self, key: key.clone() }, entry.lock.clone())
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<K, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq + Clone> Drop for User<'_, K> {
    fn drop(&mut self) {
        let mut entries = self.locks.entries();
        if let Some(entry) = entries.get_mut(&self.key) {
            entry.users -= 1;
            if entry.users == 0 {
                entries.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::poll;

    use super::*;

    #[tokio::test]
    async fn a_key_waits_for_itself_only_and_its_lock_goes_with_its_last_user() {
        let locks = KeyedLocks::default();
        let held = locks.lock(&1).await;
        assert!(locks.try_lock(&1).is_none());
        assert!(locks.lock(&2).now_or_never().is_some());
        let (mut next, mut gone) = (Box::pin(locks.lock(&1)), Box::pin(locks.lock(&1)));
        assert!(poll!(&mut next).is_pending() && poll!(&mut gone).is_pending());
        drop(gone);
        drop(held);
        assert!(locks.try_lock(&1).is_none(), "it is the turn of the one that waits");
        drop(next.await);
        assert!(locks.entries().is_empty());
    }
}
