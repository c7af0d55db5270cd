//! How often something happened within the last minute, per key. Time is handed in. Memory is bounded: old keys
//! go first, and one that is pushed out restarts.
//!
//! `governor` counts where it asks, and refills evenly: after ten failures it would let the next in after 6 s. Here only
//! failures count, and the next is let in when the oldest is a minute old.

use baton_core::{MonotonicMillis, limits};
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

const MINUTE_MS: i64 = 60_000; // not a limit: a unit

/// Counts per key and minute.
#[derive(Debug)]
pub(super) struct MinuteWindow<K> {
    limit: usize,
    times: HashMap<K, VecDeque<MonotonicMillis>>,
}

impl<K: Eq + Hash + Clone> MinuteWindow<K> {
    pub(super) fn new(limit: u32) -> Self {
        Self { limit: limit as usize, times: HashMap::new() }
    }

    /// How long until there is room for one more; none when there is room now.
    pub(super) fn wait_ms(&self, key: &K, now: MonotonicMillis) -> Option<u64> {
        let times = self.times.get(key)?;
        let recent = times.iter().filter(|at| now.millis_since(**at) < MINUTE_MS);
        let (count, oldest) = recent.fold((0, None), |(n, oldest), at| (n + 1, oldest.or(Some(*at))));
        let oldest = oldest.filter(|_| count >= self.limit)?;
        u64::try_from(MINUTE_MS - now.millis_since(oldest)).ok()
    }

    /// Counts one.
    pub(super) fn count(&mut self, key: K, now: MonotonicMillis) {
        if !self.times.contains_key(&key) {
            self.make_room(now);
        }
        let times = self.times.entry(key).or_default();
        times.push_back(now);
        if times.len() > self.limit {
            times.pop_front();
        }
    }

    fn make_room(&mut self, now: MonotonicMillis) {
        if self.times.len() < limits::MINUTE_KEYS_MAX_COUNT {
            return;
        }
        let is_recent = |at: &MonotonicMillis| now.millis_since(*at) < MINUTE_MS;
        self.times.retain(|_, times| times.back().is_some_and(is_recent));
        if self.times.len() >= limits::MINUTE_KEYS_MAX_COUNT {
            let oldest = self.times.iter().min_by_key(|(_, times)| times.back().copied());
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                self.times.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> MonotonicMillis {
        MonotonicMillis::new(seconds * 1_000)
    }

    #[test]
    fn a_full_minute_has_room_again_when_its_oldest_is_a_minute_old() {
        let mut window = MinuteWindow::new(2);
        window.count("a", at(0));
        assert_eq!(window.wait_ms(&"a", at(1)), None);
        window.count("a", at(10));
        assert_eq!(window.wait_ms(&"a", at(20)), Some(40_000));
        assert_eq!(window.wait_ms(&"b", at(20)), None);
        assert_eq!(window.wait_ms(&"a", at(60)), None);
        window.count("a", at(60));
        assert_eq!(window.wait_ms(&"a", at(60)), Some(10_000));
    }

    #[test]
    fn keys_without_end_do_not_fill_the_memory() {
        let mut window = MinuteWindow::new(2);
        for key in 0..limits::MINUTE_KEYS_MAX_COUNT + 100 {
            window.count(key, MonotonicMillis::new(key as i64));
        }
        assert_eq!(window.times.len(), limits::MINUTE_KEYS_MAX_COUNT);
        assert!(window.times.contains_key(&(limits::MINUTE_KEYS_MAX_COUNT + 99)));
    }
}
