//! Whether the disk takes changes. On a full disk a small change may still fit where a larger one does not, so one that
//! was taken counts only after a moment without refusals.

use baton_core::limits;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// When the disk last refused a change; nothing once it takes them again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refused(Arc<Mutex<Option<Instant>>>);

impl Refused {
    pub(crate) fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    pub(crate) fn note_taken(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take_if(|refused| refused.elapsed() >= limits::DISK_QUIET);
    }

    pub(crate) fn is_lately(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}
