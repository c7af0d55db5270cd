//! What a page asks first: who is signed in, and where they may go. Signing in and out are `login` and `logout`.

use baton_core::{Caller, Refusal};
use serde::Serialize;
use utoipa::ToSchema;

use super::network_view::NetworkView;
use super::user_view::UserView;
use super::{Error, permit};
use crate::hub::Hub;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BrowserSession)]
pub(crate) struct Answer {
    ok: bool,
    user: UserView,
    must_change_password: bool,
    networks: Vec<NetworkView>,
    version: &'static str,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller) -> Result<Answer, Error> {
    let user_id = permit::account(caller)?.user_id.clone();
    let store = hub.store_for(caller);
    let show = move |rows: &dyn baton_store::Snapshot| {
        let mut user = UserView::from(rows.user(&user_id)?.ok_or(Refusal::Unauthorized)?);
        let networks = rows.memberships(&user_id)?.into_iter().map(NetworkView::from).collect();
        let must_change_password = user.take_notice();
        Ok(Answer { ok: true, user, must_change_password, networks, version: env!("CARGO_PKG_VERSION") })
    };
    store.read(show).await
}
