//! Times on the wire: `YYYY-MM-DD HH:MM:SS`, UTC.

use baton_core::UnixMillis;
use chrono::{DateTime, NaiveDateTime};
use serde::{Serialize, Serializer};

const FORMAT: &str = "%Y-%m-%d %H:%M:%S";

/// A time as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WireTime(pub(crate) UnixMillis);

impl Serialize for WireTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let time = DateTime::from_timestamp_millis(self.0.get()).unwrap_or(DateTime::UNIX_EPOCH);
        serializer.collect_str(&time.format(FORMAT))
    }
}

/// Reads a `since`: the wire's own form, or RFC 3339.
pub(crate) fn parse_since(text: &str) -> Option<UnixMillis> {
    let wire = || NaiveDateTime::parse_from_str(text, FORMAT).ok().map(|time| time.and_utc());
    let rfc_3339 = || DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    wire().or_else(rfc_3339).map(|time| UnixMillis::new(time.timestamp_millis()))
}
