//! Lists the members of a network, oldest first.

use baton_core::{Action, Caller, NetworkRole, UserId, Username};
use baton_store::Snapshot;
use baton_store::rows::MemberRow;
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
        permit::network(rows, &caller, &id, Action::ListMembers)?;
        let page = rows.members(&id, after.as_ref(), bounds)?.map(Member::from);
        Ok(Answer { ok: true, members: page.rows, next_cursor: page::next(page.next) })
    };
    hub.store.read(list).await
}
