//! How long a connection may continue with what it does. SQLite checks now and then, and stops the statement when the time
//! is over; the code that set the time can see that it was stopped.

use baton_core::limits;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::Error;

#[derive(Clone, Debug)]
pub(super) struct Deadline {
    epoch: Instant,
    /// Microseconds since the epoch.
    at: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
}

impl Deadline {
    /// Watches a connection.
    pub(super) fn watch(connection: &mut Connection) -> Result<Self, Error> {
        let deadline = Self {
            epoch: Instant::now(),
            at: Arc::new(AtomicU64::new(u64::MAX)),
            is_over: Arc::new(AtomicBool::new(false)),
        };
        let watched = deadline.clone();
        connection.progress_handler(limits::READ_STEPS_COUNT, Some(move || watched.look()))?;
        Ok(deadline)
    }

    /// Bounds the statements that follow to this long.
    pub(super) fn set(&self, time: Duration) {
        self.is_over.store(false, Ordering::Relaxed);
        self.at.store(micros(self.epoch.elapsed() + time), Ordering::Relaxed);
    }

    /// Lifts the bound. Returns whether a statement was stopped by it.
    pub(super) fn lift(&self) -> bool {
        self.at.store(u64::MAX, Ordering::Relaxed);
        self.is_over.load(Ordering::Relaxed)
    }

    fn look(&self) -> bool {
        let is_over = micros(self.epoch.elapsed()) > self.at.load(Ordering::Relaxed);
        if is_over {
            self.is_over.store(true, Ordering::Relaxed);
        }
        is_over
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
