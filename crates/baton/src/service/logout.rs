//! Logging out: the user token that calls is revoked.

use super::done::Done;
use super::{Error, audit, permit};
use crate::hub::{Hub, Identity};

pub(crate) async fn run(hub: &Hub, identity: Identity) -> Result<Done, Error> {
    let actor = permit::account(&identity.caller)?.username.clone();
    let now = hub.clock.now();
    let store = hub.store_for(&identity.caller);
    let revoke = move |tx: &mut dyn baton_store::Transaction| {
        if tx.revoke_token(&identity.token_id, now)? {
            let token = identity.token_id.as_str();
            tx.audit(now, actor.as_str(), audit::TOKEN_REVOKED, None, token, "logout")?;
            tx.touch_access();
        }
        Ok(Done::OK)
    };
    store.write(revoke).await
}
