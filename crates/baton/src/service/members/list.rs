//! Lists the members of a network, oldest first, and the users who have been invited and have not answered yet.

use baton_core::{Action, Caller, NetworkRole, UserId, Username, limits};
use baton_store::Snapshot;
use baton_store::rows::{InvitationRow, MemberRow};
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::{Error, WireTime, permit};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Members)]
pub(crate) struct Answer {
    ok: bool,
    members: Vec<Member>,
    /// Invited users who have not answered yet; they are no members.
    pending: Vec<PendingMember>,
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

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str) -> Result<Answer, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let store = hub.store_for(&caller);
    let list = move |rows: &dyn Snapshot| {
        permit::network(rows, &caller, &id, Action::ListMembers)?;
        let members = rows.members(&id, limits::OTHER_PAGE_MAX)?;
        let pending = rows.invitations_of_network(&id, limits::INVITATIONS_PER_NETWORK_MAX_COUNT)?;
        Ok(Answer {
            ok: true,
            members: members.into_iter().map(Member::from).collect(),
            pending: pending.into_iter().map(PendingMember::from).collect(),
        })
    };
    store.read(list).await
}
