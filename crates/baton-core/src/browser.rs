//! How long somebody stays signed in with a browser. Other tokens last until they are revoked.

use crate::UnixMillis;
use crate::limits::{BROWSER_IDLE_MAX_SECONDS, BROWSER_SESSION_MAX_SECONDS};

/// When a browser's session ends that began and was last used at these times.
#[must_use]
pub fn browser_session_ends(began_at: UnixMillis, last_used_at: Option<UnixMillis>) -> UnixMillis {
    let idle = last_used_at.unwrap_or(began_at).plus_seconds(BROWSER_IDLE_MAX_SECONDS);
    idle.min(began_at.plus_seconds(BROWSER_SESSION_MAX_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_after_seven_quiet_days_and_after_thirty_in_any_case() {
        let day = |days: i64| UnixMillis::new(days * 86_400_000);
        let cases = [
            (None, day(7)),
            (Some(day(0)), day(7)),
            (Some(day(1)), day(8)),
            (Some(day(22)), day(29)),
            (Some(day(23)), day(30)),
            (Some(day(29)), day(30)),
        ];
        for (used, ends) in cases {
            assert_eq!(browser_session_ends(day(0), used), ends, "{used:?}");
        }
    }
}
