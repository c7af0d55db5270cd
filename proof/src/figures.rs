//! A figure measured in several turns, and saying what was measured.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};

use crate::failure::Failure;

/// The turn in the middle, and how far the others lie apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// Of no turns, all zero.
    pub(crate) fn of(mut turns: Vec<f64>) -> Self {
        turns.sort_by(f64::total_cmp);
        let at = |index: usize| turns.get(index).copied().unwrap_or_default();
        let middle = turns.len() / 2;
        let median = if turns.len().is_multiple_of(2) && middle > 0 {
            f64::midpoint(at(middle - 1), at(middle))
        } else {
            at(middle)
        };
        Self { median, least: at(0), most: at(turns.len().saturating_sub(1)) }
    }
}

/// One measurement: how many calls a second, and how long they took.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Speed {
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
}

impl Speed {
    /// The turn in the middle; of no turns, all zero.
    pub(crate) fn median(mut turns: Vec<Self>) -> Self {
        turns.sort_by(|one, other| one.per_second.total_cmp(&other.per_second));
        turns.get(turns.len() / 2).copied().unwrap_or_default()
    }
}

/// A line for the user who runs this.
pub(crate) fn say(line: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(Failure::file("stdout"))
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn the_median_of_an_even_number_of_turns_lies_between_the_two_in_the_middle() {
        assert_eq!(Spread::of(vec![4.0, 1.0, 3.0, 2.0]), Spread { median: 2.5, least: 1.0, most: 4.0 });
        assert_eq!(Spread::of(vec![9.0, 1.0, 3.0]), Spread { median: 3.0, least: 1.0, most: 9.0 });
    }
}
