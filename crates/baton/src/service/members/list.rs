//! Lists the members of a network, oldest first, and the users who have been invited and have not answered yet.

use baton_core::{Action, Caller, NetworkRole, UserId, Username, limits};
use baton_store::Snapshot;
use baton_store::rows::{InvitationRow, MemberRow};
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::page::{self, PageArgs};
use crate::service::{Error, WireTime, permit};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Members)]
pub(crate) struct Answer {
    ok: bool,
    members: Vec<Member>,
    /// Invited users who have not answered yet; they are no members.
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

pub(crate) async fn run(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    args: PageArgs,
) -> Result<Answer, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let cursors = page::cursors(hub, &caller, "members");
    let (bounds, after) = (args.bounds()?, args.place(&cursors)?);
    let store = hub.store_for(&caller);
    let list = move |rows: &dyn Snapshot| {
        permit::network(rows, &caller, &id, Action::ListMembers)?;
        let page = rows.members(&id, after.as_ref(), bounds)?.map(Member::from);
        // The first page has all of them: there are never more than a page.
        let pending = match after {
            None => rows.invitations_of_network(&id, limits::INVITATIONS_PER_NETWORK_MAX_COUNT)?,
            Some(_) => Vec::new(),
        };
        let pending = pending.into_iter().map(PendingMember::from).collect();
        Ok(Answer { ok: true, members: page.rows, pending, next_cursor: cursors.next(page.next) })
    };
    store.read(list).await
}
