//! Makes a user a member.

use baton_core::{Action, Alias, Caller, NetworkId, NetworkRole, Quota, Refusal, UserId, Username};
use baton_store::{Snapshot, Transaction};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, permit, quotas};

#[derive(Deserialize, ToSchema)]
#[schema(as = NewMember)]
pub(crate) struct Args {
    user_id: String,
    role: Option<NetworkRole>,
}

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str, args: Args) -> Result<Done, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let role = args.role.unwrap_or(NetworkRole::Member);
    let now = hub.clock.now();
    let add = move |tx: &mut dyn Transaction| {
        permit::network(tx.as_snapshot(), &caller, &id, Action::AddMember { role })?;
        let actor = permit::account(&caller)?.username.as_str();
        let user_id = UserId::parse(&args.user_id).ok_or(Refusal::UserNotFound)?;
        let user = tx.user(&user_id)?.ok_or(Refusal::UserNotFound)?;
        if tx.member_role(&id, &user_id)?.is_some() {
            return Err(Refusal::AlreadyMember.into());
        }
        refuse_alias(tx.as_snapshot(), &id, &user.username)?;
        quotas::admit_to_network(tx.as_snapshot(), &id, Quota::Members)?;
        quotas::admit_to_user(tx.as_snapshot(), &user_id, Quota::Memberships)?;
        tx.put_member(&id, &user_id, role, Some(actor), now)?;
        let detail = format!("{} as {role}", user.username);
        tx.audit(now, actor, audit::MEMBER_ADDED, Some(&id), user_id.as_str(), &detail)?;
        Ok(Done::OK)
    };
    hub.store.write(add).await
}

/// Aliases and usernames are one name space: nobody becomes a member whose name is an agent's.
pub(in crate::service) fn refuse_alias(
    rows: &dyn Snapshot,
    network: &NetworkId,
    username: &Username,
) -> Result<(), Error> {
    match Alias::parse(username.as_str()) {
        Ok(alias) if rows.alias_exists(network, &alias)? => Err(Refusal::AliasInUse.into()),
        _ => Ok(()),
    }
}
