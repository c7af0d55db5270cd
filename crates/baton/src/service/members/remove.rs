//! Ends a membership, and with it every token the member had for the network.

use baton_core::{Action, Caller, NetworkRole, Refusal, UserId};
use baton_store::Transaction;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, permit};

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str, user_id: &str) -> Result<Done, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let user_id = UserId::parse(user_id);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let remove = move |tx: &mut dyn Transaction| {
        let member = user_id.as_ref().map(|user| tx.member_role(&id, user)).transpose()?.flatten();
        // Who may not remove anybody must not learn who is a member either.
        let role = member.unwrap_or(NetworkRole::Viewer);
        permit::network(tx.as_snapshot(), &caller, &id, Action::RemoveMember { role })?;
        let user_id = user_id.as_ref().filter(|_| member.is_some()).ok_or(Refusal::NotAMember)?;
        let actor = permit::account(&caller)?.username.as_str();
        tx.delete_member(&id, user_id)?;
        let revoked = tx.revoke_node_tokens(user_id, &id, now)?;
        let detail = format!("was {role}, {revoked} node tokens revoked");
        tx.audit(now, actor, audit::MEMBER_REMOVED, Some(&id), user_id.as_str(), &detail)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(remove).await
}
