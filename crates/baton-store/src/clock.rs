//! The engine's clock. A batch has one time: the engine reads the clock when a batch begins, and everything the use
//! cases of the batch decide and write has that time, however long each of them waited for its turn.

use baton_core::{ClockJumps, MonotonicMillis, UnixMillis};

/// Both clocks at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The wall clock. It goes back when somebody sets it back.
    pub now: UnixMillis,
    /// The clock that leases run on. It begins with the start and never goes back.
    pub monotonic: MonotonicMillis,
    /// How the wall clock was put ahead since the start.
    pub clock_jumps: ClockJumps,
}

impl ClockReading {
    /// The beginning of both clocks: what an engine has before its first batch.
    pub(crate) fn beginning() -> Self {
        Self {
            now: UnixMillis::new(0),
            monotonic: MonotonicMillis::new(0),
            clock_jumps: ClockJumps::default(),
        }
    }
}

/// The clock that an engine is opened with.
pub trait Clock: Send + Sync {
    /// Reads both clocks at once.
    fn read(&self) -> ClockReading;
}
