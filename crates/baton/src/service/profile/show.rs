//! Shows the profile.

use baton_core::Caller;

use super::{Answer, of};
use crate::hub::Hub;
use crate::service::Error;

pub(crate) async fn run(hub: &Hub, caller: Caller) -> Result<Answer, Error> {
    hub.store_for(&caller).read(move |rows| of(rows, &caller)).await
}
