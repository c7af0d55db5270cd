//! Hands an alias over to another member. The tokens that other users have for it are revoked, so that only the new
//! owner's agents speak as it from then on.

use baton_core::{Action, Caller, Refusal, UserId};
use baton_store::Transaction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, names, permit};

#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = AliasHandOver)]
pub(crate) struct Args {
    /// The member it goes to.
    pub(crate) user_id: String,
}

pub(crate) async fn run(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    alias: &str,
    args: Args,
) -> Result<Done, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let alias = names::alias(alias).ok();
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let hand_over = move |tx: &mut dyn Transaction| {
        permit::network(tx.as_snapshot(), &caller, &id, Action::ManageAliases)?;
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
        let actor = permit::account(&caller)?.username.as_str();
        tx.audit(now, actor, audit::ALIAS_HANDED_OVER, Some(&id), alias.as_str(), &detail)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(hand_over).await
}
