//! Requests by door and by the class of their answer, and how long each door took.

use baton_core::{Counted, Histogram};
use http::StatusCode;
use std::time::Duration;

use super::{Door, LabelValue, Tally, words};

/// Up to the longest wait a call may ask for, and some.
const MICROS: [u64; 14] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    10_000_000, 60_000_000,
];

words!(
    /// The class of an answer's status.
    Class {
        Informed = "1xx",
        Done = "2xx",
        Elsewhere = "3xx",
        Refused = "4xx",
        Failed = "5xx",
    }
);

impl Class {
    fn of(status: StatusCode) -> Self {
        match status.as_u16() {
            ..200 => Self::Informed,
            200..300 => Self::Done,
            300..400 => Self::Elsewhere,
            400..500 => Self::Refused,
            500.. => Self::Failed,
        }
    }
}

/// What is counted of one door.
#[derive(Debug)]
struct DoorCounters {
    answers: Tally<Class>,
    took: Histogram<14>,
}

/// What is counted of all of them.
#[derive(Debug)]
pub struct Requests {
    doors: Vec<DoorCounters>,
}

impl Default for Requests {
    fn default() -> Self {
        let seen = |_| DoorCounters { answers: Tally::default(), took: Histogram::new(MICROS) };
        Self { doors: Door::ALL.iter().map(seen).collect() }
    }
}

impl Requests {
    /// A request was answered.
    pub fn answered(&self, door: Door, status: StatusCode) {
        self.doors[door.place()].answers.note(Class::of(status));
    }

    /// And took so long.
    pub fn took(&self, door: Door, time: Duration) {
        self.doors[door.place()].took.note(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    /// Answers by door and class; what never happened is left out.
    pub fn answers(&self) -> impl Iterator<Item = (Door, Class, u64)> {
        let doors = Door::ALL.iter().zip(&self.doors);
        let all =
            doors.flat_map(|(door, seen)| seen.answers.read().map(|(class, count)| (*door, class, count)));
        all.filter(|(_, _, count)| *count > 0)
    }

    /// How long each door took, in microseconds.
    pub fn times(&self) -> impl Iterator<Item = (Door, Counted)> {
        Door::ALL.iter().zip(&self.doors).map(|(door, seen)| (*door, seen.took.read()))
    }
}
