//! Rows that others can see and no standby may have. With synchronous replication a commit is visible once a standby has it,
//! with two exceptions: its wait was cancelled, or its connection was ended while it waited. What such a commit wrote is
//! visible at once, and lost if the primary is. Whoever learns of one raises this count; a connection that was opened before
//! commits a barrier before it reads again (`Session::is_current`), and the link makes other hubs do the same (`link.rs`).

use std::sync::atomic::{AtomicU64, Ordering};

/// How many commits of a hub, and of hubs that announced it, were perhaps not replicated.
#[derive(Debug, Default)]
pub(crate) struct Doubts(AtomicU64);

impl Doubts {
    pub(crate) fn note(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}
