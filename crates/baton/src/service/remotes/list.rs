//! Lists a network's agents of others.

use baton_core::{Action, Caller};
use serde::Serialize;
use utoipa::ToSchema;

use super::RemoteView;
use crate::hub::Hub;
use crate::service::page::{self, PageArgs};
use crate::service::{Error, permit};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Remotes)]
pub(crate) struct Answer {
    ok: bool,
    remotes: Vec<RemoteView>,
    next_cursor: Option<String>,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller, network: &str, args: PageArgs) -> Result<Answer, Error> {
    let (bounds, after) = (args.bounds()?, args.place()?);
    let network = permit::network_id(network)?;
    let caller = caller.clone();
    let found = hub.store.read(move |rows| -> Result<_, Error> {
        permit::network(rows, &caller, &network, Action::ManageRemotes)?;
        Ok(rows.remotes(&network, after.as_ref(), bounds)?)
    });
    let page = found.await?.map(RemoteView::from);
    Ok(Answer { ok: true, remotes: page.rows, next_cursor: page::next(page.next) })
}
