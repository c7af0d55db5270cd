//! Which network a call means, from the token and the `network_id` it names, if any.
//! What the caller may do there is in `access.rs`. A REST path that names a task needs none of this.

use crate::caller::Caller;
use crate::ids::NetworkId;
use crate::refusal::Refusal;

/// What a user token that names no network means by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultNetwork {
    /// Nothing: `cancel_task`, `retry_task`, `reassign_task`, `send_reply`, `send_ack`, `ack_inbox`.
    IsDenied,
    /// The user's only network: `send_task`, `send_message`, `broadcast` and every other write.
    MeansTheOnlyOne,
    /// All memberships: reads.
    MeansAll,
}

/// The network or networks of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkChoice {
    /// This one; whether the caller may act in it is decided elsewhere.
    One(NetworkId),
    /// Every network the user is a member of.
    AllMemberships,
}

/// Finds the network of a call; `memberships` are the user's, and a node token has no use for them.
pub fn choose_network(
    caller: &Caller,
    named: Option<&NetworkId>,
    memberships: &[NetworkId],
    unnamed: DefaultNetwork,
) -> Result<NetworkChoice, Refusal> {
    match (caller, named) {
        (Caller::Node(node), Some(named)) if *named != node.network_id => Err(Refusal::PermissionDenied),
        (Caller::Node(node), _) => Ok(NetworkChoice::One(node.network_id.clone())),
        (Caller::User(_), Some(named)) => Ok(NetworkChoice::One(named.clone())),
        (Caller::User(_), None) => match (unnamed, memberships) {
            (DefaultNetwork::IsDenied, _) => Err(Refusal::NetworkNotNamed),
            (DefaultNetwork::MeansAll, _) => Ok(NetworkChoice::AllMemberships),
            (DefaultNetwork::MeansTheOnlyOne, [only]) => Ok(NetworkChoice::One(only.clone())),
            (DefaultNetwork::MeansTheOnlyOne, _) => Err(Refusal::NetworkIdRequired),
        },
    }
}
