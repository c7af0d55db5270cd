//! How often one token may try invite codes. Counted in rows (`attempts.rs`), and in memory so that most tries that are
//! refused cost no write.

use baton_core::{MonotonicMillis, Refusal, TokenId, limits};
use baton_store::Tenant;
use sha2::{Digest, Sha256};
use std::sync::{Mutex, PoisonError};

use super::Hub;
use super::attempts::JOINS;
use super::minute_window::MinuteWindow;
use crate::error::Error;

/// Counts joins.
#[derive(Debug)]
pub struct JoinGuard {
    joins: Mutex<MinuteWindow<TokenId>>,
}

impl Default for JoinGuard {
    fn default() -> Self {
        Self { joins: Mutex::new(MinuteWindow::new(limits::JOINS_PER_MINUTE)) }
    }
}

impl JoinGuard {
    /// Counts a join, or says when to come back. A write of its own: a join that is refused is counted too.
    pub async fn count(&self, hub: &Hub, store: Tenant<'_>, token: &TokenId) -> Result<(), Error> {
        self.check(token, hub.clock.monotonic())?;
        let (key, now) = (Sha256::digest(token.as_str()).into(), hub.clock.now_without_jumps());
        let count = store.write(move |tx| {
            JOINS.check(tx.as_snapshot(), &key, now)?;
            JOINS.count(tx, &key, now)
        });
        count.await?;
        let mut joins = self.joins.lock().unwrap_or_else(PoisonError::into_inner);
        joins.count(token.clone(), hub.clock.monotonic());
        Ok(())
    }

    fn check(&self, token: &TokenId, now: MonotonicMillis) -> Result<(), Refusal> {
        let joins = self.joins.lock().unwrap_or_else(PoisonError::into_inner);
        match joins.wait_ms(token, now) {
            Some(retry_after_ms) => Err(Refusal::RateLimited { retry_after_ms }),
            None => Ok(()),
        }
    }
}
