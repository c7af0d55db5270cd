//! How long tasks took: a histogram whose percentiles are within 5 % of the exact ones. Times below 32 ms have a bucket
//! each; above, each power of two is divided into 16 buckets of the same width, up to 49 days. Only buckets that counted
//! something are kept, so a minute takes two or three bytes for each. (The `hdrhistogram` crate divides times in the same
//! way, but its stored form begins with a header of 40 bytes, and in memory it is dense.)

use std::collections::BTreeMap;

/// Buckets that a power of two is divided into.
const STEPS: u64 = 16; // not a limit: the stored form of a histogram
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// The longest time that has a bucket of its own; longer ones are counted as this. Over 30 days.
const MAX_MILLIS: u64 = (1 << 32) - 1; // not a limit: the stored form of a histogram
/// The number after the last bucket's.
const BUCKETS: u16 = bucket_of(MAX_MILLIS) + 1; // not a limit: the stored form of a histogram
/// What minutes counted by earlier releases consist of: one count of 4 bytes for each power of two.
const POWERS: usize = 32; // not a limit: a stored form of earlier releases

/// A histogram of times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latencies(BTreeMap<u16, u32>);

impl Latencies {
    /// Counts one time; what ended before it began took none.
    pub fn note(&mut self, millis: i64) {
        self.count(u64::try_from(millis).unwrap_or_default(), 1);
    }

    fn count(&mut self, millis: u64, more: u32) {
        let count = self.0.entry(bucket_of(millis)).or_default();
        *count = count.saturating_add(more);
    }

    /// Adds what another histogram counted.
    pub fn add(&mut self, other: &Self) {
        for (bucket, more) in &other.0 {
            let count = self.0.entry(*bucket).or_default();
            *count = count.saturating_add(*more);
        }
    }

    /// The time that so many percent did not exceed, by nearest rank; none when nothing was counted. It is the middle of
    /// the bucket that holds the exact one.
    #[must_use]
    pub fn percentile(&self, percent: u32) -> Option<u64> {
        let total: u64 = self.0.values().map(|count| u64::from(*count)).sum();
        let mut rank = (total * u64::from(percent)).div_ceil(100).max(1);
        for (bucket, count) in &self.0 {
            let count = u64::from(*count);
            if rank <= count {
                return Some(middle_of(*bucket));
            }
            rank -= count;
        }
        None
    }

    /// The stored form: for each bucket the distance from the one before it, and its count, as LEB128.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len() * 3);
        let mut next = 0;
        for (bucket, count) in &self.0 {
            push(&mut bytes, u32::from(bucket - next));
            push(&mut bytes, *count);
            next = bucket + 1;
        }
        bytes
    }

    /// Reads the stored form; none if it is damaged.
    #[must_use]
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let (mut counts, mut next) = (BTreeMap::new(), 0_u16);
        while !bytes.is_empty() {
            let bucket = next.checked_add(u16::try_from(pull(&mut bytes)?).ok()?)?;
            let count = pull(&mut bytes)?;
            if bucket >= BUCKETS || count == 0 {
                return None;
            }
            counts.insert(bucket, count);
            next = bucket + 1;
        }
        Some(Self(counts))
    }

    /// Reads what earlier releases stored: how many times took so many bits. Each is counted at the geometric middle of
    /// its power of two, which is the best that is known of it.
    #[must_use]
    pub fn from_powers_of_two(bytes: &[u8]) -> Option<Self> {
        let (counts, rest) = bytes.as_chunks::<4>();
        if counts.len() != POWERS || !rest.is_empty() {
            return None;
        }
        let mut latencies = Self::default();
        for (bits, count) in counts.iter().map(|count| u32::from_le_bytes(*count)).enumerate() {
            if count > 0 {
                // 181 / 128 is the root of two, nearly.
                let middle = if bits == 0 { 0 } else { (181_u64 << (bits - 1)) >> 7 };
                latencies.count(middle, count);
            }
        }
        Some(latencies)
    }
}

const fn bucket_of(millis: u64) -> u16 {
    let millis = if millis < MAX_MILLIS { millis } else { MAX_MILLIS };
    if millis < STEPS {
        return millis as u16;
    }
    let shift = millis.ilog2() - STEP_BITS;
    ((shift as u64 * STEPS) + (millis >> shift)) as u16
}

fn middle_of(bucket: u16) -> u64 {
    let bucket = u64::from(bucket);
    if bucket < STEPS {
        return bucket;
    }
    let shift = bucket / STEPS - 1;
    let first = (bucket % STEPS + STEPS) << shift;
    first + ((1 << shift) - 1) / 2
}

fn push(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn pull(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u64;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(value).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: i64 = 86_400_000;

    fn of(times: &[i64]) -> Latencies {
        let mut latencies = Latencies::default();
        times.iter().for_each(|millis| latencies.note(*millis));
        latencies
    }

    /// The time of this rank among all, exactly.
    fn exact(times: &[i64], percent: usize) -> i64 {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        sorted[(sorted.len() * percent).div_ceil(100).max(1) - 1]
    }

    fn is_within_5_percent(found: u64, exact: i64) -> bool {
        (found as f64 - exact as f64).abs() <= 0.05 * exact as f64
    }

    /// Times of every size up to 30 days.
    fn times() -> impl Strategy<Value = Vec<i64>> {
        let time = (0_u32..32, any::<u32>())
            .prop_map(|(bits, noise)| (1_i64 << bits | i64::from(noise) & ((1 << bits) - 1)).min(30 * DAY));
        prop::collection::vec(time, 1..300)
    }

    #[test]
    fn the_buckets_follow_one_another_and_each_middle_lies_in_its_own() {
        let mut last = 0;
        for millis in 0..200_000 {
            let bucket = bucket_of(millis);
            assert!(bucket == last || bucket == last + 1, "{millis}");
            assert_eq!(bucket_of(middle_of(bucket)), bucket, "{millis}");
            last = bucket;
        }
        assert_eq!(BUCKETS, 464);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
        assert!((0..32).all(|millis| middle_of(bucket_of(millis)) == millis), "short times are exact");
    }

    #[test]
    fn every_time_from_a_millisecond_to_30_days_is_known_to_5_percent() {
        let mut millis = 1;
        while millis <= 30 * DAY {
            for time in [millis, millis + 1, millis * 2 - 1].map(|time| time.min(30 * DAY)) {
                let found = of(&[time]).percentile(50).unwrap();
                assert!(is_within_5_percent(found, time), "{time}: {found}");
            }
            millis += (millis / 97).max(1);
        }
    }

    #[test]
    fn nothing_counted_has_no_percentile_and_odd_times_have_their_place() {
        assert_eq!(of(&[]).percentile(50), None);
        assert_eq!(of(&[0, -5]).percentile(95), Some(0));
        assert!(of(&[i64::MAX]).percentile(50).unwrap() > 30 * DAY as u64);
    }

    #[test]
    fn a_minute_takes_tens_of_bytes() {
        assert_eq!(of(&[]).to_bytes().len(), 0);
        let minute: Vec<i64> = (0..1_000).map(|n| 800 + n).collect();
        let bytes = of(&minute).to_bytes().len();
        assert!(bytes < 64, "{bytes}");
    }

    #[test]
    fn what_earlier_releases_stored_is_read_at_the_middle_of_its_power_of_two() {
        let mut old = [0; 128];
        for (bits, count) in [(0_usize, 2_u8), (1, 1), (11, 7), (31, 1)] {
            old[bits * 4] = count;
        }
        let mut expected = of(&[0, 0, 1, (1 << 30) * 181 / 128]);
        (0..7).for_each(|_| expected.note(1_448));
        assert_eq!(Latencies::from_powers_of_two(&old), Some(expected));
        for wrong in [0, 127, 129] {
            assert_eq!(Latencies::from_powers_of_two(&vec![0; wrong]), None);
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let too_far = [0xd0, 3, 1]; // bucket 464
        for bytes in [&[1][..], &[1, 0], &[1, 0x80], &too_far, &[0, 0xff, 0xff, 0xff, 0xff, 0x7f], &[0x80; 9]]
        {
            assert_eq!(Latencies::from_bytes(bytes), None, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn percentiles_of_any_times_are_within_5_percent_of_the_exact_ones(times in times()) {
            for percent in [1, 50, 90, 95, 99, 100] {
                let found = of(&times).percentile(percent as u32).unwrap();
                let exact = exact(&times, percent);
                prop_assert!(is_within_5_percent(found, exact), "p{percent}: {found}, exactly {exact}");
            }
        }

        #[test]
        fn parts_that_were_stored_and_merged_are_the_whole(one in times(), other in times()) {
            let mut merged = Latencies::from_bytes(&of(&one).to_bytes()).unwrap();
            merged.add(&Latencies::from_bytes(&of(&other).to_bytes()).unwrap());
            prop_assert_eq!(merged, of(&[one, other].concat()));
        }

        #[test]
        fn bytes_are_read_back_as_written_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(read) = Latencies::from_bytes(&bytes) {
                prop_assert_eq!(Latencies::from_bytes(&read.to_bytes()), Some(read));
            }
        }
    }
}
