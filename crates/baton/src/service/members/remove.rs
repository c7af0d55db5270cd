//! Removes a member with every token they had for the network, or withdraws a pending invitation. A caller who names
//! themselves leaves.

use baton_core::{Action, Caller, NetworkRole, Refusal, UserId};
use baton_store::Transaction;

use super::leave;
use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, permit};

/// How callers name themselves in a path.
const MYSELF: &str = "me";

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str, user_id: &str) -> Result<Done, Error> {
    let user = permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    if user_id == MYSELF || user_id == user.user_id.as_str() {
        return leave::run(hub, caller, id).await;
    }
    let user_id = UserId::parse(user_id);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let remove = move |tx: &mut dyn Transaction| {
        let member = user_id.as_ref().map(|user| tx.member_role(&id, user)).transpose()?.flatten();
        let invited = user_id.as_ref().map(|user| tx.invitation(&id, user)).transpose()?.flatten();
        // Who may not remove anybody must not learn who is a member either.
        let role = member.or(invited.as_ref().map(|row| row.role)).unwrap_or(NetworkRole::Viewer);
        permit::network(tx.as_snapshot(), &caller, &id, Action::RemoveMember { role })?;
        let user_id = user_id.as_ref().ok_or(Refusal::NotAMember)?;
        let actor = permit::account(&caller)?.username.as_str();
        if member.is_some() {
            let detail = super::end(tx, &id, user_id, role, now)?;
            tx.audit(now, actor, audit::MEMBER_REMOVED, Some(&id), user_id.as_str(), &detail)?;
        } else if tx.delete_invitation(&id, user_id)? {
            let detail = format!("as {role}");
            tx.audit(now, actor, audit::INVITATION_WITHDRAWN, Some(&id), user_id.as_str(), &detail)?;
        } else {
            return Err(Refusal::NotAMember.into());
        }
        Ok(Done::OK)
    };
    store.write(remove).await
}
