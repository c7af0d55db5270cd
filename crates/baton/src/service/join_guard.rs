//! How often one token may try invite codes.

use baton_core::{MonotonicMillis, Refusal, TokenId, limits};
use std::sync::{Mutex, PoisonError};

use super::minute_window::MinuteWindow;

/// Counts joins.
#[derive(Debug)]
pub(crate) struct JoinGuard {
    joins: Mutex<MinuteWindow<TokenId>>,
}

impl Default for JoinGuard {
    fn default() -> Self {
        Self { joins: Mutex::new(MinuteWindow::new(limits::JOINS_PER_MINUTE)) }
    }
}

impl JoinGuard {
    /// Counts a join, or says when to come back.
    pub(crate) fn count(&self, token: &TokenId, now: MonotonicMillis) -> Result<(), Refusal> {
        let mut joins = self.joins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(retry_after_ms) = joins.wait_ms(token, now) {
            return Err(Refusal::RateLimited { retry_after_ms });
        }
        joins.count(token.clone(), now);
        Ok(())
    }
}
