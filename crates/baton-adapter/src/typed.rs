//! A packet that its own maker converts: what it says is at hand, so nothing has to be read. It is printed as a
//! packet like any other, and its event is the one that [`convert`](crate::convert) makes of that print in strict
//! mode; the same rules, run over the same fields. For the hub, which phrases three of them in every task's life.

use baton_evidence::event::Event;
use baton_evidence::time::Time;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

use crate::error::AdapterError;
use crate::event_type::EventType;
use crate::lossiness::Losses;
use crate::packet::{Agent, Artifact, Message, Packet, Task};
use crate::payload::{Discovery, Payload};
use crate::{DESCRIPTOR, check_strict, emit};

/// The protocol version such packets name.
const VERSION: &str = "0.2";

/// A packet as its maker has it.
///
/// `attributes` is an object without an array of strings and without a member `assay_g4`: the first would be sorted when
/// it is read, the second would be looked into. Neither is done here.
#[derive(Debug, Clone)]
pub struct TypedPacket<'a, A> {
    /// The kind of event.
    pub event_type: EventType,
    /// When.
    pub time: Time,
    /// Who acted.
    pub agent_id: &'a str,
    /// What that agent says it can do.
    pub capabilities: Option<&'a [String]>,
    /// The task it is about.
    pub task: Option<TypedTask<'a>>,
    /// The artifact it shares.
    pub artifact_id: Option<Cow<'a, str>>,
    /// The message it came with.
    pub message_id: Option<&'a str>,
    /// What the maker adds.
    pub attributes: Option<A>,
}

/// A task as it is after the change that the packet reports.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TypedTask<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its status.
    pub status: &'a str,
    /// Its kind.
    pub kind: &'a str,
}

impl<A: Serialize> TypedPacket<'_, A> {
    /// The packet's bytes.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(768); // the hub's own have some 400 to 600
        serde_json::to_writer(&mut bytes, self)?;
        Ok(bytes)
    }

    /// The event that the packet's bytes would be converted into, without a content hash.
    pub fn event(&self) -> Result<Event<'_, Payload<'_, &A>>, AdapterError> {
        let name = self.event_type.upstream();
        let packet = Packet {
            protocol: Some(Cow::Borrowed(DESCRIPTOR.protocol)),
            version: Some(Cow::Borrowed(VERSION)),
            event_type: name.map(Cow::Borrowed),
            timestamp: None,
            agent: Agent {
                id: Some(Cow::Borrowed(self.agent_id)),
                capabilities: self.capabilities.map(sorted),
                ..Agent::default()
            },
            task: self.task.map_or_else(Task::default, |task| Task {
                id: Some(Cow::Borrowed(task.id)),
                status: Some(Cow::Borrowed(task.status)),
                kind: Some(Cow::Borrowed(task.kind)),
            }),
            artifact: Artifact { id: self.artifact_id.as_deref().map(Cow::Borrowed), ..Artifact::default() },
            message: Message { id: self.message_id.map(Cow::Borrowed), ..Message::default() },
            attributes: self.attributes.as_ref(),
            unmapped_keys: 0,
        };
        let event_type = name.map(|_| self.event_type);
        check_strict(&packet, event_type)?;
        // A reader of the packet finds no time in a text that is not RFC 3339.
        let time = if self.time.is_rfc_3339() { self.time } else { Time::UNKNOWN };
        let (version, adapter_version) = (Cow::Borrowed(VERSION), DESCRIPTOR.adapter_version);
        let discovery = Discovery::NOT_VISIBLE;
        Ok(emit(adapter_version, packet, version, self.event_type, time, discovery, &mut Losses::default()))
    }
}

fn sorted(capabilities: &[String]) -> Vec<Cow<'_, str>> {
    let mut sorted: Vec<_> = capabilities.iter().map(|text| Cow::Borrowed(&**text)).collect();
    sorted.sort_unstable(); // `str` compares by bytes
    sorted
}

impl<A: Serialize> Serialize for TypedPacket<'_, A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Agent<'a> {
            id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            capabilities: Option<&'a [String]>,
        }
        #[derive(Serialize)]
        struct Id<'a> {
            id: &'a str,
        }
        let mut packet = serializer.serialize_struct("Packet", 9)?;
        packet.serialize_field("protocol", DESCRIPTOR.protocol)?;
        packet.serialize_field("version", VERSION)?;
        packet.serialize_field("event_type", &self.event_type.upstream())?;
        packet.serialize_field("timestamp", &self.time)?;
        packet.serialize_field("agent", &Agent { id: self.agent_id, capabilities: self.capabilities })?;
        if let Some(task) = &self.task {
            packet.serialize_field("task", task)?;
        }
        if let Some(id) = &self.artifact_id {
            packet.serialize_field("artifact", &Id { id })?;
        }
        if let Some(id) = self.message_id {
            packet.serialize_field("message", &Id { id })?;
        }
        if let Some(attributes) = &self.attributes {
            packet.serialize_field("attributes", attributes)?;
        }
        packet.end()
    }
}
