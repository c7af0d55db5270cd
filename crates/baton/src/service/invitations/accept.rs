//! Accepts an invitation: the caller becomes a member with the role they were invited as.

use baton_core::{Caller, NetworkId, Quota, Refusal};
use baton_store::Transaction;

use crate::hub::Hub;
use crate::service::invites::join::Answer;
use crate::service::names::refuse_alias;
use crate::service::{Error, audit, permit, quotas};

pub(crate) async fn run(hub: &Hub, caller: &Caller, network_id: &str) -> Result<Answer, Error> {
    let user = permit::account(caller)?.clone();
    let id = NetworkId::parse(network_id).ok_or(Refusal::InvitationNotFound)?;
    let now = hub.clock.now();
    let store = hub.store_for(caller);
    let accept = move |tx: &mut dyn Transaction| {
        let invitation = tx.invitation(&id, &user.user_id)?.ok_or(Refusal::InvitationNotFound)?;
        refuse_alias(tx.as_snapshot(), &id, &user.username)?;
        quotas::admit_to_network(tx.as_snapshot(), &id, Quota::Members)?;
        quotas::admit_to_user(tx.as_snapshot(), &user.user_id, Quota::Memberships)?;
        tx.delete_invitation(&id, &user.user_id)?;
        let inviter = invitation.invited_by.as_str();
        tx.put_member(&id, &user.user_id, invitation.role, Some(inviter), now)?;
        let detail = format!("{} as {}, invited by {inviter}", user.username, invitation.role);
        let (actor, subject) = (user.username.as_str(), user.user_id.as_str());
        tx.audit(now, actor, audit::MEMBER_JOINED, Some(&id), subject, &detail)?;
        Ok(Answer::new(id.clone(), invitation.role))
    };
    store.write(accept).await
}
