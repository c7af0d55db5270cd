//! The A2A packet adapter: bytes in, one evidence event and a lossiness report out. Here stands the order of
//! work; each step has its own room. No socket, no store, no clock: the same packet gives the same bytes.
//!
//! Every `handoff.*` boolean it emits is a bounded observed visibility flag only; none of them means that the
//! handoff was valid, authorised, complete, trusted or successful.

mod attachment;
mod attributes;
mod descriptor;
mod error;
mod event_type;
mod lossiness;
mod options;
mod packet;
mod payload;
mod rerun;
mod shape;
mod typed;
mod version;

pub use attachment::{AttachmentFolder, AttachmentRef, AttachmentWriter, DigestOnly};
pub use attributes::Attribute;
pub use descriptor::{DESCRIPTOR, Descriptor};
pub use error::{AdapterError, ErrorKind};
pub use event_type::EventType;
pub use lossiness::{Level, Lossiness};
pub use options::{Mode, Options};
pub use payload::{Agent, Artifact, CardSourceKind, Discovery, Handoff, Message, Payload, SourceKind, Task};
pub use rerun::rerun;
pub use typed::{TypedPacket, TypedTask};

use baton_evidence::event::{self, Event};
use baton_evidence::time::Time;
use std::borrow::Cow;

use crate::lossiness::{Losses, Substitution};
use crate::packet::Packet;

/// Where adapter events say they come from.
pub const SOURCE: &str = "urn:assay:adapter:a2a";

/// One packet as it was received.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The media type that the transport gave.
    pub media_type: &'a str,
    /// The protocol version the transport named, for packets that do not say.
    pub protocol_version: Option<&'a str>,
}

/// What became of a packet.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted<'a> {
    /// The event, without a content hash.
    pub event: Event<'a, Payload<'a>>,
    /// What the event does not carry of the packet.
    pub lossiness: Lossiness<'a>,
}

/// Converts one packet.
pub fn convert<'a>(
    input: Input<'a>,
    options: &Options,
    attachments: &mut dyn AttachmentWriter,
) -> Result<Converted<'a>, AdapterError> {
    convert_as(DESCRIPTOR.adapter_version, input, options, attachments)
}

/// Converts one packet in the name of this adapter version. The steps are numbered as in the contract; the first
/// failure wins.
fn convert_as<'a>(
    adapter_version: &'a str,
    input: Input<'a>,
    options: &Options,
    attachments: &mut dyn AttachmentWriter,
) -> Result<Converted<'a>, AdapterError> {
    options.check_size(input.bytes)?; // 1
    let raw_payload_ref = attachments.write(input.bytes, input.media_type)?; // 2
    let packet = Packet::parse(input.bytes, options)?; // 3, 4
    if packet.protocol.as_deref() != Some(DESCRIPTOR.protocol) {
        return Err(AdapterError::measurement("protocol must be 'a2a'")); // 5
    }
    let hint = || input.protocol_version.map(Cow::Borrowed);
    let Some(version) = packet.version.clone().or_else(hint) else {
        return Err(AdapterError::missing("version")); // 6
    };
    version::check(&version)?; // 7
    let event_type = packet.event_type.as_deref().and_then(EventType::from_upstream);
    if options.mode == Mode::Strict {
        check_strict(&packet, event_type)?; // 8
    }
    let event_type = event_type.unwrap_or(EventType::Message);
    let time = packet.timestamp.as_deref().and_then(Time::parse).unwrap_or(Time::UNKNOWN);
    let discovery = Discovery::observe(packet.attributes.as_ref());
    let mut losses = Losses::new(packet.unmapped_keys);
    let event = emit(adapter_version, packet, version, event_type, time, discovery, &mut losses); // 9
    Ok(Converted { event, lossiness: losses.report(raw_payload_ref) })
}

/// What strict mode asks of a packet, in this order.
fn check_strict<A>(packet: &Packet<'_, A>, event_type: Option<EventType>) -> Result<(), AdapterError> {
    if packet.agent.id.is_none() {
        return Err(AdapterError::missing("agent.id"));
    }
    match event_type {
        None => Err(AdapterError::strict("unsupported event_type in strict mode")),
        Some(event_type) if event_type.is_task() && packet.task.id.is_none() => {
            Err(AdapterError::missing("task.id"))
        }
        Some(EventType::ArtifactShared) if packet.artifact.id.is_none() => {
            Err(AdapterError::missing("artifact.id"))
        }
        Some(_) => Ok(()),
    }
}

/// Substitutes what is missing and phrases the event. A packet that got here always becomes one.
fn emit<'a, A>(
    adapter_version: &'a str,
    packet: Packet<'a, A>,
    version: Cow<'a, str>,
    event_type: EventType,
    time: Time,
    discovery: Discovery,
    losses: &mut Losses,
) -> Event<'a, Payload<'a, A>> {
    // It reads the packet itself, so it comes before any substitution.
    let handoff = Handoff::observe(event_type, &packet);

    let Packet { agent, mut task, mut artifact, mut message, .. } = packet;
    let agent_id = losses.substitute(agent.id, Substitution::Agent);
    if event_type == EventType::Message {
        losses.note(Substitution::EventType);
    }
    if event_type.is_task() {
        task.id = Some(losses.substitute(task.id, Substitution::Task));
    }
    if event_type == EventType::ArtifactShared {
        artifact.id = Some(losses.substitute(artifact.id, Substitution::Artifact));
    }
    if event_type == EventType::Message {
        message.id = Some(losses.substitute(message.id, Substitution::Message));
    }
    let primary_id = match event_type {
        EventType::AgentCapabilities => None,
        EventType::TaskRequested | EventType::TaskUpdated => task.id.clone(),
        EventType::ArtifactShared => artifact.id.clone(),
        EventType::Message => message.id.clone(),
    };
    let primary_id = primary_id.unwrap_or_else(|| agent_id.clone());

    let payload = Payload {
        adapter_id: DESCRIPTOR.adapter_id,
        adapter_version,
        protocol: DESCRIPTOR.protocol,
        protocol_name: DESCRIPTOR.protocol,
        protocol_version: version,
        upstream_event_type: packet.event_type,
        agent: Agent { id: agent_id, name: agent.name, role: agent.role, capabilities: agent.capabilities },
        task: task.id.map(|id| Task { id, status: task.status, kind: task.kind }),
        artifact: artifact.id.map(|id| Artifact { id, name: artifact.name, media_type: artifact.media_type }),
        message: message.id.map(|id| Message { id, role: message.role }),
        attributes: packet.attributes,
        discovery,
        handoff,
        unmapped_fields_count: losses.count(),
    };
    event_of(event_type, primary_id, time, payload)
}

fn event_of<'a, D>(event_type: EventType, primary_id: Cow<'a, str>, time: Time, data: D) -> Event<'a, D> {
    let run_id = ["a2a:", &*primary_id].concat();
    Event {
        specversion: event::SPEC_VERSION,
        kind: event_type.name(),
        source: SOURCE,
        id: [&*run_id, ":0"].concat(),
        time,
        datacontenttype: event::DATA_CONTENT_TYPE,
        subject: Some(primary_id),
        assayrunid: run_id,
        assayseq: 0,
        assayproducer: event::PRODUCER,
        assayproducerversion: event::PRODUCER_VERSION,
        assaygit: event::PRODUCER_GIT,
        assaypii: false,
        assaysecrets: false,
        assaycontenthash: None,
        batonorigin: None,
        batonreporter: None,
        data,
    }
}
