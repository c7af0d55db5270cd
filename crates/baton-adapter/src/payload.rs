//! What an adapter event says, its members in the order they are printed. `schemas/payload.schema.json`
//! describes the same for readers in other languages.

mod discovery;
mod handoff;

pub use discovery::{CardSourceKind, Discovery};
pub use handoff::{Handoff, SourceKind};

use serde::Serialize;
use std::borrow::Cow;

use crate::attributes::Attribute;

/// The payload. Its attributes are what a packet's text gave, unless its maker has them typed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Payload<'a, A = Attribute<'a>> {
    /// Which adapter spoke.
    pub adapter_id: &'static str,
    /// In which version.
    pub adapter_version: &'a str,
    /// The protocol.
    pub protocol: &'static str,
    /// The protocol again, under its older name.
    pub protocol_name: &'static str,
    /// The version as the packet or the transport gave it.
    pub protocol_version: Cow<'a, str>,
    /// The packet's own event type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream_event_type: Option<Cow<'a, str>>,
    /// The agent that spoke.
    pub agent: Agent<'a>,
    /// The task, if it has an id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task<'a>>,
    /// The artifact, if it has an id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact<'a>>,
    /// The message, if it has an id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message<'a>>,
    /// The packet's attributes, normalised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<A>,
    /// What was visible of agent cards.
    pub discovery: Discovery,
    /// What was visible of a handoff.
    pub handoff: Handoff,
    /// Top-level keys without a place here, and substitutions.
    pub unmapped_fields_count: u64,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Agent<'a> {
    /// Its id, or `unknown-agent`.
    pub id: Cow<'a, str>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    /// Its role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Cow<'a, str>>,
    /// What it says it can do, sorted by bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<Cow<'a, str>>>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task<'a> {
    /// Its id, or `unknown-task`.
    pub id: Cow<'a, str>,
    /// Its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Cow<'a, str>>,
    /// Its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Cow<'a, str>>,
}

/// An artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artifact<'a> {
    /// Its id, or `unknown-artifact`.
    pub id: Cow<'a, str>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    /// Its media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<Cow<'a, str>>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message<'a> {
    /// Its id, or `unknown-message`.
    pub id: Cow<'a, str>,
    /// Its role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Cow<'a, str>>,
}
