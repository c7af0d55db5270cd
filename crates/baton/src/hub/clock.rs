//! The two clocks: the wall, which people and expiry see, and monotonic time, which leases run on.

use baton_core::{MonotonicMillis, UnixMillis};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Reads both clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    started_at: UnixMillis,
}

impl Clock {
    /// Monotonic time begins now.
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), started_at: wall() }
    }

    /// The wall clock; a clock set before 1970 reads as 1970.
    pub(crate) fn now(&self) -> UnixMillis {
        wall()
    }

    /// How far the wall clock was put forward since the start, beyond the time that passed.
    pub(crate) fn put_forward_millis(&self) -> i64 {
        self.now().get() - self.started_at.get() - self.monotonic().get()
    }

    /// The clock leases run on.
    pub(crate) fn monotonic(&self) -> MonotonicMillis {
        MonotonicMillis::new(i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    /// How long the hub has been running.
    pub(crate) fn uptime_seconds(&self) -> u64 {
        self.start.elapsed().as_secs()
    }
}

fn wall() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
