//! How many places each token has taken, of streams and of waits: a client that reconnects in a loop without closing
//! is stopped here.

use baton_core::{Refusal, TokenId, limits};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// All places of one kind, counted.
#[derive(Debug)]
pub(super) struct Slots {
    /// Of one token.
    most: usize,
    taken: Mutex<HashMap<TokenId, usize>>,
}

/// One place of a token; free again when this is dropped.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<Slots>,
    token: TokenId,
}

impl Slots {
    /// So many for each token.
    pub(super) fn of(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::default() })
    }

    /// Seats that are taken.
    pub(super) fn count(&self) -> usize {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }

    /// Takes a seat, if the token has one left.
    pub(super) fn take(self: &Arc<Self>, token: &TokenId) -> Result<Slot, Refusal> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(token.clone()).or_default();
        if *count >= self.most {
            return Err(Refusal::RateLimited { retry_after_ms: limits::RETRY_AFTER_MILLIS });
        }
        *count += 1;
        Ok(Slot { slots: self.clone(), token: token.clone() })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.token) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.token);
            }
        }
    }
}
