//! Lists a network's aliases with their owners, in the order of their names.

use baton_core::{Action, Alias, Caller, UserId, Username};
use baton_store::Snapshot;
use baton_store::rows::AliasRow;
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::page::{self, PageArgs};
use crate::service::{Error, WireTime, permit};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Aliases)]
pub(crate) struct Answer {
    ok: bool,
    aliases: Vec<AliasView>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OwnedAlias)]
struct AliasView {
    alias: Alias,
    /// The user it belongs to; null if no token ever held it.
    owner_id: Option<UserId>,
    owner: Option<Username>,
    /// When one of its tokens was last used.
    last_used_at: Option<WireTime>,
}

impl From<AliasRow> for AliasView {
    fn from(row: AliasRow) -> Self {
        let (owner_id, owner) = row.owner.unzip();
        Self { alias: row.alias, owner_id, owner, last_used_at: row.last_used_at.map(WireTime) }
    }
}

pub(crate) async fn run(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    args: PageArgs,
) -> Result<Answer, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let cursors = page::cursors(hub, &caller, "aliases");
    let (bounds, after) = (args.bounds()?, args.place(&cursors)?);
    let store = hub.store_for(&caller);
    let list = move |rows: &dyn Snapshot| {
        permit::network(rows, &caller, &id, Action::ManageAliases)?;
        let page = rows.aliases(&id, after.as_ref(), bounds)?.map(AliasView::from);
        Ok(Answer { ok: true, aliases: page.rows, next_cursor: cursors.next(page.next) })
    };
    store.read(list).await
}
