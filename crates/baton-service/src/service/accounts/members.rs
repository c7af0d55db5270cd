//! The members of a network. One changes and takes away only roles below one's own; anybody but the owner may leave.
//! How users become members is in `invitations.rs` and `invites.rs`.

use baton_core::{
    Action, Caller, NetworkId, NetworkRole, Refusal, UnixMillis, UserCaller, UserId, Username, limits,
};
use baton_store::rows::{InvitationRow, MemberRow};
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::accounts::NetworkList;
use crate::service::page::PageArgs;
use crate::service::{Done, Error, WireTime, audit, permit};

#[derive(Debug, Serialize, ToSchema)]
pub struct Members {
    ok: bool,
    members: Vec<Member>,
    /// Invited users who have not answered yet; they are not members.
    pending: Vec<PendingMember>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Member {
    user_id: UserId,
    username: Username,
    display_name: Option<String>,
    role: NetworkRole,
    joined_at: WireTime,
    invited_by: Option<String>,
}

impl From<MemberRow> for Member {
    fn from(row: MemberRow) -> Self {
        Self {
            user_id: row.user_id,
            username: row.username,
            display_name: row.display_name,
            role: row.role,
            joined_at: row.joined_at.into(),
            invited_by: row.invited_by,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct PendingMember {
    user_id: UserId,
    username: Username,
    /// What they become on accepting.
    role: NetworkRole,
    invited_by: Username,
    created_at: WireTime,
}

impl From<InvitationRow> for PendingMember {
    fn from(row: InvitationRow) -> Self {
        Self {
            user_id: row.user_id,
            username: row.username,
            role: row.role,
            invited_by: row.invited_by,
            created_at: row.created_at.into(),
        }
    }
}

/// Lists the members of a network, oldest first, and the users who have been invited and have not answered yet.
pub async fn list(hub: &Hub, caller: Caller, network_id: &str, args: PageArgs) -> Result<Members, Error> {
    let list = NetworkList::read(hub, &caller, network_id, &args, "members")?;
    let read = move |rows: &dyn Snapshot| {
        list.permit(rows, Action::ListMembers)?;
        let page = rows.members(&list.network, list.after.as_ref(), list.bounds)?.map(Member::from);
        // The first page has all of them: there are never more than a page.
        let pending = match list.after {
            None => rows.invitations_of_network(&list.network, limits::INVITATIONS_PER_NETWORK_MAX_COUNT)?,
            Some(_) => Vec::new(),
        };
        let pending = pending.into_iter().map(PendingMember::from).collect();
        Ok(Members { ok: true, members: page.rows, pending, next_cursor: list.next(page.next) })
    };
    hub.store_for(&caller).read(read).await
}

#[derive(Deserialize, ToSchema)]
pub struct RoleChange {
    role: NetworkRole,
}

/// Changes what a member is. A member who may no longer mint coordinator tokens loses theirs, and one who may no
/// longer invite loses the pending invitations they sent.
pub async fn change(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    user_id: &str,
    args: RoleChange,
) -> Result<Done, Error> {
    let user = permit::account(&caller)?.clone();
    let id = permit::network_id(network_id)?;
    let user_id = UserId::parse(user_id);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let change = move |tx: &mut dyn Transaction| {
        let role = user_id.as_ref().map(|user| tx.member_role(&id, user)).transpose()?.flatten();
        // Who may not change anybody's role must not learn who is a member either.
        let from = role.unwrap_or(NetworkRole::Viewer);
        permit::user_in(tx.as_snapshot(), &user, &id, Action::ChangeRole { from, to: args.role })?;
        let user_id = user_id.as_ref().filter(|_| role.is_some()).ok_or(Refusal::NotAMember)?;
        let actor = user.username.as_str();
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

/// How callers name themselves in a path.
const MYSELF: &str = "me";

/// Removes a member with every token they had for the network, or withdraws a pending invitation. A caller who names
/// themselves leaves.
pub async fn remove(hub: &Hub, caller: Caller, network_id: &str, user_id: &str) -> Result<Done, Error> {
    let user = permit::account(&caller)?.clone();
    let id = permit::network_id(network_id)?;
    if user_id == MYSELF || user_id == user.user_id.as_str() {
        return leave(hub, caller, user, id).await;
    }
    let user_id = UserId::parse(user_id);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let remove = move |tx: &mut dyn Transaction| {
        let member = user_id.as_ref().map(|user| tx.member_role(&id, user)).transpose()?.flatten();
        let invited = user_id.as_ref().map(|user| tx.invitation(&id, user)).transpose()?.flatten();
        // Who may not remove anybody must not learn who is a member either.
        let role = member.or(invited.as_ref().map(|row| row.role)).unwrap_or(NetworkRole::Viewer);
        permit::user_in(tx.as_snapshot(), &user, &id, Action::RemoveMember { role })?;
        let user_id = user_id.as_ref().ok_or(Refusal::NotAMember)?;
        let actor = user.username.as_str();
        if member.is_some() {
            let detail = end(tx, &id, user_id, role, now)?;
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

/// Leaves a network. Everybody may but the owner, who deletes the network instead.
async fn leave(hub: &Hub, caller: Caller, user: UserCaller, network: NetworkId) -> Result<Done, Error> {
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let leave = move |tx: &mut dyn Transaction| {
        let role = permit::user_in(tx.as_snapshot(), &user, &network, Action::Leave)?;
        // A system admin may look into the network without being in it.
        let role = role.ok_or(Refusal::NotAMember)?;
        let detail = end(tx, &network, &user.user_id, role, now)?;
        let (actor, subject) = (user.username.as_str(), user.user_id.as_str());
        tx.audit(now, actor, audit::MEMBER_LEFT, Some(&network), subject, &detail)?;
        Ok(Done::OK)
    };
    store.write(leave).await
}

/// Ends a membership with everything that depends on it: the member's node tokens, and the invitations they sent.
/// Returns the detail for the audit log.
fn end(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    user: &UserId,
    role: NetworkRole,
    now: UnixMillis,
) -> Result<String, Error> {
    tx.delete_member(network, user)?;
    let withdrawn = tx.delete_invitations_by(network, user)?;
    let revoked = tx.revoke_node_tokens(user, network, now)?;
    tx.touch_access();
    Ok(format!("was {role}, {revoked} node tokens revoked, {withdrawn} invitations withdrawn"))
}
