//! Lists a network's aliases with their owners, in the order of their names.

use baton_core::{Action, Alias, Caller, UserId, Username, limits};
use baton_store::Snapshot;
use baton_store::rows::AliasRow;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::hub::Hub;
use crate::service::{Error, WireTime, page, permit};

/// Which page.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct QueryArgs {
    /// 500 by default
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    limit: Option<String>,
    /// `next_cursor` of the page before
    cursor: Option<String>,
}

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
    args: QueryArgs,
) -> Result<Answer, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let limit = page::limit_text(args.limit.as_deref(), limits::OTHER_PAGE_MAX, limits::OTHER_PAGE_MAX)?;
    let store = hub.store_for(&caller);
    let list = move |rows: &dyn Snapshot| {
        permit::network(rows, &caller, &id, Action::ManageAliases)?;
        let page = rows.aliases(&id, args.cursor.as_deref(), limit)?;
        let next_cursor = page.last().filter(|_| page.len() == limit).map(|row| row.alias.to_string());
        Ok(Answer { ok: true, aliases: page.into_iter().map(AliasView::from).collect(), next_cursor })
    };
    store.read(list).await
}
