//! Lists a network's agents of others.

use baton_core::{Action, Caller, limits};
use serde::Serialize;
use utoipa::ToSchema;

use super::RemoteView;
use crate::hub::Hub;
use crate::service::{Error, permit};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Remotes)]
pub(crate) struct Answer {
    ok: bool,
    remotes: Vec<RemoteView>,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller, network: &str) -> Result<Answer, Error> {
    let network = permit::network_id(network)?;
    let caller = caller.clone();
    let found = hub.store_for(&caller).read(move |rows| -> Result<_, Error> {
        permit::network(rows, &caller, &network, Action::ManageRemotes)?;
        Ok(rows.remotes(&network, limits::REMOTES_PER_NETWORK_MAX_COUNT)?)
    });
    Ok(Answer { ok: true, remotes: found.await?.into_iter().map(RemoteView::from).collect() })
}
