//! Changes what a member is. A member who may no longer mint coordinator tokens loses theirs, and one who
//! may no longer invite loses the pending invitations they sent.

use baton_core::{Action, Caller, NetworkRole, Refusal, UserId};
use baton_store::Transaction;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, permit};

#[derive(Deserialize, ToSchema)]
#[schema(as = RoleChange)]
pub(crate) struct Args {
    role: NetworkRole,
}

pub(crate) async fn run(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    user_id: &str,
    args: Args,
) -> Result<Done, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let user_id = UserId::parse(user_id);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let change = move |tx: &mut dyn Transaction| {
        let role = user_id.as_ref().map(|user| tx.member_role(&id, user)).transpose()?.flatten();
        // Who may not change anybody's role must not learn who is a member either.
        let from = role.unwrap_or(NetworkRole::Viewer);
        permit::network(tx.as_snapshot(), &caller, &id, Action::ChangeRole { from, to: args.role })?;
        let user_id = user_id.as_ref().filter(|_| role.is_some()).ok_or(Refusal::NotAMember)?;
        let actor = permit::account(&caller)?.username.as_str();
        tx.put_member(&id, user_id, args.role, None, now)?;
        let mut detail = format!("{from} to {}", args.role);
        if args.role < Action::MintCoordinatorToken.least_role() {
            let narrowed = tx.narrow_node_tokens(user_id, &id)?;
            detail.push_str(&format!(", {narrowed} coordinator tokens narrowed"));
        }
        if args.role < (Action::AddMember { role: NetworkRole::Viewer }).least_role() {
            let withdrawn = tx.delete_invitations_by(&id, user_id)?;
            detail.push_str(&format!(", {withdrawn} invitations withdrawn"));
        }
        tx.audit(now, actor, audit::MEMBER_CHANGED, Some(&id), user_id.as_str(), &detail)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(change).await
}
