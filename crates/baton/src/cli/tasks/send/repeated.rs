//! A send that is made again while the hub is away: it carries keys, so a hub that has its tasks already answers with them.

use baton_core::limits;
use tokio::time::sleep;

use crate::cli::failure::Failure;
use crate::cli::tasks::HubOutage;
use crate::client::{Error, HubResponse};

/// Calls until the hub has answered, or was away for too long. A hub that was never there is not waited for.
pub(super) async fn send<T, F>(is_quiet: bool, mut call: impl FnMut() -> F) -> Result<HubResponse<T>, Failure>
where
    F: Future<Output = Result<HubResponse<T>, Error>>,
{
    let mut away = HubOutage::quiet(is_quiet);
    let mut is_first = true;
    loop {
        let sent = call().await;
        if is_first && matches!(&sent, Err(Error::Unreachable { is_unsent: true, .. })) {
            return Ok(sent?);
        }
        is_first = false;
        match away.met(sent)? {
            Some(sent) => return Ok(sent),
            None => sleep(limits::HUB_AWAY_RETRY_AFTER).await,
        }
    }
}
