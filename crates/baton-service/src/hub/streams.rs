//! What the hub keeps for its open streams; how they are read and sent is in `events/`.

use baton_core::{NetworkId, Refusal, TokenId, limits};
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::broadcast::Sender;

use super::slots::{Slot, Slots};

/// What the hub keeps for its open streams.
#[derive(Debug)]
pub struct Streams {
    pub intervals: StreamIntervals,
    seats: Arc<Slots>,
    /// Of calls that wait for a task.
    waits: Arc<Slots>,
    /// The networks' one reader each, for all who watch the whole of one.
    pub tails: Mutex<HashMap<NetworkId, Sender<Arc<Page>>>>,
}

impl Default for Streams {
    fn default() -> Self {
        Self {
            intervals: StreamIntervals::default(),
            seats: Slots::of(limits::STREAMS_PER_TOKEN_MAX_COUNT),
            waits: Slots::of(limits::WAITS_PER_TOKEN_MAX_COUNT),
            tails: Mutex::default(),
        }
    }
}

impl Streams {
    /// One of the streams a token may have open; kept for as long as it is.
    pub fn take_seat(&self, token: &TokenId) -> Result<Slot, Refusal> {
        self.seats.take(token)
    }

    /// Streams that are open.
    pub fn open_count(&self) -> usize {
        self.seats.count()
    }

    /// Calls that wait for a task.
    pub fn wait_count(&self) -> usize {
        self.waits.count()
    }

    /// One of the calls of a token that may wait for a task at once; kept for as long as it waits.
    pub fn take_wait(&self, token: &TokenId) -> Result<Slot, Refusal> {
        self.waits.take(token)
    }
}

/// How often a stream does what nothing wakes it for.
#[derive(Debug, Clone, Copy)]
pub struct StreamIntervals {
    /// Between two comments; with each the feed is looked at too, in case a ring was lost.
    pub comment: Duration,
    /// How soon a quiet stream notices that tokens or members changed.
    pub access: Duration,
}

impl Default for StreamIntervals {
    fn default() -> Self {
        Self {
            comment: Duration::from_secs(limits::STREAM_COMMENT_SECONDS.into()),
            // Well within what the contract gives.
            access: Duration::from_secs((limits::REVOKED_STREAM_ENDS_SECONDS / 3).into()),
        }
    }
}

/// The feed from one place to another.
#[derive(Debug, Clone)]
pub struct Page {
    /// Everything up to here was sent before.
    pub after: i64,
    /// Everything up to here is sent with this.
    pub position: i64,
    /// The frames; empty when nothing in it was for this recipient.
    pub frames: Bytes,
    /// Whether there may be more.
    pub is_full: bool,
}
