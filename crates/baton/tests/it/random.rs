//! Chance that a printed seed repeats.

/// A pseudo-random sequence (xorshift64*).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed.max(1)) // from zero only zeros follow
    }

    /// A sequence of its own for the nth of several who draw at once.
    pub(crate) fn nth(seed: u64, number: u64) -> Self {
        let mut random = Self::of(seed ^ (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        random.below(1); // seeds that are close begin alike
        random
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    /// So many times in a hundred.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}
