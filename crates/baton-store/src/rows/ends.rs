//! How many tasks ended in which way: a count for each terminal status.

use baton_core::Status;

/// The counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends([i64; Status::ALL.len()]);

impl Ends {
    /// How many ended so.
    #[must_use]
    pub const fn get(&self, status: Status) -> i64 {
        self.0[status as usize]
    }

    /// The count of those that ended so.
    pub const fn of(&mut self, status: Status) -> &mut i64 {
        &mut self.0[status as usize]
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.0.iter().sum()
    }

    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }
}

impl FromIterator<(Status, i64)> for Ends {
    fn from_iter<I: IntoIterator<Item = (Status, i64)>>(counts: I) -> Self {
        let mut ends = Self::default();
        counts.into_iter().for_each(|(status, count)| *ends.of(status) += count);
        ends
    }
}
