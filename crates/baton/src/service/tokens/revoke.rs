//! Revokes one of one's own tokens, of either kind. Somebody else's is not found.

use baton_core::{Caller, Refusal, TokenId};
use baton_store::Transaction;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::place::is_hubs_own;
use crate::service::{Error, audit, permit};

pub(crate) async fn run(hub: &Hub, caller: &Caller, token_id: &str) -> Result<Done, Error> {
    let user = permit::account(caller)?.clone();
    let token_id = TokenId::parse(token_id).ok_or(Refusal::TokenNotFound)?;
    let now = hub.clock.now();
    let store = hub.store_for(caller);
    let revoke = move |tx: &mut dyn Transaction| {
        let token = tx.token(&token_id)?.filter(|token| token.user_id == user.user_id);
        let token = token.ok_or(Refusal::TokenNotFound)?;
        // What the hub works under for an agent of others goes when the agent is removed.
        if is_hubs_own(tx.as_snapshot(), &token)? {
            return Err(Refusal::TokenNotFound.into());
        }
        tx.revoke_token(&token_id, now)?;
        let (actor, network) = (user.username.as_str(), token.network_id.as_ref());
        tx.audit(now, actor, audit::TOKEN_REVOKED, network, token_id.as_str(), &token.name)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(revoke).await
}
