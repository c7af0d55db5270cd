//! Shows the quotas of an account or a network, as far as the caller may set them.

use baton_core::Caller;
use baton_store::Snapshot;

use super::{Answer, Subject};
use crate::hub::Hub;
use crate::service::Error;

pub(crate) async fn run(hub: &Hub, caller: &Caller, subject: Subject) -> Result<Answer, Error> {
    let (shown, asker) = (subject.clone(), caller.clone());
    let (store, artifact_bytes) = (hub.store_for(caller), hub.settings.artifact_quota);
    let show = move |rows: &dyn Snapshot| shown.view(rows, shown.open_to(rows, &asker)?, artifact_bytes);
    Ok(Answer::new(hub, &subject, store.read(show).await?))
}
