//! Packets from other systems, handed in by somebody: through the same adapter into the network's log, marked as
//! reported and by whom. The hub saw that they were handed in, and nothing else of them.

use baton_adapter::{AdapterError, Converted, DigestOnly, Input, Mode, Options, convert};
use baton_core::{Action, Caller, NetworkId, Principal, UnixMillis, limits};
use baton_evidence::bundle;
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use baton_store::Transaction;
use baton_store::rows::NewLeaf;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::{IntoParams, ToSchema};

use super::reader::task_of;
use super::record::{self, MEDIA_TYPE};
use crate::hub::Hub;
use crate::json_depth;
use crate::service::Error;
use crate::service::network_ref::NetworkRef;

/// Into which log, and how packets that lack something are taken.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
    #[serde(default)]
    /// What happens to what a packet cannot say
    #[param(value_type = Option<ModeName>, inline)]
    mode: ModeName,
}

/// What to do about a packet that lacks something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Mode)]
#[serde(rename_all = "lowercase")]
pub enum ModeName {
    /// Refuse it.
    #[default]
    Strict,
    /// Substitute and note it.
    Lenient,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Strict => Self::Strict,
            ModeName::Lenient => Self::Lenient,
        }
    }
}

/// What became of all of them.
#[derive(Debug, Serialize, ToSchema)]
pub struct PacketsReported {
    ok: bool,
    /// Now in the log.
    recorded: usize,
    /// There before, handed in by the same reporter.
    known: usize,
    /// Not taken; each says why.
    refused: usize,
    /// In the order they came.
    packets: Vec<Outcome>,
}

/// What became of one packet.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PacketOutcome)]
#[serde(untagged)]
pub enum Outcome {
    Recorded {
        index: u64,
        known: bool,
    },
    Refused {
        #[schema(value_type = Object)]
        error: AdapterError,
    },
}

/// A packet that can be recorded.
struct Packet {
    bytes: Bytes,
    sha256: [u8; 32],
}

/// Hands in packets. Each is taken or refused by itself; those taken are in the log, on disk, when this answers.
pub async fn run(
    hub: &Hub,
    caller: &Caller,
    args: QueryArgs,
    packets: Vec<Bytes>,
) -> Result<PacketsReported, Error> {
    if packets.len() > limits::REPORTED_PACKETS_MAX_COUNT {
        let rule = format!("must be at most {} packets", limits::REPORTED_PACKETS_MAX_COUNT);
        return Err(Error::argument("packets", rule));
    }
    let options = Options {
        mode: args.mode.into(),
        max_payload_bytes: Some(limits::REPORTED_PACKET_MAX_BYTES as u64),
        ..Options::default()
    };
    // Read before anything is written: a packet that no bundle could hold has no place in a log.
    let packets: Vec<_> = packets.into_iter().map(|bytes| Packet::read(bytes, &options)).collect();
    let place = NetworkRef::of_write(args.network_id.as_deref());
    let caller = caller.clone();
    let now = hub.clock.now();
    hub.store_for(&caller)
        .write(move |tx| {
            let network = place.permit(tx.as_snapshot(), &caller, Action::ReportEvidence)?.into_network();
            let reporter = caller.principal()?;
            let outcomes = packets.iter().map(|packet| match packet {
                Ok(packet) => write_down(tx, &network, &reporter, packet, &options, now),
                Err(error) => Ok(Outcome::Refused { error: error.clone() }),
            });
            outcomes.collect::<Result<Vec<_>, _>>().map(PacketsReported::of)
        })
        .await
}

impl PacketsReported {
    fn of(packets: Vec<Outcome>) -> Self {
        let count = |is: fn(&Outcome) -> bool| packets.iter().filter(|outcome| is(outcome)).count();
        Self {
            ok: true,
            recorded: count(|outcome| matches!(outcome, Outcome::Recorded { known: false, .. })),
            known: count(|outcome| matches!(outcome, Outcome::Recorded { known: true, .. })),
            refused: count(|outcome| matches!(outcome, Outcome::Refused { .. })),
            packets,
        }
    }

    /// Why the only packet was not taken, if there was one and it was not.
    pub fn only_refusal(&self) -> Option<&AdapterError> {
        match &*self.packets {
            [Outcome::Refused { error }] => Some(error),
            _ => None,
        }
    }
}

impl Packet {
    fn read(bytes: Bytes, options: &Options) -> Result<Self, AdapterError> {
        if json_depth::is_exceeded(&bytes) {
            return Err(AdapterError::measurement(json_depth::message()));
        }
        let event = event_of(&bytes, options)?;
        let mut writer = Writer::new();
        let line = record::leaf(&NetworkId::from_random([0; 6]), 0, &record::reported(event.event, ""))
            .ok()
            .and_then(|line| String::from_utf8(line).ok())
            .filter(|line| line.len() + ROOM_BYTES <= bundle::limits::LINE_BYTES);
        let fits = line.is_some_and(|line| EventLine::read(&mut writer, &line).is_ok());
        if !fits {
            return Err(AdapterError::measurement("its event would be too large or too deep for a bundle"));
        }
        Ok(Self { sha256: Sha256::digest(&bytes).into(), bytes })
    }
}

/// Room for the reporter's name and the real numbers.
const ROOM_BYTES: usize = 4096; // not a limit: an estimate

fn event_of<'a>(bytes: &'a [u8], options: &Options) -> Result<Converted<'a>, AdapterError> {
    let input = Input { bytes, media_type: MEDIA_TYPE, protocol_version: None };
    convert(input, options, &mut DigestOnly)
}

fn write_down(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    reporter: &Principal,
    packet: &Packet,
    options: &Options,
    now: UnixMillis,
) -> Result<Outcome, Error> {
    if let Some(index) = tx.reported_at(network, reporter, &packet.sha256)? {
        return Ok(Outcome::Recorded { index, known: true });
    }
    let event = match event_of(&packet.bytes, options) {
        Ok(converted) => record::reported(converted.event, reporter.name()),
        Err(error) => return Ok(Outcome::Refused { error }),
    };
    if event.data.handoff.visible {
        tx.count_visible_handoff(network, now);
    }
    let index = tx.log_size(network)?;
    let leaf = record::leaf(network, index, &event)?;
    let about = task_of(&leaf);
    let about = about.as_ref();
    tx.append_leaf(NewLeaf { network_id: network, index, about, event: &leaf, packet: &packet.bytes })?;
    tx.remember_reported(network, reporter, &packet.sha256, index)?;
    Ok(Outcome::Recorded { index, known: false })
}
