//! What a page asks first: who is signed in, and where they may go. Signing in and out are `login` and `logout`.

use baton_core::{Caller, Refusal, limits};
use baton_store::rows::PageBounds;
use serde::Serialize;
use utoipa::ToSchema;

use super::network_view::NetworkView;
use super::user_view::UserView;
use super::{Error, page, permit};
use crate::hub::Hub;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BrowserSession)]
pub(crate) struct Answer {
    ok: bool,
    user: UserView,
    must_change_password: bool,
    networks: Vec<NetworkView>,
    /// There are more networks: the cursor of the rest, for `GET /api/networks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    version: &'static str,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller) -> Result<Answer, Error> {
    let user_id = permit::account(caller)?.user_id.clone();
    let show = move |rows: &dyn baton_store::Snapshot| {
        let mut user = UserView::from(rows.user(&user_id)?.ok_or(Refusal::Unauthorized)?);
        let bounds = PageBounds::rows(limits::OTHER_PAGE_MAX);
        let page = rows.memberships(&user_id, None, bounds)?.map(NetworkView::from);
        let must_change_password = user.take_notice();
        Ok(Answer {
            ok: true,
            user,
            must_change_password,
            networks: page.rows,
            next_cursor: page::next(page.next),
            version: env!("CARGO_PKG_VERSION"),
        })
    };
    hub.store.read(show).await
}
