//! Writes an event into the network's log: packet, adapter, canonical bytes, one row. It runs inside the transaction
//! of what it is about, so there is no change without its evidence and no evidence without its change.

use baton_adapter::{Converted, DigestOnly, Input, Mode, Options, convert};
use baton_core::{NetworkId, TaskId};
use baton_evidence::canonical::Writer;
use baton_evidence::event::{Event, Origin};
use baton_store::Transaction;
use baton_store::rows::NewLeaf;
use serde::Serialize;
use std::borrow::Cow;

use super::packet::Packet;
use crate::service::Error;

/// The media type of every packet.
pub(crate) const MEDIA_TYPE: &str = "application/json";

/// Writes down what the hub saw itself. `about` is named where no row of the task's history leads to it.
pub(crate) fn observed(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    about: Option<&TaskId>,
    packet: &Packet<'_>,
) -> Result<(), Error> {
    let at = packet.at;
    let packet = serde_json::to_vec(packet).map_err(|error| unphrased(&error))?;
    let options = Options { mode: Mode::Strict, ..Options::default() };
    let input = Input { bytes: &packet, media_type: MEDIA_TYPE, protocol_version: None };
    // The packet is kept as a column of the event's row.
    let Converted { event, .. } =
        convert(input, &options, &mut DigestOnly).map_err(|error| unphrased(&error))?;
    if event.data.handoff.visible {
        tx.count_visible_handoff(network, at);
    }
    let index = tx.log_size(network)?;
    let event = leaf(network, index, Event { batonorigin: Some(Origin::Hub), ..event })?;
    tx.append_leaf(NewLeaf { network_id: network, index, about, event: &event, packet: &packet })?;
    Ok(())
}

/// The leaf: canonical bytes of the event as the log numbers it.
pub(crate) fn leaf<D: Serialize>(
    network: &NetworkId,
    index: u64,
    mut event: Event<'_, D>,
) -> Result<Vec<u8>, Error> {
    event.assayrunid = network.as_str().to_owned();
    event.assayseq = index;
    event.id = format!("{network}:{index}");
    let mut writer = Writer::with_capacity(2048);
    let hash = event.content_hash(&mut writer).map_err(|error| unphrased(&error))?;
    event.assaycontenthash = Some(hash);
    writer.clear();
    writer.value(&event).map_err(|error| unphrased(&error))?;
    Ok(writer.into_bytes())
}

/// The hub cannot phrase what it saw: nothing of it may then have happened.
fn unphrased(error: &dyn std::error::Error) -> Error {
    Error::Store(baton_store::Error::Corrupt(format!("evidence: {error}")))
}

/// Who handed in a packet, as its event says it.
pub(crate) fn reported<'a, D>(event: Event<'a, D>, reporter: &'a str) -> Event<'a, D> {
    Event { batonorigin: Some(Origin::Reported), batonreporter: Some(Cow::Borrowed(reporter)), ..event }
}
