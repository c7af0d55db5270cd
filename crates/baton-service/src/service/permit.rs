//! May this caller? The questions of `baton_core::access`, asked inside the transaction that acts on the answer.

use baton_core::access::{self, HubAction};
use baton_core::{Action, Caller, NetworkId, NetworkRole, Refusal, UserCaller};
use baton_store::Snapshot;

use super::Error;

/// Whether the token of a caller that has waited still opens what it opened, under the same alias.
pub(super) fn token_stands(rows: &dyn Snapshot, caller: &Caller) -> Result<(), Error> {
    // Without one the hub asks on the user's behalf.
    let Some(id) = caller.token_id() else { return Ok(()) };
    let token = rows.token(id)?.ok_or(Refusal::Unauthorized)?;
    match caller {
        Caller::Node(node) if token.alias != node.alias => Err(Refusal::Unauthorized.into()),
        Caller::Node(_) | Caller::User(_) => Ok(()),
    }
}

/// The person who calls about their own account; node tokens are turned away.
pub(super) fn account(caller: &Caller) -> Result<&UserCaller, Refusal> {
    access::authorize_on_hub(caller, HubAction::ManageOwnAccount)?;
    match caller {
        Caller::User(user) => Ok(user),
        Caller::Node(_) => Err(Refusal::UserTokenRequired),
    }
}

/// A network by the id in a path. A malformed id names nothing.
pub(super) fn network_id(text: &str) -> Result<NetworkId, Refusal> {
    NetworkId::parse(text).ok_or(Refusal::NetworkNotFound)
}

/// Allows or refuses an action in a network, and answers the caller's membership there.
pub(super) fn network(
    rows: &dyn Snapshot,
    caller: &Caller,
    network: &NetworkId,
    action: Action<'_>,
) -> Result<Option<NetworkRole>, Error> {
    let role = rows.member_role(network, caller.user_id())?;
    access::authorize(caller, network, role, action)?;
    // A system admin may act in a network of others, but not in one that does not exist or was deleted.
    if role.is_none() && rows.network(network)?.is_none() {
        return Err(Refusal::NetworkNotFound.into());
    }
    Ok(role)
}
