//! Joins a network by an invite code. Looking at the invite, using it and becoming a member are one transaction,
//! so of two who use the last use one joins. A member who joins again stays what they are and uses nothing up.

use baton_core::{
    Caller, ClockJumps, InviteCode, NetworkId, NetworkRole, Quota, Refusal, UnixMillis, UserCaller,
};
use baton_store::rows::InviteRow;
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::{Hub, Identity};
use crate::service::names::refuse_alias;
use crate::service::{Error, audit, permit, quotas, secret};

#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = Join)]
pub(crate) struct Args {
    pub(crate) invite_code: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Joined)]
pub(crate) struct Answer {
    ok: bool,
    network_id: NetworkId,
    role: NetworkRole,
}

impl Answer {
    pub(in crate::service) fn new(network_id: NetworkId, role: NetworkRole) -> Self {
        Self { ok: true, network_id, role }
    }
}

pub(crate) async fn run(hub: &Hub, identity: Identity, args: Args) -> Result<Answer, Error> {
    permit::account(&identity.caller)?;
    let store = hub.store_for(&identity.caller);
    hub.join_guard.count(hub, store, &identity.token_id).await?;
    let code = InviteCode::parse(args.invite_code.trim()).ok_or(Refusal::InviteUnknown)?;
    let (code_hash, (now, clock_jumps)) = (secret::hash(code.expose()), hub.clock.observe());
    let store = hub.store_for(&identity.caller);
    store.write(move |tx| join(tx, &identity.caller, &code_hash, now, &clock_jumps)).await
}

fn join(
    tx: &mut dyn Transaction,
    caller: &Caller,
    code_hash: &[u8; 32],
    now: UnixMillis,
    clock_jumps: &ClockJumps,
) -> Result<Answer, Error> {
    let user = permit::account(caller)?;
    let invite = tx.invite(code_hash)?.ok_or(Refusal::InviteUnknown)?;
    let network_id = invite.network_id.clone();
    let current = tx.member_role(&network_id, &user.user_id)?;
    let role = NetworkRole::after_join(current, invite.role);
    if current.is_none() {
        refuse_spent(tx.as_snapshot(), &invite, clock_jumps.now_since(invite.created_at, now))?;
        refuse_alias(tx.as_snapshot(), &network_id, &user.username)?;
        quotas::admit_to_network(tx.as_snapshot(), &network_id, Quota::Members)?;
        quotas::admit_to_user(tx.as_snapshot(), &user.user_id, Quota::Memberships)?;
        admit(tx, user, &invite, now)?;
    }
    Ok(Answer::new(network_id, role))
}

/// An invite holds as long as it has uses and time left and whoever made it could make it again.
fn refuse_spent(rows: &dyn Snapshot, invite: &InviteRow, now: UnixMillis) -> Result<(), Error> {
    if invite.uses >= invite.max_uses {
        return Err(Refusal::InviteUsedUp.into());
    }
    let inviter = rows.member_role(&invite.network_id, &invite.created_by)?;
    let may_invite = inviter.is_some_and(|role| role >= NetworkRole::Admin && role.may_grant(invite.role));
    if invite.expires_at.is_some_and(|end| end <= now) || !may_invite {
        return Err(Refusal::InviteExpired.into());
    }
    Ok(())
}

fn admit(
    tx: &mut dyn Transaction,
    user: &UserCaller,
    invite: &InviteRow,
    now: UnixMillis,
) -> Result<(), Error> {
    let inviter = tx.user(&invite.created_by)?.map(|inviter| inviter.username);
    let invited_by = inviter.as_ref().map(|username| username.as_str());
    tx.use_invite(&invite.code_hash)?;
    tx.delete_invitation(&invite.network_id, &user.user_id)?;
    tx.put_member(&invite.network_id, &user.user_id, invite.role, invited_by, now)?;
    let detail = format!("{} as {}, by invite", user.username, invite.role);
    let (actor, network) = (user.username.as_str(), Some(&invite.network_id));
    tx.audit(now, actor, audit::MEMBER_JOINED, network, user.user_id.as_str(), &detail)?;
    Ok(())
}
