//! All users of the hub, oldest first. For system admins.

use baton_core::Caller;
use baton_core::access::{self, HubAction};
use baton_store::Snapshot;
use serde::Serialize;
use utoipa::ToSchema;

use super::page::{self, PageArgs};
use super::user_view::UserView;
use super::{Error, WireTime};
use crate::hub::Hub;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Users)]
pub(crate) struct Answer {
    ok: bool,
    users: Vec<Listed>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UserListed)]
struct Listed {
    #[serde(flatten)]
    user: UserView,
    created_at: WireTime,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller, args: PageArgs) -> Result<Answer, Error> {
    access::authorize_on_hub(caller, HubAction::ListUsers)?;
    let (bounds, after) = (args.bounds()?, args.place()?);
    let list = move |rows: &dyn Snapshot| {
        let page = rows.users(after, bounds)?;
        let page = page.map(|row| Listed { created_at: row.created_at.into(), user: row.into() });
        Ok(Answer { ok: true, users: page.rows, next_cursor: page::next(page.next) })
    };
    hub.store.read(list).await
}
