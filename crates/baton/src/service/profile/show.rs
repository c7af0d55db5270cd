//! Shows the profile.

use baton_core::Caller;

use super::{Answer, of};
use crate::hub::Hub;
use crate::service::{Error, page};

pub(crate) async fn run(hub: &Hub, caller: Caller) -> Result<Answer, Error> {
    let cursors = page::cursors(hub, &caller, page::NETWORKS);
    hub.store_for(&caller).read(move |rows| of(rows, &caller, &cursors)).await
}
