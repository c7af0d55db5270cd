//! Declines an invitation.

use baton_core::{Caller, NetworkId, Refusal};
use baton_store::Transaction;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, permit};

pub(crate) async fn run(hub: &Hub, caller: &Caller, network_id: &str) -> Result<Done, Error> {
    let user = permit::account(caller)?.clone();
    let id = NetworkId::parse(network_id).ok_or(Refusal::InvitationNotFound)?;
    let now = hub.clock.now();
    let store = hub.store_for(caller);
    let decline = move |tx: &mut dyn Transaction| {
        if !tx.delete_invitation(&id, &user.user_id)? {
            return Err(Refusal::InvitationNotFound.into());
        }
        let (actor, subject) = (user.username.as_str(), user.user_id.as_str());
        tx.audit(now, actor, audit::INVITATION_DECLINED, Some(&id), subject, "")?;
        Ok(Done::OK)
    };
    store.write(decline).await
}
