//! The aliases of a network and the users they belong to. An alias belongs to the user whose token first held it, until
//! a network admin hands it over.

use baton_core::{Action, Alias, Caller, Refusal, UserId, Username};
use baton_store::rows::AliasRow;
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::accounts::NetworkList;
use crate::service::page::PageArgs;
use crate::service::{Done, Error, WireTime, audit, names, permit};

#[derive(Debug, Serialize, ToSchema)]
pub struct Aliases {
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

/// Lists a network's aliases with their owners, in the order of their names.
pub async fn list(hub: &Hub, caller: Caller, network_id: &str, args: PageArgs) -> Result<Aliases, Error> {
    let list = NetworkList::read(hub, &caller, network_id, &args, "aliases")?;
    let read = move |rows: &dyn Snapshot| {
        list.permit(rows, Action::ManageAliases)?;
        let page = rows.aliases(&list.network, list.after.as_ref(), list.bounds)?.map(AliasView::from);
        Ok(Aliases { ok: true, aliases: page.rows, next_cursor: list.next(page.next) })
    };
    hub.store_for(&caller).read(read).await
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct AliasHandOver {
    /// The member it goes to.
    pub user_id: String,
}

/// Hands an alias over to another member. The tokens that other users have for it are revoked, so that only the new
/// owner's agents speak as it from then on.
pub async fn hand_over(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    alias: &str,
    args: AliasHandOver,
) -> Result<Done, Error> {
    let user = permit::account(&caller)?.clone();
    let id = permit::network_id(network_id)?;
    let alias = names::alias(alias).ok();
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let hand_over = move |tx: &mut dyn Transaction| {
        permit::user_in(tx.as_snapshot(), &user, &id, Action::ManageAliases)?;
        let alias = alias.as_ref().ok_or(Refusal::AliasNotFound)?;
        if !tx.alias_was_used(&id, alias)? {
            return Err(Refusal::AliasNotFound.into());
        }
        let user_id = UserId::parse(&args.user_id).ok_or(Refusal::NotAMember)?;
        tx.member_role(&id, &user_id)?.ok_or(Refusal::NotAMember)?;
        let before = tx.alias_owner(&id, alias)?;
        tx.hand_over_alias(&id, alias, &user_id)?;
        let revoked = tx.revoke_alias_tokens_of_others(&id, alias, &user_id, now)?;
        let before = before.as_ref().map_or("nobody", UserId::as_str);
        let detail = format!("from {before} to {user_id}, {revoked} node tokens revoked");
        let actor = user.username.as_str();
        tx.audit(now, actor, audit::ALIAS_HANDED_OVER, Some(&id), alias.as_str(), &detail)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(hand_over).await
}
