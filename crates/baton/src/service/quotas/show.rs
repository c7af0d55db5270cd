//! Shows the quotas of an account or a network. For system admins.

use baton_core::Caller;
use baton_core::access::{self, HubAction};
use baton_store::Snapshot;

use super::{Answer, Subject};
use crate::hub::Hub;
use crate::service::Error;

pub(crate) async fn run(hub: &Hub, caller: &Caller, subject: Subject) -> Result<Answer, Error> {
    access::authorize_on_hub(caller, HubAction::ManageQuotas)?;
    let shown = subject.clone();
    let (store, artifact_bytes) = (hub.store_for(caller), hub.settings.artifact_quota);
    let show = move |rows: &dyn Snapshot| {
        shown.check(rows)?;
        shown.view(rows, artifact_bytes)
    };
    Ok(Answer::new(hub, &subject, store.read(show).await?))
}
