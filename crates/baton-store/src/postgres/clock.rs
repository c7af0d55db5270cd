//! The server's clock, as a hub knows it between two answers of the server: the newest reading, plus the time that has
//! passed here since then. Hubs whose own clocks differ agree on the time by it. It never goes back.

use baton_core::{ClockJumps, MonotonicMillis, UnixMillis, limits};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::clock::{Clock, ClockReading};

/// The server's clock.
#[derive(Debug)]
pub(crate) struct ServerClock(Mutex<Known>);

#[derive(Debug)]
struct Known {
    /// What the server said.
    server: i64,
    /// When that arrived here.
    at: Instant,
    /// The newest time that was read from this clock.
    newest: i64,
}

impl ServerClock {
    /// A clock that shows this time now, in milliseconds since 1970.
    pub(crate) fn start(server: i64) -> Self {
        Self(Mutex::new(Known { server, at: Instant::now(), newest: server }))
    }

    /// The server has just answered with its time. An answer takes a while to arrive, so of two readings the later time
    /// is the better one; an old reading is replaced in any case, because the two clocks drift apart.
    pub(crate) fn learn(&self, server: i64) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if server > known.now() || known.at.elapsed() > limits::POSTGRES_CLOCK_KEPT {
            (known.server, known.at) = (server, Instant::now());
        }
    }
}

impl Known {
    fn now(&self) -> i64 {
        self.server.saturating_add(i64::try_from(self.at.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}

impl Clock for ServerClock {
    fn read(&self) -> ClockReading {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.newest = known.newest.max(known.now());
        ClockReading {
            now: UnixMillis::new(known.newest),
            monotonic: MonotonicMillis::new(known.newest),
            clock_jumps: ClockJumps::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_the_server_ahead_and_never_goes_back() {
        let clock = ServerClock::start(1_000_000);
        clock.learn(5_000_000);
        let ahead = clock.read().now;
        assert!(ahead >= UnixMillis::new(5_000_000));
        clock.learn(2_000_000);
        assert!(clock.read().now >= ahead);
        assert_eq!(clock.read().clock_jumps, ClockJumps::default());
    }
}
