//! Lists the caller's pending invitations, oldest first. The cap per user keeps the list to one page.

use baton_core::{Caller, NetworkId, NetworkRole, Username, limits};
use baton_store::Snapshot;
use baton_store::rows::InvitationRow;
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::{Error, WireTime, permit};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Invitations)]
pub(crate) struct Answer {
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

pub(crate) async fn run(hub: &Hub, caller: &Caller) -> Result<Answer, Error> {
    let user_id = permit::account(caller)?.user_id.clone();
    let store = hub.store_for(caller);
    let list = move |rows: &dyn Snapshot| {
        let invitations = rows.invitations_of_user(&user_id, limits::INVITATIONS_PER_USER_MAX_COUNT)?;
        Ok(Answer { ok: true, invitations: invitations.into_iter().map(Invitation::from).collect() })
    };
    store.read(list).await
}
