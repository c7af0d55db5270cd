//! Exports take turns. Two things are shared: the work (reading and packing a log), which a slow reader never holds up
//! because a bundle is sent from the disk and a side file takes a turn for each page; and open exports, which take room
//! on the disk and in memory until they have been read. Both are shared by account: one with many networks has one share.

use baton_core::{Refusal, Shares, TokenId, UserId, limits};
use std::sync::Arc;
use std::time::Duration;

use super::Identity;
use crate::error::Error;
use crate::fair_semaphore::{FairPermit, FairSemaphore};

const PATIENCE: Duration = Duration::from_secs(limits::EXPORT_WAIT_MAX_SECONDS as u64);

/// A turn of an export.
pub type ExportPermit = FairPermit<UserId, TokenId>;

/// All exports.
#[derive(Debug, Clone)]
pub struct Exports {
    at_work: Arc<FairSemaphore<UserId, TokenId>>,
    open: Arc<FairSemaphore<UserId, TokenId>>,
}

impl Default for Exports {
    fn default() -> Self {
        let open_per_account = limits::EXPORTS_OPEN_PER_ACCOUNT_MAX_COUNT;
        // Only open exports wait for work; more of an account than may be open wait to be opened, and no more than that.
        let shares = |total, kept, per_account| Shares {
            total: total as u64,
            kept_for_newcomers: kept as u64,
            per_group: per_account as u64,
            per_member: per_account as u64,
            waiting_per_member: open_per_account,
            waiting_per_group: open_per_account,
            waiting: limits::EXPORTS_OPEN_MAX_COUNT,
        };
        let (total, kept) = (limits::EXPORTS_AT_ONCE, limits::EXPORTS_KEPT_COUNT);
        let at_work = shares(total, kept, limits::EXPORTS_PER_ACCOUNT_AT_ONCE);
        let (total, kept) = (limits::EXPORTS_OPEN_MAX_COUNT, limits::EXPORTS_OPEN_KEPT_COUNT);
        let open = shares(total, kept, open_per_account);
        Self { at_work: FairSemaphore::new(at_work), open: FairSemaphore::new(open) }
    }
}

impl Exports {
    /// Opens an export; it is open until it has been read or its reader has gone.
    pub async fn open(&self, who: &Identity) -> Result<ExportPermit, Error> {
        take(&self.open, who).await
    }

    /// Exports that are open.
    pub fn open_count(&self) -> u64 {
        self.open.held()
    }

    /// Exports that wait to be opened.
    pub fn waiting_count(&self) -> usize {
        self.open.waiting()
    }

    /// A turn to work.
    pub async fn work(&self, who: &Identity) -> Result<ExportPermit, Error> {
        take(&self.at_work, who).await
    }
}

async fn take(turns: &Arc<FairSemaphore<UserId, TokenId>>, who: &Identity) -> Result<ExportPermit, Error> {
    let turn = turns.take(who.account().clone(), who.token_id.clone(), 1, PATIENCE).await;
    turn.map_err(|_| Refusal::TooManyExports { retry_after_ms: limits::EXPORT_RETRY_AFTER_MILLIS }.into())
}

#[cfg(test)]
mod tests {
    use baton_core::SystemRole;
    use futures_util::FutureExt;

    use super::*;
    use crate::fixture::TestHub;

    #[tokio::test]
    async fn an_account_with_many_networks_has_one_share_of_exports() {
        let test = TestHub::start();
        let networks: Vec<u8> = (1..=30).collect();
        test.person("mallory", SystemRole::User, &networks).await;
        let mut agents = Vec::new();
        for number in networks {
            let token = test.agent("mallory", number, "coder").await;
            agents.push(test.hub.identify(&token).await.unwrap());
        }
        let exports = Exports::default();
        let (mut open, mut waiting, mut refused) = (Vec::new(), Vec::new(), 0);
        for agent in &agents {
            let mut asked = Box::pin(exports.open(agent));
            match (&mut asked).now_or_never() {
                Some(Ok(turn)) => open.push(turn),
                Some(Err(_)) => refused += 1,
                None => waiting.push(asked),
            }
        }
        let limit = limits::EXPORTS_OPEN_PER_ACCOUNT_MAX_COUNT;
        assert_eq!((open.len(), waiting.len(), refused), (limit, limit, agents.len() - 2 * limit));
        let at_work = agents.iter().map(|agent| exports.work(agent).now_or_never());
        let at_work: Vec<_> = at_work.flatten().flatten().collect();
        assert_eq!(at_work.len(), limits::EXPORTS_PER_ACCOUNT_AT_ONCE);
        let alice = test.person("alice", SystemRole::User, &[]).await;
        let alice = test.hub.identify(&alice).await.unwrap();
        assert!(exports.open(&alice).now_or_never().unwrap().is_ok());
        assert!(exports.work(&alice).now_or_never().unwrap().is_ok());
    }
}
