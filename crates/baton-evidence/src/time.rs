//! An instant as evidence carries it: read from RFC 3339 text, printed in UTC with `Z` and the fewest of 0, 3,
//! 6 or 9 fraction digits that are exact. Leap seconds stay leap seconds.

use chrono::{DateTime, SecondsFormat, Utc};
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

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
