//! Times for people: in their own zone, and how long ago.

use baton_core::{UnixMillis, limits};
use chrono::{DateTime, Local};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::service::WireTime;

/// Now, by this machine's clock.
pub(crate) fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A time in the past as people write it: `90s`, `10m`, `2h`, `3d` before now, or a date and time in RFC 3339.
pub(crate) fn since(text: &str) -> Result<UnixMillis, String> {
    since_at(now(), text)
}

/// A span of time ahead as people write it, in seconds: `30m`, `12h`, `90d`.
pub(crate) fn life(text: &str) -> Result<i64, String> {
    let rule = || "must be a span such as 30m, 12h or 90d".to_owned();
    let unit = text.chars().next_back().ok_or_else(rule)?;
    let count: i64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| rule())?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(rule()),
    };
    let bounds = i64::from(limits::TOKEN_LIFE_MIN_SECONDS)..=i64::from(limits::TOKEN_LIFE_MAX_SECONDS);
    let span = count.checked_mul(seconds).filter(|span| bounds.contains(span));
    span.ok_or_else(|| format!("must be 1s to {}d", limits::TOKEN_LIFE_MAX_SECONDS / 86_400))
}

/// How long until then, roughly.
pub(crate) fn until(time: WireTime) -> String {
    left((time.0.get() - now().get()) / 1000)
}

/// So many seconds, roughly.
pub(crate) fn left(seconds: i64) -> String {
    match seconds {
        ..=0 => "now".into(),
        1..60 => format!("in {seconds} s"),
        60..3_600 => format!("in {} min", seconds / 60),
        3_600..172_800 => format!("in {} h", seconds / 3_600),
        _ => format!("in {} d", seconds / 86_400),
    }
}

/// Whether that is soon for a token to end.
pub(crate) fn is_soon(time: WireTime) -> bool {
    (time.0.get() - now().get()) / 1000 < i64::from(limits::TOKEN_EXPIRES_SOON_SECONDS)
}

fn since_at(now: UnixMillis, text: &str) -> Result<UnixMillis, String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(UnixMillis::new(time.timestamp_millis()));
    }
    let rule =
        || "must be a span such as 90s, 10m, 2h or 3d, or a time such as 2026-01-31T12:00:00Z".to_owned();
    let unit = text.chars().next_back().ok_or_else(rule)?;
    let count: i64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| rule())?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(rule()),
    };
    match count.checked_mul(seconds * 1000) {
        Some(span) if span >= 0 => Ok(now.plus_millis(-span)),
        _ => Err(rule()),
    }
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
    fn a_time_in_the_past_is_a_span_or_a_date() {
        let now = UnixMillis::new(1_000_000_000);
        let ago = |text| (now.get() - since_at(now, text).unwrap().get()) / 1000;
        assert_eq!([ago("90s"), ago("10m"), ago("2h"), ago("3d"), ago("0s")], [90, 600, 7_200, 259_200, 0]);
        assert_eq!(since_at(now, "1970-01-01T00:00:01Z").unwrap().get(), 1_000);
        for wrong in ["", "s", "10", "-5m", "5 m", "5w", "9223372036854775807d", "yesterday", "1é"] {
            assert!(since_at(now, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_tokens_life_is_a_span_within_its_bounds() {
        let lives = ["1s", "30m", "12h", "90d", "3650d"].map(life);
        assert_eq!(lives, [1, 1_800, 43_200, 7_776_000, 315_360_000].map(Ok));
        for wrong in ["", "d", "90", "9 d", "1w", "1.5h", "d90", "90D", "1é"] {
            assert_eq!(life(wrong), Err("must be a span such as 30m, 12h or 90d".into()), "{wrong}");
        }
        for outside in ["0s", "-1d", "3651d", "9223372036854775807d"] {
            assert_eq!(life(outside), Err("must be 1s to 3650d".into()), "{outside}");
        }
    }

    #[test]
    fn what_is_left_is_told_in_its_largest_unit() {
        for (seconds, told) in [
            (-1, "now"),
            (0, "now"),
            (59, "in 59 s"),
            (3_599, "in 59 min"),
            (172_799, "in 47 h"),
            (172_800, "in 2 d"),
        ] {
            assert_eq!(left(seconds), told);
        }
    }

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
