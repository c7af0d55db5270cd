//! Withdraws an invite: whoever has its code can no longer join with it. Who joined stays.

use baton_core::{Action, Caller, Refusal};
use baton_store::Transaction;

use super::id::InviteId;
use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, permit};

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str, invite_id: &str) -> Result<Done, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let invite = InviteId::parse(invite_id);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let delete = move |tx: &mut dyn Transaction| {
        permit::network(tx.as_snapshot(), &caller, &id, Action::ManageInvites)?;
        let (invite, hash_begins) = invite.as_ref().ok_or(Refusal::InviteUnknown)?;
        if !tx.delete_invite(&id, hash_begins)? {
            return Err(Refusal::InviteUnknown.into());
        }
        let actor = permit::account(&caller)?.username.as_str();
        tx.audit(now, actor, audit::INVITE_DELETED, Some(&id), &invite.to_string(), "")?;
        Ok(Done::OK)
    };
    store.write(delete).await
}
