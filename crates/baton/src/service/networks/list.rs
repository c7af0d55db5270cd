//! Lists the networks the caller is a member of; a node token's own.

use baton_core::Caller;
use baton_store::Snapshot;
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::Error;
use crate::service::network_view::NetworkView;
use crate::service::page::{self, PageArgs};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Networks)]
pub(crate) struct Answer {
    ok: bool,
    networks: Vec<NetworkView>,
    next_cursor: Option<String>,
}

pub(crate) async fn run(hub: &Hub, caller: Caller, args: PageArgs) -> Result<Answer, Error> {
    let (bounds, after) = (args.bounds()?, args.place()?);
    let list = move |rows: &dyn Snapshot| {
        if let Caller::Node(node) = &caller {
            let network = NetworkView::of_member(rows, caller.user_id(), &node.network_id)?;
            return Ok(Answer { ok: true, networks: network.into_iter().collect(), next_cursor: None });
        }
        let page = rows.memberships(caller.user_id(), after, bounds)?.map(NetworkView::from);
        Ok(Answer { ok: true, networks: page.rows, next_cursor: page::next(page.next) })
    };
    hub.store.read(list).await
}
