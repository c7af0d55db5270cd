//! The members of a network. One changes and takes away only roles below one's own; anybody but the owner may leave.
//! How users become members is in `invitations.rs` and `invites.rs`.

pub(crate) mod change;
mod leave;
pub(crate) mod list;
pub(crate) mod remove;

use baton_core::{NetworkId, UnixMillis, UserId};
use baton_store::Transaction;

use super::Error;

/// Ends a membership with everything that stands on it: the member's node tokens, and the invitations they made.
/// Returns how many node tokens were revoked.
fn end(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    user: &UserId,
    now: UnixMillis,
) -> Result<usize, Error> {
    tx.delete_member(network, user)?;
    tx.delete_invitations_by(network, user)?;
    let revoked = tx.revoke_node_tokens(user, network, now)?;
    tx.touch_access();
    Ok(revoked)
}
