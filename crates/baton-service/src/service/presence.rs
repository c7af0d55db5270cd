//! Whether an agent is there, from its connections, leases, calls and last report.

use baton_core::{Alias, NetworkId, Presence, UnixMillis};
use baton_store::Snapshot;
use baton_store::rows::SessionSummaryRow;

use super::Error;
use super::stamp::Stamp;

/// The word for an agent that gives no sign of life.
pub(super) const OFFLINE: &str = "offline";

/// The signs of life of one agent.
pub(super) fn of_agent(
    rows: &dyn Snapshot,
    stamp: &Stamp,
    network: &NetworkId,
    alias: &Alias,
) -> Result<Presence, Error> {
    let session = rows.session_glance(network, alias)?;
    let holds_lease = rows.holds_lease(network, alias)?;
    let last_seen_at = session.map(|session| session.last_seen_at);
    Ok(stamp.presences.of(network, alias, holds_lease, last_seen_at))
}

/// What a sender is notified of its recipient: what the agent last reported, unless it is offline. An agent that is
/// there and never reported works if it holds a lease, and is idle otherwise.
pub(super) fn session_status(
    rows: &dyn Snapshot,
    now: UnixMillis,
    stamp: &Stamp,
    network: &NetworkId,
    alias: &Alias,
) -> Result<String, Error> {
    let session = rows.session_glance(network, alias)?;
    let holds_lease = rows.holds_lease(network, alias)?;
    let last_seen_at = session.as_ref().map(|session| session.last_seen_at);
    let presence = stamp.presences.of(network, alias, holds_lease, last_seen_at);
    if presence.is_offline(now) {
        return Ok(OFFLINE.into());
    }
    Ok(session.map_or_else(|| if holds_lease { "working" } else { "idle" }.into(), |session| session.status))
}

/// What is shown of a session: what it last reported, unless it is offline at `now`.
pub(super) fn shown_status(
    stamp: &Stamp,
    now: UnixMillis,
    network: &NetworkId,
    session: &SessionSummaryRow,
) -> String {
    let seen = Some(session.last_seen_at);
    let presence = stamp.presences.of(network, &session.alias, session.holds_lease, seen);
    if presence.is_offline(now) { OFFLINE.into() } else { session.status.clone() }
}
