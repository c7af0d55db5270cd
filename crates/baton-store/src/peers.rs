//! The other hubs on the same database: which are alive, who of them does what only one may do at a time, and what is sent
//! to all of them. An engine that one hub has for itself has no peers.

use baton_core::{Alias, NetworkId, TokenId, UnixMillis};
use std::pin::Pin;

use crate::error::Error;

/// A hub that runs on the database, or was killed recently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubRow {
    /// Its id, which it has for one run.
    pub hub_id: String,
    /// The URL it listens at.
    pub address: String,
    /// The version of its program.
    pub version: String,
    /// When it was started.
    pub started_at: UnixMillis,
    /// Its last heartbeat.
    pub seen_at: UnixMillis,
    /// Whether that is recent enough.
    pub is_alive: bool,
}

/// A token that speaks for an agent, and when it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenRow {
    /// The agent's network.
    pub network_id: NetworkId,
    /// The agent.
    pub alias: Alias,
    /// The token.
    pub token_id: TokenId,
    /// Its last call.
    pub last_used_at: Option<UnixMillis>,
    /// Until when it counts as connected.
    pub connected_until: Option<UnixMillis>,
}

/// Work that only one hub may do at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// The pushes of a network.
    Pushes,
    /// The tasks of a remote agent.
    Errands,
}

impl Work {
    /// Its name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pushes => "pushes",
            Self::Errands => "errands",
        }
    }
}

/// Something that was asked of the database.
pub type Asked<'s, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 's>>;

/// The other hubs on the same database.
pub trait Peers: Send + Sync + 'static {
    /// How many hubs are alive, this one included, by the last heartbeat.
    fn alive_count(&self) -> u32;
    /// Whether a hub may be alive whose program cannot read entry bundles of zstd. False only after a heartbeat
    /// that came `limits::HUB_ALIVE_FOR` or later after this hub connected.
    fn has_older(&self) -> bool;
    /// All hubs that are alive, and those that were killed recently.
    fn hubs(&self) -> Asked<'_, Vec<HubRow>>;
    /// Takes work for this hub, or keeps it if it has it already, for `limits::WORK_LEASE_SECONDS` from now on. Answers which
    /// of these keys it has; another hub has the others.
    fn take_work(&self, work: Work, keys: Vec<String>) -> Asked<'_, Vec<String>>;
    /// Leaves work to other hubs.
    fn leave_work(&self, work: Work, keys: Vec<String>) -> Asked<'_, ()>;
    /// The agents that were seen by any hub since this time, by the tokens that speak for them.
    fn seen_since(&self, since: UnixMillis) -> Asked<'_, Vec<SeenRow>>;
    /// Sends a frame to everybody who listens to a network on another hub. It is not stored, and may be lost.
    fn send_transient(&self, network: &NetworkId, body: &str);
    /// Whether no hub could reach the database for a while, so that leases could not be renewed; asked once.
    fn take_outage(&self) -> bool;
}
