//! Uploads and downloads of artifacts that are in progress: whose turn it is, and what uploads will take of their networks'
//! quotas. What is counted here only refuses early; the transaction that adds an artifact looks at the quota itself.

use baton_core::{NetworkId, Refusal, Shares, TokenId, UserId, limits};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Identity;
use crate::error::Error;
use crate::fair_semaphore::{FairPermit, FairSemaphore};

const PATIENCE: Duration = Duration::from_secs(limits::TRANSFER_WAIT_MAX_SECONDS as u64);

/// A turn of an upload or a download.
pub(super) type TransferPermit = FairPermit<UserId, TokenId>;

/// All transfers.
#[derive(Debug)]
pub struct Transfers {
    uploads: Arc<FairSemaphore<UserId, TokenId>>,
    downloads: Arc<FairSemaphore<UserId, TokenId>>,
    reserved: Arc<Mutex<HashMap<NetworkId, u64>>>,
    /// Cloned while objects are read whose artifacts may be removed meanwhile.
    held: Arc<()>,
}

/// While this lives no object is deleted.
#[derive(Debug)]
pub struct HeldObjects(#[allow(dead_code)] Arc<()>);

impl Default for Transfers {
    fn default() -> Self {
        let shares = |total, kept, per_account, per_token| Shares {
            total: total as u64,
            kept_for_newcomers: kept as u64,
            per_group: per_account as u64,
            per_member: per_token as u64,
            waiting_per_member: limits::TRANSFERS_WAITING_PER_ACCOUNT_MAX_COUNT,
            waiting_per_group: limits::TRANSFERS_WAITING_PER_ACCOUNT_MAX_COUNT,
            waiting: limits::TRANSFERS_WAITING_MAX_COUNT,
        };
        let uploads = shares(
            limits::UPLOADS_AT_ONCE,
            limits::UPLOADS_KEPT_COUNT,
            limits::UPLOADS_PER_ACCOUNT_AT_ONCE,
            limits::UPLOADS_PER_TOKEN_AT_ONCE,
        );
        let downloads = shares(
            limits::DOWNLOADS_AT_ONCE,
            limits::DOWNLOADS_KEPT_COUNT,
            limits::DOWNLOADS_PER_ACCOUNT_AT_ONCE,
            limits::DOWNLOADS_PER_TOKEN_AT_ONCE,
        );
        Self {
            uploads: FairSemaphore::new(uploads),
            downloads: FairSemaphore::new(downloads),
            reserved: Arc::default(),
            held: Arc::new(()),
        }
    }
}

impl Transfers {
    /// Waits for a turn to upload.
    pub async fn upload(&self, who: &Identity) -> Result<TransferPermit, Error> {
        take(&self.uploads, who).await
    }

    /// Waits for a turn to download.
    pub async fn download(&self, who: &Identity) -> Result<TransferPermit, Error> {
        take(&self.downloads, who).await
    }

    /// Keeps objects from being deleted.
    pub fn hold_objects(&self) -> HeldObjects {
        HeldObjects(self.held.clone())
    }

    /// Whether somebody does.
    pub fn are_objects_held(&self) -> bool {
        Arc::strong_count(&self.held) > 1
    }

    /// Room in a network's quota, of which so much was used when it was looked at; none is taken yet.
    pub fn room(&self, network: &NetworkId, used: i64, max: i64) -> QuotaReservation {
        let (network, reserved) = (network.clone(), self.reserved.clone());
        QuotaReservation { network, used, max, taken: 0, reserved }
    }
}

async fn take(turns: &Arc<FairSemaphore<UserId, TokenId>>, who: &Identity) -> Result<TransferPermit, Error> {
    let turn = turns.take(who.account().clone(), who.token_id.clone(), 1, PATIENCE).await;
    turn.map_err(|_| baton_store::Error::Busy.into())
}

/// What an upload takes of a quota; it goes back when this is dropped.
#[derive(Debug)]
pub struct QuotaReservation {
    network: NetworkId,
    used: i64,
    max: i64,
    taken: u64,
    reserved: Arc<Mutex<HashMap<NetworkId, u64>>>,
}

impl QuotaReservation {
    /// Takes what is missing for an upload that has so many bytes by now.
    pub fn grow_to(&mut self, bytes: u64) -> Result<(), Refusal> {
        let Some(more) = bytes.checked_sub(self.taken).filter(|more| *more > 0) else { return Ok(()) };
        let mut reserved = self.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        let all = reserved.get(&self.network).copied().unwrap_or_default();
        let wanted = self.used.saturating_add_unsigned(all).saturating_add_unsigned(more);
        if wanted > self.max {
            let used = self.used.saturating_add_unsigned(all - self.taken);
            return Err(Refusal::ArtifactQuotaExceeded { used, max: self.max });
        }
        reserved.insert(self.network.clone(), all + more);
        self.taken = bytes;
        Ok(())
    }
}

impl Drop for QuotaReservation {
    fn drop(&mut self) {
        let mut reserved = self.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(all) = reserved.get_mut(&self.network) {
            *all -= self.taken;
            if *all == 0 {
                reserved.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_at_the_same_time_share_the_room_that_is_left_and_give_it_back() {
        let transfers = Transfers::default();
        let network = |n: u8| NetworkId::from_random([n; 6]);
        let room = |n| transfers.room(&network(n), 40, 100);
        let (mut first, mut second) = (room(1), room(1));
        first.grow_to(50).unwrap();
        first.grow_to(50).unwrap();
        assert_eq!(second.grow_to(11), Err(Refusal::ArtifactQuotaExceeded { used: 90, max: 100 }));
        second.grow_to(10).unwrap();
        assert_eq!(first.grow_to(51), Err(Refusal::ArtifactQuotaExceeded { used: 50, max: 100 }));
        assert!(room(2).grow_to(60).is_ok(), "another network has its own");
        drop(first);
        second.grow_to(60).unwrap();
        drop(second);
        assert!(transfers.reserved.lock().unwrap().is_empty());
    }
}
