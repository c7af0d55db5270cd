//! Whose turn a read or a write takes. Work waits in one line per share, and the lines are served in turns by the time
//! they have used, so that nobody waits for more than a share of what others asked for.

use baton_core::{Caller, NetworkId, UserId};

/// A line that work waits in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Share {
    /// The hub's own work: leases, seals, retention.
    Hub,
    /// Calls whose token has not been looked up yet.
    Unknown,
    /// A user, by whatever token and in whatever network: an account has one share, however many networks it makes.
    Account(UserId),
    /// Work of the hub for a network, no matter who caused it: exports, pushes, the removal of its rows.
    Network(NetworkId),
}

impl Share {
    /// The share a caller's work is counted to.
    pub fn of(caller: &Caller) -> Self {
        Self::Account(caller.user_id().clone())
    }

    /// How many shares this one counts as. The hub works for everybody, and so do the look-ups of tokens.
    pub(crate) const fn weight(&self) -> u64 {
        match self {
            Self::Hub => 8,
            Self::Unknown => 4,
            Self::Account(_) | Self::Network(_) => 1,
        }
    }
}
