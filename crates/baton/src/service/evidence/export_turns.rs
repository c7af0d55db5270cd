//! Exports take turns. Two things are shared: the work (reading and packing a log), which a slow reader never holds up
//! because a bundle is sent from the disk and a side file takes a turn for each page; and open exports, which take room
//! on the disk and in memory until they have been read.

use baton_core::{NetworkId, Refusal, Shares, TokenId, limits};
use std::sync::Arc;
use std::time::Duration;

use crate::hub::Identity;
use crate::service::Error;
use crate::turns::{Turn, Turns};

const PATIENCE: Duration = Duration::from_secs(limits::EXPORT_WAIT_MAX_SECONDS as u64);
/// When to come back after that.
const RETRY_AFTER_MS: u64 = 5_000;

/// A turn of a network's export.
pub(crate) type ExportTurn = Turn<NetworkId, TokenId>;

/// The exports of all networks.
#[derive(Debug, Clone)]
pub(crate) struct Exports {
    at_work: Arc<Turns<NetworkId, TokenId>>,
    open: Arc<Turns<NetworkId, TokenId>>,
}

impl Default for Exports {
    fn default() -> Self {
        let open_per_network = limits::EXPORTS_OPEN_PER_NETWORK_MAX_COUNT;
        // Only open exports wait for work; more of a network than may be open wait to be opened, and no more than that.
        let shares = |total, kept, per_network| Shares {
            total: total as u64,
            kept_for_newcomers: kept as u64,
            per_group: per_network as u64,
            per_member: per_network as u64,
            waiting_per_member: open_per_network,
            waiting_per_group: open_per_network,
            waiting: limits::EXPORTS_OPEN_MAX_COUNT,
        };
        let (total, kept) = (limits::EXPORTS_AT_ONCE, limits::EXPORTS_KEPT_COUNT);
        let at_work = shares(total, kept, limits::EXPORTS_PER_NETWORK_AT_ONCE);
        let (total, kept) = (limits::EXPORTS_OPEN_MAX_COUNT, limits::EXPORTS_OPEN_KEPT_COUNT);
        let open = shares(total, kept, open_per_network);
        Self { at_work: Turns::new(at_work), open: Turns::new(open) }
    }
}

impl Exports {
    /// Opens an export; it is open until it has been read or its reader has gone.
    pub(super) async fn open(&self, network: &NetworkId, who: &Identity) -> Result<ExportTurn, Error> {
        take(&self.open, network, &who.token_id).await
    }

    /// Exports that are open.
    pub(crate) fn open_count(&self) -> u64 {
        self.open.held()
    }

    /// Exports that wait to be opened.
    pub(crate) fn waiting_count(&self) -> usize {
        self.open.waiting()
    }

    /// A turn to work.
    pub(super) async fn work(&self, network: &NetworkId, token: &TokenId) -> Result<ExportTurn, Error> {
        take(&self.at_work, network, token).await
    }
}

async fn take(
    turns: &Arc<Turns<NetworkId, TokenId>>,
    network: &NetworkId,
    token: &TokenId,
) -> Result<ExportTurn, Error> {
    let turn = turns.take(network.clone(), token.clone(), 1, PATIENCE).await;
    turn.map_err(|_| Refusal::TooManyExports { retry_after_ms: RETRY_AFTER_MS }.into())
}
