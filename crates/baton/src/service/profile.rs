//! Who am I: the user behind a token, and their networks. A node token sees its own network only.

pub(crate) mod change;
pub(crate) mod show;

use baton_core::{Alias, Caller, NetworkId, Refusal};
use baton_store::Snapshot;
use serde::Serialize;
use utoipa::ToSchema;

use super::Error;
use super::network_view::NetworkView;
use super::user_view::UserView;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Profile)]
pub(crate) struct Answer {
    ok: bool,
    user: UserView,
    networks: Vec<NetworkView>,
    current_network: Option<NetworkId>,
    /// Whom a node token speaks as.
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<Alias>,
}

fn of(rows: &dyn Snapshot, caller: &Caller) -> Result<Answer, Error> {
    let user = rows.user(caller.user_id())?.ok_or(Refusal::Unauthorized)?;
    let (current_network, alias) = match caller {
        Caller::User(_) => (None, None),
        Caller::Node(node) => (Some(node.network_id.clone()), node.alias.clone()),
    };
    let mut memberships = rows.memberships(caller.user_id())?;
    if let Some(current) = &current_network {
        memberships.retain(|membership| membership.network.network_id == *current);
    }
    let networks = memberships.into_iter().map(NetworkView::from).collect();
    Ok(Answer { ok: true, user: user.into(), networks, current_network, alias })
}
