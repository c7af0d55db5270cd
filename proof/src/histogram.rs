//! Latencies in buckets that grow with the latency: 1.6 % wide, a few kilobytes however long the run.

use std::time::Duration;

/// Below this many microseconds every value has its own bucket; above, each doubling has this many.
const FINE: u64 = 64;
const FINE_BITS: u32 = FINE.trailing_zeros();
/// Slower than this counts as this.
const SLOWEST_MICROS: u64 = 120_000_000;

/// How often which latency occurred.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    buckets: Vec<u64>,
    count: u64,
}

impl Histogram {
    pub(super) fn record(&mut self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.add(bucket_of(micros.min(SLOWEST_MICROS)), 1);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (bucket, times) in other.buckets.iter().enumerate() {
            self.add(bucket, *times);
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The latency that `percent` of all stayed within, in milliseconds; 0 when there were none.
    pub(super) fn percentile_ms(&self, percent: u64) -> f64 {
        let wanted = (self.count * percent).div_ceil(100);
        let mut seen = 0;
        for (bucket, times) in self.buckets.iter().enumerate() {
            seen += times;
            if *times > 0 && seen >= wanted {
                return upper_micros(bucket) as f64 / 1000.0;
            }
        }
        0.0
    }

    fn add(&mut self, bucket: usize, times: u64) {
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += times;
        self.count += times;
    }
}

fn bucket_of(micros: u64) -> usize {
    let shift = micros.max(FINE).ilog2() - FINE_BITS;
    (u64::from(shift) * FINE + (micros >> shift)) as usize
}

/// The largest value of a bucket.
fn upper_micros(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / FINE).saturating_sub(1);
    ((bucket - shift * FINE + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_latency_lies_in_a_bucket_no_wider_than_a_sixty_fourth_of_it() {
        for micros in (0..5_000).chain((5_000..SLOWEST_MICROS).step_by(9_973)) {
            let upper = upper_micros(bucket_of(micros));
            assert!(upper >= micros && upper - micros <= micros / 64, "{micros} in a bucket up to {upper}");
        }
    }

    #[test]
    fn percentiles_are_those_of_the_merged_latencies() {
        let mut merged = Histogram::default();
        for half in [1..=50, 51..=100] {
            let mut histogram = Histogram::default();
            half.for_each(|ms| histogram.record(Duration::from_millis(ms)));
            merged.merge(&histogram);
        }
        assert_eq!(merged.count(), 100);
        assert!((merged.percentile_ms(50) - 50.0).abs() < 1.0);
        assert!((merged.percentile_ms(99) - 99.0).abs() < 2.0);
    }
}
