//! Leaves a network. Everybody may but the owner, who deletes the network instead.

use baton_core::{Action, Caller, NetworkId, Refusal};
use baton_store::Transaction;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, permit};

pub(super) async fn run(hub: &Hub, caller: Caller, network: NetworkId) -> Result<Done, Error> {
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let leave = move |tx: &mut dyn Transaction| {
        let role = permit::network(tx.as_snapshot(), &caller, &network, Action::Leave)?;
        let user = permit::account(&caller)?;
        // A system admin may look into the network without being in it.
        let role = role.ok_or(Refusal::NotAMember)?;
        let detail = super::end(tx, &network, &user.user_id, role, now)?;
        let (actor, subject) = (user.username.as_str(), user.user_id.as_str());
        tx.audit(now, actor, audit::MEMBER_LEFT, Some(&network), subject, &detail)?;
        Ok(Done::OK)
    };
    store.write(leave).await
}
