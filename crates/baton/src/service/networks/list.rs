//! Lists the networks the caller is a member of; a node token's own.

use baton_core::Caller;
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::Error;
use crate::service::network_view::NetworkView;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Networks)]
pub(crate) struct Answer {
    ok: bool,
    networks: Vec<NetworkView>,
}

pub(crate) async fn run(hub: &Hub, caller: Caller) -> Result<Answer, Error> {
    let store = hub.store_for(&caller);
    let list = move |rows: &dyn baton_store::Snapshot| {
        let mut memberships = rows.memberships(caller.user_id())?;
        if let Caller::Node(node) = &caller {
            memberships.retain(|membership| membership.network.network_id == node.network_id);
        }
        Ok(Answer { ok: true, networks: memberships.into_iter().map(NetworkView::from).collect() })
    };
    store.read(list).await
}
