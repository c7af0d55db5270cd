//! Invitations by user: an admin asks a user to join, and the user accepts or declines. Until then the user is not a
//! member. Invite codes, which anybody may use who has one, are in `invites.rs`.

use baton_core::{Action, Caller, NetworkId, NetworkRole, Quota, Refusal, UserId, Username, limits};
use baton_store::rows::InvitationRow;
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::accounts::invites::Joined;
use crate::service::accounts::quotas;
use crate::service::names::refuse_alias;
use crate::service::{Done, Error, WireTime, audit, permit};

#[derive(Deserialize, ToSchema)]
#[schema(as = NewMember)]
pub struct NewInvitation {
    user_id: String,
    role: Option<NetworkRole>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct MemberInvited {
    ok: bool,
    /// Always true: the user becomes a member on accepting.
    pending: bool,
}

/// Invites a user into a network. The invitation stays pending until the user accepts or declines it, or an admin
/// withdraws it. Pending invitations are capped per user and per network, so that they cannot be used to flood
/// anybody.
pub async fn create(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    args: NewInvitation,
) -> Result<MemberInvited, Error> {
    let inviter = permit::account(&caller)?.clone();
    let id = permit::network_id(network_id)?;
    let role = args.role.unwrap_or(NetworkRole::Member);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let invite = move |tx: &mut dyn Transaction| {
        permit::user_in(tx.as_snapshot(), &inviter, &id, Action::AddMember { role })?;
        let user_id = UserId::parse(&args.user_id).ok_or(Refusal::UserNotFound)?;
        let user = tx.user(&user_id)?.ok_or(Refusal::UserNotFound)?;
        if tx.member_role(&id, &user_id)?.is_some() {
            return Err(Refusal::AlreadyMember.into());
        }
        if tx.invitation(&id, &user_id)?.is_some() {
            return Err(Refusal::AlreadyInvited.into());
        }
        // Checked again on accepting; here it spares the user an invitation that cannot be accepted.
        refuse_alias(tx.as_snapshot(), &id, &user.username)?;
        refuse_too_many(tx.as_snapshot(), &id, &user_id)?;
        tx.insert_invitation(&id, &user_id, role, &inviter.user_id, now)?;
        let (actor, detail) = (inviter.username.as_str(), format!("{} as {role}", user.username));
        tx.audit(now, actor, audit::INVITATION_CREATED, Some(&id), user_id.as_str(), &detail)?;
        Ok(MemberInvited { ok: true, pending: true })
    };
    store.write(invite).await
}

fn refuse_too_many(rows: &dyn Snapshot, network: &NetworkId, user: &UserId) -> Result<(), Error> {
    let most = limits::INVITATIONS_PER_USER_MAX_COUNT;
    if rows.invitations_of_user(user, most)?.len() >= most {
        let rule = format!("already has {most} pending invitations; the user must answer some first");
        return Err(Error::argument("user_id", rule));
    }
    let most = limits::INVITATIONS_PER_NETWORK_MAX_COUNT;
    if rows.invitations_of_network(network, most)?.len() >= most {
        let rule = format!(
            "cannot be invited: the network already has {most} pending invitations; withdraw some first"
        );
        return Err(Error::argument("user_id", rule));
    }
    Ok(())
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Invitations {
    ok: bool,
    invitations: Vec<Invitation>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Invitation {
    network_id: NetworkId,
    network_name: String,
    role: NetworkRole,
    invited_by: Username,
    created_at: WireTime,
}

impl From<InvitationRow> for Invitation {
    fn from(row: InvitationRow) -> Self {
        Self {
            network_id: row.network_id,
            network_name: row.network_name,
            role: row.role,
            invited_by: row.invited_by,
            created_at: row.created_at.into(),
        }
    }
}

/// Lists the caller's pending invitations, oldest first. The cap per user keeps the list to one page.
pub async fn list(hub: &Hub, caller: &Caller) -> Result<Invitations, Error> {
    let user_id = permit::account(caller)?.user_id.clone();
    let store = hub.store_for(caller);
    let list = move |rows: &dyn Snapshot| {
        let invitations = rows.invitations_of_user(&user_id, limits::INVITATIONS_PER_USER_MAX_COUNT)?;
        Ok(Invitations { ok: true, invitations: invitations.into_iter().map(Invitation::from).collect() })
    };
    store.read(list).await
}

/// Accepts an invitation: the caller becomes a member with the role they were invited as.
pub async fn accept(hub: &Hub, caller: &Caller, network_id: &str) -> Result<Joined, Error> {
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
        Ok(Joined::new(id.clone(), invitation.role))
    };
    store.write(accept).await
}

/// Declines an invitation.
pub async fn decline(hub: &Hub, caller: &Caller, network_id: &str) -> Result<Done, Error> {
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
