//! Writes down when tokens were used and agents were seen: one write for all calls since the last round.

use crate::hub::Hub;
use crate::service::Error;

pub(super) async fn round(hub: &Hub) -> Result<usize, Error> {
    hub.presences.forget_silent();
    let used = hub.presences.take_unwritten();
    let count = used.len();
    if count == 0 {
        return Ok(0);
    }
    // If this fails these times are lost, and the next call of the same token writes a newer one.
    hub.store
        .write(move |tx| {
            tx.use_tokens(&used)?;
            tx.see_sessions(&used)?;
            Ok(count)
        })
        .await
}
