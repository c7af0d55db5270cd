//! Invites a user into a network. The invitation stays pending until the user accepts or declines it, or an admin
//! withdraws it. Pending invitations are capped per user and per network, so that they cannot be used to flood anybody.

use baton_core::{Action, Caller, NetworkId, NetworkRole, Refusal, UserId, limits};
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::names::refuse_alias;
use crate::service::{Error, audit, permit};

#[derive(Deserialize, ToSchema)]
#[schema(as = NewMember)]
pub(crate) struct Args {
    user_id: String,
    role: Option<NetworkRole>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MemberInvited)]
pub(crate) struct Answer {
    ok: bool,
    /// Always true: the user becomes a member on accepting.
    pending: bool,
}

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str, args: Args) -> Result<Answer, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let role = args.role.unwrap_or(NetworkRole::Member);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let invite = move |tx: &mut dyn Transaction| {
        permit::network(tx.as_snapshot(), &caller, &id, Action::AddMember { role })?;
        let inviter = permit::account(&caller)?;
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
        Ok(Answer { ok: true, pending: true })
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
