//! Who am I: the user behind a token, and their networks. A node token sees its own network only.

pub(crate) mod change;
pub(crate) mod show;

use baton_core::{Alias, Caller, NetworkId, Refusal, limits};
use baton_store::Snapshot;
use baton_store::rows::{Page, PageBounds};
use serde::Serialize;
use utoipa::ToSchema;

use super::network_view::NetworkView;
use super::user_view::UserView;
use super::{Error, page};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Profile)]
pub(crate) struct Answer {
    ok: bool,
    user: UserView,
    networks: Vec<NetworkView>,
    /// There are more networks: the cursor of the rest, for `GET /api/networks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
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
    let page = match &current_network {
        Some(current) => {
            let network = NetworkView::of_member(rows, caller.user_id(), current)?;
            Page { rows: network.into_iter().collect(), next: None }
        }
        None => {
            let bounds = PageBounds::rows(limits::OTHER_PAGE_MAX);
            rows.memberships(caller.user_id(), None, bounds)?.map(NetworkView::from)
        }
    };
    let (networks, next_cursor) = (page.rows, page::next(page.next));
    Ok(Answer { ok: true, user: user.into(), networks, next_cursor, current_network, alias })
}
