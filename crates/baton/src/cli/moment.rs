//! Times for people: in their own zone, and how long ago.

use baton_core::UnixMillis;
use chrono::{DateTime, Local};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::service::WireTime;

/// Now, by this machine's clock.
pub(crate) fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The date and the time.
pub(crate) fn date_time(time: WireTime) -> String {
    local(time).format("%Y-%m-%d %H:%M:%S").to_string()
}

/// The time of day.
pub(crate) fn clock(time: WireTime) -> String {
    local(time).format("%H:%M:%S").to_string()
}

fn local(time: WireTime) -> DateTime<Local> {
    DateTime::from_timestamp_millis(time.0.get()).unwrap_or_default().with_timezone(&Local)
}

/// How long ago, roughly; clocks of two machines may differ a little, so the future is now.
pub(crate) fn ago(time: WireTime) -> String {
    let seconds = ((now().get() - time.0.get()) / 1000).max(0);
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// How long from one time to another.
pub(crate) fn between(from: WireTime, to: WireTime) -> String {
    seconds((to.0.get() - from.0.get()) / 1000)
}

/// A span that may be short: tenths of seconds below ten.
pub(crate) fn short_seconds(span: f64) -> String {
    #[allow(clippy::cast_possible_truncation)] // a duration in seconds
    match span {
        span if span < 10.0 => format!("{span:.1} s"),
        span => seconds(span.round() as i64),
    }
}

/// A span in its two largest units.
pub(crate) fn seconds(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, 1..=9) => format!("{minutes} min {} s", seconds % 60),
        (0, 0, _) => format!("{minutes} min"),
        (0, ..) => format!("{hours} h {} min", minutes % 60),
        (1..=9, ..) => format!("{days} d {} h", hours % 24),
        _ => format!("{days} d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_in_their_two_largest_units() {
        for (span, told) in [
            (-5, "0 s"),
            (59, "59 s"),
            (61, "1 min 1 s"),
            (3_599, "59 min"),
            (3_660, "1 h 1 min"),
            (90_000, "1 d 1 h"),
            (864_000, "10 d"),
        ] {
            assert_eq!(seconds(span), told);
        }
        assert_eq!([0.0, 0.34, 9.9, 61.2].map(short_seconds), ["0.0 s", "0.3 s", "9.9 s", "1 min 1 s"]);
    }
}
