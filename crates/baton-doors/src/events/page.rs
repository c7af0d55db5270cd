//! One bounded read of a network's feed, as bytes ready to send. A page is read and printed once, also when many
//! streams send it.

use baton_core::{NetworkId, Principal, limits};
use baton_store::Snapshot;

use super::frame;
use crate::hub::{Hub, Page};
use crate::service::Error;

/// Reads on after a place.
pub(super) async fn read(
    hub: &Hub,
    network_id: &NetworkId,
    to: Option<&Principal>,
    after: i64,
) -> Result<Page, Error> {
    let (network_id, to) = (network_id.clone(), to.cloned());
    hub.store_of(&network_id).read(move |rows| of(rows, &network_id, to.as_ref(), after)).await
}

fn of(
    rows: &dyn Snapshot,
    network_id: &NetworkId,
    to: Option<&Principal>,
    after: i64,
) -> Result<Page, Error> {
    let (oldest, newest) = rows.feed_range(network_id)?;
    // Forgotten by now, or never written (a feed that was set back): both leave a gap that must be reported.
    if after.saturating_add(1) < oldest || after > newest {
        return Ok(Page { after, position: newest, frames: frame::reset(newest).into(), is_full: false });
    }
    let told = rows.feed_after(network_id, to, after, limits::STREAM_PAGE_COUNT)?;
    let is_full = told.len() == limits::STREAM_PAGE_COUNT;
    // What was for others counts as read, or a quiet stream would one day stand before the oldest row.
    let position = told.last().filter(|_| is_full).map_or(newest, |last| last.n);
    Ok(Page { after, position, frames: frame::numbered(&told).into(), is_full })
}
