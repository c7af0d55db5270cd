//! Networks that were deleted and whose rows are still being removed.

use baton_core::NetworkId;

use crate::error::Error;

/// Reads of removals.
pub trait RemovalReads {
    /// A deleted network that still has rows.
    fn network_to_remove(&self) -> Result<Option<NetworkId>, Error>;
}

/// Writes of removals.
pub trait RemovalWrites {
    /// Deletes a network: from now on nobody sees it. `remove_rows_of` removes its rows.
    fn delete_network(&mut self, network: &NetworkId) -> Result<(), Error>;
    /// Removes up to so many rows of a deleted network; false once none are left, and it is forgotten.
    fn remove_rows_of(&mut self, network: &NetworkId, limit: usize) -> Result<bool, Error>;
}
