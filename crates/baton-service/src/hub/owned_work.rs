//! Work that only one of several hubs may do at a time, and which of it this hub has: the pushes of a network, the tasks of a
//! remote agent. A hub has it under a lease that it renews when half of its time is over; so whatever it begins has
//! half of that time left, which is longer than a call outside may take. A hub without peers has all of it.

use baton_core::limits;
use baton_store::Work;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Hub;
use crate::error::Error;

const LEASE: Duration = Duration::from_secs(limits::WORK_LEASE_SECONDS as u64);

/// The work this hub has, and until when.
#[derive(Debug, Default)]
pub struct OwnedWork {
    until: Mutex<HashMap<(Work, String), Instant>>,
}

impl OwnedWork {
    /// Whether a lease holds for long enough to begin something.
    fn holds(&self, work: Work, key: &str, now: Instant) -> bool {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.get(&(work, key.to_owned())).is_some_and(|until| *until > now + LEASE / 2)
    }

    /// Of the keys that were asked for at a time, these were granted.
    fn note(&self, work: Work, asked: &[String], granted: &HashSet<String>, at: Instant) {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.retain(|_, until| *until > at);
        for key in asked {
            match granted.contains(key) {
                true => until.insert((work, key.clone()), at + LEASE),
                false => until.remove(&(work, key.clone())),
            };
        }
    }
}

impl Hub {
    /// Which of these this hub may do from now on; another hub has the others.
    pub async fn own_work(&self, work: Work, keys: HashSet<String>) -> Result<HashSet<String>, Error> {
        let Some(peers) = &self.peers else { return Ok(keys) };
        let now = Instant::now();
        let (mut owned, asked): (HashSet<_>, Vec<_>) = {
            let (held, rest): (Vec<_>, Vec<_>) =
                keys.into_iter().partition(|key| self.owned_work.holds(work, key, now));
            (held.into_iter().collect(), rest)
        };
        if !asked.is_empty() {
            let granted: HashSet<_> = peers.take_work(work, asked.clone()).await?.into_iter().collect();
            self.owned_work.note(work, &asked, &granted, now);
            owned.extend(granted);
        }
        Ok(owned)
    }

    /// The same for one.
    pub async fn owns_work(&self, work: Work, key: &str) -> Result<bool, Error> {
        if self.peers.is_none() || self.owned_work.holds(work, key, Instant::now()) {
            return Ok(true);
        }
        Ok(!self.own_work(work, HashSet::from([key.to_owned()])).await?.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_renewed_in_half_its_time_and_what_is_not_granted_is_not_owned() {
        let owned = OwnedWork::default();
        let (now, key) = (Instant::now(), "network".to_owned());
        assert!(!owned.holds(Work::Pushes, &key, now));
        owned.note(Work::Pushes, std::slice::from_ref(&key), &HashSet::from([key.clone()]), now);
        assert!(owned.holds(Work::Pushes, &key, now));
        assert!(!owned.holds(Work::Errands, &key, now));
        assert!(!owned.holds(Work::Pushes, &key, now + LEASE / 2));
        owned.note(Work::Pushes, std::slice::from_ref(&key), &HashSet::new(), now);
        assert!(!owned.holds(Work::Pushes, &key, now));
    }

    #[test]
    fn a_call_outside_ends_before_the_lease_it_was_begun_under() {
        let longest = limits::OUTBOUND_CONNECT_SECONDS + limits::OUTBOUND_ANSWER_SECONDS;
        assert!(Duration::from_secs(longest.into()) < LEASE / 2);
    }
}
