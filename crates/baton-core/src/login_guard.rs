//! How long a username is locked from an address after so many failed logins.
//! Counting the failures, and knowing the address, live elsewhere.

use crate::limits::{LOGIN_FAILURES_BEFORE_LOCK, LOGIN_LOCK_FIRST_SECONDS, LOGIN_LOCK_MAX_SECONDS};

/// Seconds of lock after this many failures in a row: none before the fifth, then 30, doubling to 15 minutes.
pub fn login_lock_seconds(failures: u32) -> u32 {
    match failures.checked_sub(LOGIN_FAILURES_BEFORE_LOCK) {
        None => 0,
        Some(doublings) => {
            let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
            LOGIN_LOCK_FIRST_SECONDS.saturating_mul(factor).min(LOGIN_LOCK_MAX_SECONDS)
        }
    }
}
