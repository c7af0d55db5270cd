//! Pending invitations: users an admin asked to join a network, who have not answered yet.

use baton_core::{NetworkId, NetworkRole, UnixMillis, UserId, Username};

use crate::error::Error;

/// A pending invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationRow {
    /// The network.
    pub network_id: NetworkId,
    /// The network's name.
    pub network_name: String,
    /// The user who is invited.
    pub user_id: UserId,
    /// Their name.
    pub username: Username,
    /// The role they get on accepting.
    pub role: NetworkRole,
    /// The user who invited them, by name.
    pub invited_by: Username,
    /// When.
    pub created_at: UnixMillis,
}

/// Reads of invitations.
pub trait InvitationReads {
    /// The pending invitation of a user to a network.
    fn invitation(&self, network: &NetworkId, user: &UserId) -> Result<Option<InvitationRow>, Error>;
    /// The pending invitations of a user, oldest first; at most so many.
    fn invitations_of_user(&self, user: &UserId, limit: usize) -> Result<Vec<InvitationRow>, Error>;
    /// The pending invitations of a network, by user id; at most so many.
    fn invitations_of_network(&self, network: &NetworkId, limit: usize) -> Result<Vec<InvitationRow>, Error>;
}

/// Writes of invitations.
pub trait InvitationWrites {
    /// Inserts a pending invitation; there is at most one per network and user.
    fn insert_invitation(
        &mut self,
        network: &NetworkId,
        user: &UserId,
        role: NetworkRole,
        invited_by: &UserId,
        at: UnixMillis,
    ) -> Result<(), Error>;
    /// Deletes the pending invitation of a user to a network; false if there was none.
    fn delete_invitation(&mut self, network: &NetworkId, user: &UserId) -> Result<bool, Error>;
    /// Deletes the pending invitations to a network that one user made, and returns how many there were.
    fn delete_invitations_by(&mut self, network: &NetworkId, inviter: &UserId) -> Result<usize, Error>;
}
