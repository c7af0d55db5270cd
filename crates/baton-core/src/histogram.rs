//! Measurements counted by size, in atomics: noting one is two additions and takes no lock. A reader running while others
//! note sees each measurement wholly or not yet; the sum may be ahead of the counts by those being noted.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of whole numbers by these bounds.
#[derive(Debug)]
pub struct Histogram<const N: usize> {
    bounds: [u64; N],
    counts: [AtomicU64; N],
    beyond: AtomicU64,
    sum: AtomicU64,
}

/// What was counted until now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Each bound, and how many were at most that.
    pub at_most: Vec<(u64, u64)>,
    /// How many there were in all.
    pub count: u64,
    /// What they come to together.
    pub sum: u64,
}

impl<const N: usize> Histogram<N> {
    /// Nothing counted yet; the bounds rise.
    #[must_use]
    pub const fn new(bounds: [u64; N]) -> Self {
        Self {
            bounds,
            counts: [const { AtomicU64::new(0) }; N],
            beyond: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }

    /// Counts one.
    pub fn note(&self, value: u64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        self.sum.fetch_add(value, Ordering::Relaxed);
        self.counts.get(place).unwrap_or(&self.beyond).fetch_add(1, Ordering::Relaxed);
    }

    /// What was counted until now.
    pub fn read(&self) -> Counted {
        let mut count = 0;
        let at_most = self.bounds.iter().zip(&self.counts).map(|(bound, within)| {
            count += within.load(Ordering::Relaxed);
            (*bound, count)
        });
        let at_most: Vec<_> = at_most.collect();
        let count = count + self.beyond.load(Ordering::Relaxed);
        Counted { at_most, count, sum: self.sum.load(Ordering::Relaxed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_at_its_bound_and_at_every_larger_one() {
        let sizes = Histogram::new([1, 10, 100]);
        for size in [0, 1, 2, 10, 11, 100, 101] {
            sizes.note(size);
        }
        assert_eq!(sizes.read(), Counted { at_most: vec![(1, 2), (10, 4), (100, 6)], count: 7, sum: 225 });
    }
}
