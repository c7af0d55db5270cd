//! Times as the wire has them: `YYYY-MM-DD HH:MM:SS`, UTC, to the second.
//! The one place that prints them and the one that reads a `since`.

use baton_core::UnixMillis;
use chrono::{DateTime, NaiveDateTime, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::Error;

const FORMAT: &str = "%Y-%m-%d %H:%M:%S";

/// A time that prints as the wire has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WireTime(pub UnixMillis);

impl From<UnixMillis> for WireTime {
    fn from(time: UnixMillis) -> Self {
        Self(time)
    }
}

impl fmt::Display for WireTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = DateTime::from_timestamp_millis(self.0.get()).unwrap_or(DateTime::<Utc>::MAX_UTC);
        let time = time.naive_utc();
        // As `FORMAT` says, which would be read again for every time.
        time.with_nanosecond(0).unwrap_or(time).fmt(f)
    }
}

impl Serialize for WireTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // In one piece: each piece that `collect_str` is given is looked through for what must be escaped.
        serializer.serialize_str(&self.to_string())
    }
}

impl PartialSchema for WireTime {
    fn schema() -> RefOr<Schema> {
        let pattern = r"^\d{4,}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$";
        let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern));
        text.description(Some("UTC, to the second")).into()
    }
}

impl ToSchema for WireTime {
    fn name() -> Cow<'static, str> {
        "Time".into()
    }
}

impl<'de> Deserialize<'de> for WireTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        parse_since(&text).map(Self).ok_or_else(|| serde::de::Error::custom("a time is YYYY-MM-DD HH:MM:SS"))
    }
}

/// Reads a `since`: the wire's own form, or RFC 3339.
pub(super) fn parse_since(text: &str) -> Option<UnixMillis> {
    let own = NaiveDateTime::parse_from_str(text, FORMAT).ok().map(|time| time.and_utc());
    let time = own.or_else(|| DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc()))?;
    Some(UnixMillis::new(time.timestamp_millis()))
}

/// The same as an argument; an empty one is none.
pub(super) fn argument(field: &'static str, text: Option<&str>) -> Result<Option<UnixMillis>, Error> {
    let rule = "must be a time: YYYY-MM-DD HH:MM:SS, or RFC 3339";
    let parse = |text| parse_since(text).ok_or_else(|| Error::argument(field, rule));
    text.filter(|text| !text.is_empty()).map(parse).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_prints_to_the_second_in_utc() {
        assert_eq!(WireTime(UnixMillis::new(1_700_100_000_999)).to_string(), "2023-11-16 02:00:00");
        assert_eq!(WireTime(UnixMillis::new(0)).to_string(), "1970-01-01 00:00:00");
    }

    #[test]
    fn every_time_prints_by_the_format_that_is_read() {
        for millis in
            [0, 999, -1, 951_782_400_000, 1_700_100_000_999, 253_402_300_799_999, 253_402_300_800_000]
        {
            let time = DateTime::from_timestamp_millis(millis).unwrap();
            assert_eq!(WireTime(UnixMillis::new(millis)).to_string(), time.format(FORMAT).to_string());
        }
    }

    #[test]
    fn a_time_out_of_every_calendar_still_prints() {
        let last = DateTime::<Utc>::MAX_UTC.format(FORMAT).to_string();
        assert_eq!(WireTime(UnixMillis::new(i64::MAX)).to_string(), last);
    }

    #[test]
    fn since_takes_the_wires_form_and_rfc_3339_alike() {
        let expected = Some(UnixMillis::new(1_700_100_000_000));
        for text in ["2023-11-16 02:00:00", "2023-11-16T02:00:00Z", "2023-11-16T03:00:00.000+01:00"] {
            assert_eq!(parse_since(text), expected, "{text}");
        }
    }

    #[test]
    fn since_takes_nothing_else() {
        for text in
            ["", "yesterday", "2023-11-16", "2023-13-16 02:00:00", "1700100000", "2023-11-16 02:00:00 x"]
        {
            assert_eq!(parse_since(text), None, "{text}");
        }
    }
}
