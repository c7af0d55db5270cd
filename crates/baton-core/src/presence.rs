//! Whether an agent is there. Offline and abandoned are one question asked with two patiences.
//! Gathering the signs of life lives elsewhere.

use crate::limits::{OFFLINE_AFTER_SECONDS, WORK_ABANDONED_AFTER_SECONDS};
use crate::time::UnixMillis;

/// The signs of life the hub has of one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    /// It has an open stream or a waiting claim.
    pub is_connected: bool,
    /// It holds a lease on some task.
    pub holds_lease: bool,
    /// Its last call, if it ever made one.
    pub last_call_at: Option<UnixMillis>,
}

impl Presence {
    /// No sign of life at all.
    pub const NONE: Self = Self { is_connected: false, holds_lease: false, last_call_at: None };

    /// Whether it counts as offline, which also frees its alias for another token.
    pub fn is_offline(&self, now: UnixMillis) -> bool {
        self.is_silent_for(OFFLINE_AFTER_SECONDS, now)
    }

    /// Whether work it began without a lease counts as abandoned.
    pub fn has_abandoned_work(&self, now: UnixMillis) -> bool {
        self.is_silent_for(WORK_ABANDONED_AFTER_SECONDS, now)
    }

    fn is_silent_for(&self, seconds: u32, now: UnixMillis) -> bool {
        let called = self.last_call_at.is_some_and(|at| now < at.plus_seconds(seconds));
        !(self.is_connected || self.holds_lease || called)
    }
}
