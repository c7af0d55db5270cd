//! An instant as evidence carries it: read from RFC 3339 text, printed in UTC with `Z` and the fewest of 0, 3,
//! 6 or 9 fraction digits that are exact. Leap seconds stay leap seconds.

use chrono::{DateTime, Datelike, SecondsFormat, Timelike, Utc};
use serde::{Serialize, Serializer};
use std::fmt;

/// An instant in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(DateTime<Utc>);

impl Time {
    /// The instant the adapter gives a packet that has no usable timestamp: 2023-11-16T02:00:00Z.
    pub const UNKNOWN: Self = match DateTime::from_timestamp(1_700_100_000, 0) {
        Some(instant) => Self(instant),
        None => panic!("a time in range"),
    };

    /// An instant by its milliseconds since 1970; none beyond the years a calendar has.
    #[must_use]
    pub fn from_unix_millis(millis: i64) -> Option<Self> {
        DateTime::from_timestamp_millis(millis).map(Self)
    }

    /// Reads an RFC 3339 timestamp: `T`, `t` or one space in the middle, an offset that may be `Z` or `z`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text).ok().map(|time| Self(time.to_utc()))
    }

    /// Reads a time as other producers of events may print it; the bundle's reader is no stricter than this.
    #[must_use]
    pub fn parse_loosely(text: &str) -> Option<Self> {
        Self::parse(text).or_else(|| text.parse().ok().map(Self))
    }
}

impl Time {
    /// Whether what is printed is RFC 3339, which has years of four digits: then [`Time::parse`] reads it again.
    #[must_use]
    pub fn is_rfc_3339(&self) -> bool {
        (0..=9999).contains(&self.0.year())
    }

    /// The text of most times: a year of four digits, no leap second, nothing finer than milliseconds.
    fn plain(&self) -> Option<Plain> {
        let (time, nanos) = (self.0.naive_utc(), self.0.nanosecond());
        if !self.is_rfc_3339() || nanos >= 1_000_000_000 || nanos % 1_000_000 != 0 {
            return None;
        }
        let mut plain = Plain { text: *b"0000-00-00T00:00:00.000Z", length: 24 };
        plain.put(0, 4, time.year().unsigned_abs());
        plain.put(5, 2, time.month());
        plain.put(8, 2, time.day());
        plain.put(11, 2, time.hour());
        plain.put(14, 2, time.minute());
        plain.put(17, 2, time.second());
        match nanos / 1_000_000 {
            0 => {
                plain.text[19] = b'Z';
                plain.length = 20;
            }
            millis => plain.put(20, 3, millis),
        }
        Some(plain)
    }

    /// The text, handed to `then`; made on the stack where that can be.
    fn with_text<T>(&self, then: impl FnOnce(&str) -> T) -> T {
        match self.plain() {
            Some(plain) => then(plain.as_str()),
            None => then(&self.0.to_rfc3339_opts(SecondsFormat::AutoSi, true)),
        }
    }
}

/// A text of 20 or 24 bytes.
struct Plain {
    text: [u8; 24],
    length: usize,
}

impl Plain {
    /// Writes so many digits.
    fn put(&mut self, at: usize, digits: usize, mut number: u32) {
        for place in self.text[at..at + digits].iter_mut().rev() {
            *place = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[..self.length]).unwrap_or_default() // digits and signs are ASCII
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}
