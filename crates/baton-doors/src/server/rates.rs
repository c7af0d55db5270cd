//! How often a token may call: a bucket each that fills with time. Keyed by a hash, so that no token is kept, and
//! bounded: what has filled up again is forgotten first.
//!
//! `governor` 0.10 refuses a charge above the burst instead of letting later calls wait for it (`charge`), and keeps every key
//! until it is asked to sweep: 200,000 tokens are 200,000 entries.

use baton_core::limits;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

type Key = [u8; 16];

/// The buckets of all tokens.
#[derive(Debug)]
pub(super) struct Rates {
    per_second: f64,
    burst: f64,
    buckets: Mutex<HashMap<Key, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    calls: f64,
    at: Instant,
}

impl Rates {
    pub(super) fn new(per_second: u32, burst: u32) -> Self {
        Self { per_second: per_second.into(), burst: burst.into(), buckets: Mutex::default() }
    }

    /// Takes one call out of a token's bucket; if it is empty, in how many milliseconds there is one.
    ///
    /// A token may call several hubs on one database: each grants its part of the rate.
    pub(super) fn take(&self, token: &str, hubs: u32, now: Instant) -> Result<(), u64> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= limits::RATE_TOKENS_MAX_COUNT {
            self.forget(&mut buckets, now);
        }
        let hubs = f64::from(hubs.max(1));
        let burst = (self.burst / hubs).max(1.0);
        let bucket = buckets.entry(key(token)).or_insert(Bucket { calls: burst, at: now });
        let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.calls = (bucket.calls + passed * self.per_second / hubs).min(burst);
        bucket.at = now;
        if bucket.calls < 1.0 {
            // At least 1, and a few minutes for the largest list of tasks at a call a second: no number is out of range.
            return Err(((1.0 - bucket.calls) / self.per_second * hubs * 1000.0).ceil().max(1.0) as u64);
        }
        bucket.calls -= 1.0;
        Ok(())
    }

    /// Takes more calls out of a token's bucket for one that was let in: what it lacks, later calls wait for.
    pub(super) fn charge(&self, token: &str, calls: usize) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(&key(token)) {
            bucket.calls -= calls as f64;
        }
    }

    fn filled(&self, bucket: Bucket, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.calls + passed * self.per_second).min(self.burst)
    }

    fn forget(&self, buckets: &mut HashMap<Key, Bucket>, now: Instant) {
        buckets.retain(|_, bucket| self.filled(*bucket, now) < self.burst);
        if buckets.len() >= limits::RATE_TOKENS_MAX_COUNT {
            buckets.clear();
        }
    }
}

fn key(token: &str) -> Key {
    let digest: [u8; 32] = Sha256::digest(token).into();
    let mut key = Key::default();
    key.copy_from_slice(&digest[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_empties_and_fills_with_time() {
        let rates = Rates::new(10, 3);
        let start = Instant::now();
        for _ in 0..3 {
            assert_eq!(rates.take("one", 1, start), Ok(()));
        }
        assert_eq!(rates.take("one", 1, start), Err(100));
        assert_eq!(rates.take("another", 1, start), Ok(()));
        assert_eq!(rates.take("one", 1, start + Duration::from_millis(100)), Ok(()));
        assert!(rates.take("one", 1, start + Duration::from_millis(100)).is_err());
    }

    #[test]
    fn each_of_several_hubs_grants_its_part_and_at_least_a_call() {
        let rates = Rates::new(10, 4);
        let start = Instant::now();
        assert_eq!(rates.take("one", 2, start), Ok(()));
        assert_eq!(rates.take("one", 2, start), Ok(()));
        assert_eq!(rates.take("one", 2, start), Err(200));
        assert_eq!(rates.take("one", 2, start + Duration::from_millis(200)), Ok(()));
        assert_eq!(rates.take("two", 9, start), Ok(()));
        assert_eq!(rates.take("two", 9, start), Err(900));
    }

    #[test]
    fn a_call_that_counts_as_several_is_let_in_and_later_ones_wait_for_it() {
        let rates = Rates::new(10, 3);
        let start = Instant::now();
        assert_eq!(rates.take("one", 1, start), Ok(()));
        rates.charge("one", 99);
        assert_eq!(rates.take("one", 1, start), Err(9_800));
        assert!(rates.take("one", 1, start + Duration::from_millis(9_700)).is_err());
        assert_eq!(rates.take("one", 1, start + Duration::from_millis(9_800)), Ok(()));
    }

    #[test]
    fn tokens_beyond_the_bound_are_forgotten() {
        let rates = Rates::new(1, 1);
        let start = Instant::now();
        for number in 0..=limits::RATE_TOKENS_MAX_COUNT {
            assert_eq!(rates.take(&number.to_string(), 1, start), Ok(()));
        }
        assert!(rates.buckets.lock().unwrap().len() <= limits::RATE_TOKENS_MAX_COUNT);
    }
}
