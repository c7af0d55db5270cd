//! Removes artifacts that nothing refers to a day after they were last uploaded, and deletes objects that no artifact has.
//! A row goes first, in a transaction, and its object after it: an upload of the same bytes meanwhile has an object of its
//! own. Each round is bounded; what is left is found by the next one.

use baton_core::limits;

use crate::hub::Hub;
use crate::service::Error;

const ROUND: usize = limits::ARTIFACTS_SWEPT_COUNT;

/// Answers how many artifacts and objects went.
pub async fn round(hub: &Hub) -> Result<usize, Error> {
    // What is removed is gone for good, so a clock that was set ahead must not count.
    let now = hub.clock.now_without_jumps();
    let before = now.plus_millis(-1000 * i64::from(limits::ARTIFACT_UNREFERENCED_KEPT_SECONDS));
    let look =
        hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.has_unreferenced_artifacts(before)?) });
    let mut removed = 0;
    if look.await? {
        let remove = hub.store.write(move |tx| -> Result<usize, Error> {
            Ok(tx.remove_unreferenced_artifacts(before, ROUND)?)
        });
        removed += remove.await?;
    }
    let unused = hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.unused_objects(now, ROUND)?) });
    for object in unused.await? {
        if hub.shutdown.is_draining() || hub.transfers.are_objects_held() {
            break;
        }
        if let Err(error) = hub.objects.delete(&object).await {
            // The others need not wait for it; it is tried again by the next round.
            tracing::warn!(%error, object, "an unused object cannot be deleted");
            continue;
        }
        let forget = hub.store.write(move |tx| -> Result<(), Error> { Ok(tx.forget_object(&object)?) });
        forget.await?;
        removed += 1;
    }
    Ok(removed)
}
