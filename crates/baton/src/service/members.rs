//! The members of a network. One changes and takes away only roles below one's own; anybody but the owner may leave.
//! How users become members is in `invitations.rs` and `invites.rs`.

pub(crate) mod change;
mod leave;
pub(crate) mod list;
pub(crate) mod remove;

use baton_core::{NetworkId, NetworkRole, UnixMillis, UserId};
use baton_store::Transaction;

use super::Error;

/// Ends a membership with everything that depends on it: the member's node tokens, and the invitations they sent.
/// Returns the detail for the audit log.
fn end(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    user: &UserId,
    role: NetworkRole,
    now: UnixMillis,
) -> Result<String, Error> {
    tx.delete_member(network, user)?;
    let withdrawn = tx.delete_invitations_by(network, user)?;
    let revoked = tx.revoke_node_tokens(user, network, now)?;
    tx.touch_access();
    Ok(format!("was {role}, {revoked} node tokens revoked, {withdrawn} invitations withdrawn"))
}
