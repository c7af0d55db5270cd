//! Writes an event into the network's log: packet, adapter, canonical bytes, one row. It runs inside the transaction
//! of what it is about, so there is no change without its evidence and no evidence without its change.

use baton_core::{NetworkId, TaskId};
use baton_evidence::canonical::Writer;
use baton_evidence::event::{Event, Origin};
use baton_evidence::event_line::Stamp;
use baton_store::Transaction;
use baton_store::rows::NewLeaf;
use serde::Serialize;
use std::borrow::Cow;

use super::packet::Packet;
use crate::service::Error;

/// The media type of every packet.
pub const MEDIA_TYPE: &str = "application/json";

/// Records what the hub saw itself, as the log's next entry: its index is the size of the log. `about` is named where
/// no row of the task's history leads to it.
pub fn observed(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    index: u64,
    about: Option<&TaskId>,
    packet: &Packet<'_>,
) -> Result<(), Error> {
    let bytes = packet.typed.to_bytes().map_err(|error| unphrased(&error))?;
    // The event that these bytes convert to, without reading what was just written.
    let event = packet.typed.event().map_err(|error| unphrased(&error))?;
    if event.data.handoff.visible {
        tx.count_visible_handoff(network, packet.at);
    }
    let event = leaf(network, index, &Event { batonorigin: Some(Origin::Hub), ..event })?;
    tx.append_leaf(NewLeaf { network_id: network, index, about, event: &event, packet: &bytes })?;
    Ok(())
}

/// The leaf: canonical bytes of the event as the log numbers it.
pub fn leaf<D: Serialize>(network: &NetworkId, index: u64, event: &Event<'_, D>) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::with_capacity(2048);
    let stamp = Stamp { run_id: network.as_str(), seq: index };
    event.write_stamped(&mut writer, stamp).map_err(|error| unphrased(&error))?;
    Ok(writer.into_bytes())
}

/// The hub cannot phrase what it saw: nothing of it may then have happened.
fn unphrased(error: &dyn std::error::Error) -> Error {
    Error::Store(baton_store::Error::Corrupt(format!("evidence: {error}")))
}

/// Who handed in a packet, as its event says it.
pub fn reported<'a, D>(event: Event<'a, D>, reporter: &'a str) -> Event<'a, D> {
    Event { batonorigin: Some(Origin::Reported), batonreporter: Some(Cow::Borrowed(reporter)), ..event }
}
