//! Rows of deleted networks are removed in short writes, in a line of their own, so that nobody waits for them. A hub
//! that is stopped in the middle continues at its next start.

use baton_core::{NetworkId, limits};
use baton_store::Transaction;
use std::time::{Duration, Instant};

use crate::hub::Hub;
use crate::service::Error;

const WRITE_MAX: Duration = Duration::from_millis(limits::LEAVING_WRITE_MAX_MILLIS as u64);
const ROUND_MAX: Duration = Duration::from_secs(limits::LEAVING_ROUND_MAX_SECONDS as u64);

/// Removes rows of deleted networks for a while. Returns how many networks are gone for good.
pub async fn round(hub: &Hub) -> Result<usize, Error> {
    let began = Instant::now();
    let mut gone = 0;
    while began.elapsed() < ROUND_MAX && !hub.shutdown.is_draining() {
        let next = hub.store.read(|rows| -> Result<_, Error> { Ok(rows.network_to_remove()?) });
        let Some(network) = next.await? else { break };
        let began_step = Instant::now();
        if !some_rows(hub, network).await? {
            gone += 1;
        }
        // Nobody waits for it, so the disk is left to others for twice as long.
        tokio::time::sleep(2 * began_step.elapsed()).await;
    }
    Ok(gone)
}

/// Whether there may be more.
async fn some_rows(hub: &Hub, network: NetworkId) -> Result<bool, Error> {
    let store = hub.store_of(&network);
    let remove = move |tx: &mut dyn Transaction| -> Result<bool, Error> {
        let began = Instant::now();
        while tx.remove_rows_of(&network, limits::REMOVAL_ROWS_COUNT)? {
            if began.elapsed() > WRITE_MAX {
                return Ok(true);
            }
        }
        Ok(false)
    };
    store.write(remove).await
}
