//! A network as answers show one.

use baton_core::{NetworkId, NetworkRole, UserId};
use baton_store::Snapshot;
use baton_store::rows::{MembershipRow, NetworkRow};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Error, WireTime};

/// A network, and what the caller is in it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Network)]
pub(crate) struct NetworkView {
    network_id: NetworkId,
    network_name: String,
    owner_id: UserId,
    description: Option<String>,
    created_at: WireTime,
    updated_at: WireTime,
    /// Whether its agents' A2A cards are for everybody.
    public_cards: bool,
    member_role: Option<NetworkRole>,
}

impl NetworkView {
    /// A network to somebody of this role, or to a system admin of none.
    pub(super) fn new(network: NetworkRow, member_role: Option<NetworkRole>) -> Self {
        Self {
            network_id: network.network_id,
            network_name: network.name,
            owner_id: network.owner_id,
            description: network.description,
            created_at: network.created_at.into(),
            updated_at: network.updated_at.into(),
            public_cards: network.public_cards,
            member_role,
        }
    }
}

impl NetworkView {
    /// A network to one of its members; none if they are not.
    pub(super) fn of_member(
        rows: &dyn Snapshot,
        user: &UserId,
        network: &NetworkId,
    ) -> Result<Option<Self>, Error> {
        let Some(role) = rows.member_role(network, user)? else { return Ok(None) };
        Ok(rows.network(network)?.map(|network| Self::new(network, Some(role))))
    }
}

impl From<MembershipRow> for NetworkView {
    fn from(membership: MembershipRow) -> Self {
        Self::new(membership.network, Some(membership.role))
    }
}
