//! How long tasks took, roughly: how many fell between one power of two of milliseconds and the next. Small enough to
//! be kept a minute at a time, and good to within a factor of two, which is what a plot needs.

/// Powers of two: the last holds everything from 2^30 ms, twelve days, on.
const BUCKETS: usize = 32;

/// A histogram of times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latencies([u32; BUCKETS]);

impl Latencies {
    /// How many bytes it takes.
    pub const BYTES: usize = BUCKETS * 4;

    /// Counts one time; what ended before it began took none.
    pub fn note(&mut self, millis: i64) {
        let millis = u64::try_from(millis).unwrap_or_default();
        // The bits it takes: 0 takes none, 1 one, 2 and 3 two.
        let bucket = (u64::BITS - millis.leading_zeros()) as usize;
        let count = &mut self.0[bucket.min(BUCKETS - 1)];
        *count = count.saturating_add(1);
    }

    /// Takes in what others counted.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }

    /// The time that so many percent did not exceed; none when nothing was counted. Within a bucket times are taken
    /// to lie evenly.
    #[must_use]
    pub fn percentile(&self, percent: u32) -> Option<u64> {
        let total: u64 = self.0.iter().map(|count| u64::from(*count)).sum();
        let mut rank = (total * u64::from(percent)).div_ceil(100).max(1);
        for (bucket, count) in self.0.iter().map(|count| u64::from(*count)).enumerate() {
            if rank <= count {
                let width = if bucket == 0 { 0 } else { 1_u64 << (bucket - 1) };
                return Some(width + width * rank / count);
            }
            rank -= count;
        }
        None
    }

    /// As it is kept.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|count| count.to_le_bytes()).collect()
    }

    /// Read back.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut counts = [0; BUCKETS];
        let (chunks, rest) = bytes.as_chunks::<4>();
        if chunks.len() != BUCKETS || !rest.is_empty() {
            return None;
        }
        for (count, chunk) in counts.iter_mut().zip(chunks) {
            *count = u32::from_le_bytes(*chunk);
        }
        Some(Self(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[i64]) -> Latencies {
        let mut latencies = Latencies::default();
        times.iter().for_each(|millis| latencies.note(*millis));
        latencies
    }

    #[test]
    fn a_percentile_lies_within_the_power_of_two_of_the_time_it_stands_for() {
        let times: Vec<i64> = (1..=1_000).collect();
        for (percent, exact) in [(1, 10), (50, 500), (95, 950), (100, 1_000)] {
            let found = of(&times).percentile(percent).unwrap();
            assert!((exact / 2..=exact * 2).contains(&found), "{percent}: {found}");
        }
    }

    #[test]
    fn nothing_counted_has_no_percentile_and_the_odd_times_have_their_place() {
        assert_eq!(of(&[]).percentile(50), None);
        assert_eq!(of(&[0, -5]).percentile(95), Some(0));
        assert!(of(&[i64::MAX]).percentile(50).unwrap() >= 1 << 30);
    }

    #[test]
    fn what_is_kept_reads_back_and_adds_up() {
        let (one, other) = (of(&[1, 5, 700]), of(&[5, 80_000]));
        let mut both = Latencies::from_bytes(&one.to_bytes()).unwrap();
        assert_eq!(both, one);
        both.add(&other);
        assert_eq!(both, of(&[1, 5, 700, 5, 80_000]));
        assert_eq!(one.to_bytes().len(), Latencies::BYTES);
        for broken in [0, 127, 129] {
            assert_eq!(Latencies::from_bytes(&vec![0; broken]), None);
        }
    }
}
