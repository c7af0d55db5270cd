//! Lists the invites of a network, newest first; their codes are nowhere.

use baton_core::{Action, Caller, NetworkRole, Username};
use baton_store::Snapshot;
use baton_store::rows::InviteRow;
use serde::Serialize;
use utoipa::ToSchema;

use super::id::InviteId;
use crate::hub::Hub;
use crate::service::page::{self, PageArgs};
use crate::service::{Error, WireTime, permit};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Invites)]
pub(crate) struct Answer {
    ok: bool,
    invites: Vec<Invite>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Invite {
    invite_id: InviteId,
    role: NetworkRole,
    max_uses: u32,
    uses: u32,
    expires_at: Option<WireTime>,
    created_by: Username,
    created_at: WireTime,
}

impl Invite {
    fn new((row, created_by): (InviteRow, Username)) -> Self {
        Self {
            invite_id: InviteId::of(&row.code_hash),
            role: row.role,
            max_uses: row.max_uses,
            uses: row.uses,
            expires_at: row.expires_at.map(WireTime),
            created_by,
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
    let (bounds, after) = (args.bounds()?, args.place()?);
    let list = move |rows: &dyn Snapshot| {
        permit::network(rows, &caller, &id, Action::ManageInvites)?;
        let page = rows.invites(&id, after, bounds)?.map(Invite::new);
        Ok(Answer { ok: true, invites: page.rows, next_cursor: page::next(page.next) })
    };
    hub.store.read(list).await
}
