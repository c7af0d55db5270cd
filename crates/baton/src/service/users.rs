//! All users of the hub, oldest first. For system admins.

use baton_core::access::{self, HubAction};
use baton_core::{Caller, limits};
use baton_store::Snapshot;
use serde::Serialize;
use utoipa::ToSchema;

use super::user_view::UserView;
use super::{Error, WireTime};
use crate::hub::Hub;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Users)]
pub(crate) struct Answer {
    ok: bool,
    users: Vec<Listed>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UserListed)]
struct Listed {
    #[serde(flatten)]
    user: UserView,
    created_at: WireTime,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller) -> Result<Answer, Error> {
    access::authorize_on_hub(caller, HubAction::ListUsers)?;
    let store = hub.store_for(caller);
    let list = |rows: &dyn Snapshot| {
        let users = rows.users(limits::OTHER_PAGE_MAX)?.into_iter();
        let users = users.map(|row| Listed { created_at: row.created_at.into(), user: row.into() });
        Ok(Answer { ok: true, users: users.collect() })
    };
    store.read(list).await
}
