//! A packet, typed at the door: one pass over the text, strings borrowed from it, parts nobody reads skipped
//! but parsed in full. So this refuses exactly what a parse into a whole document would refuse.

mod part;
mod skip;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

use baton_evidence::text::Text;

use crate::attributes::{self, Attribute};
use crate::error::AdapterError;
use crate::options::Options;
use crate::shape::{self, Measure, Nesting};
pub(crate) use part::{Agent, Artifact, Message, Task};
use part::{Leaf, Part};
use skip::Skip;

/// The members of a packet that the adapter reads. A leaf that is not a string is absent; an empty string is present.
#[derive(Debug)]
pub(crate) struct Packet<'a, A = Attribute<'a>> {
    pub(crate) protocol: Option<Cow<'a, str>>,
    pub(crate) version: Option<Cow<'a, str>>,
    pub(crate) event_type: Option<Cow<'a, str>>,
    pub(crate) timestamp: Option<Cow<'a, str>>,
    pub(crate) agent: Agent<'a>,
    pub(crate) task: Task<'a>,
    pub(crate) artifact: Artifact<'a>,
    pub(crate) message: Message<'a>,
    /// `Some` if the key exists, also for `null`.
    pub(crate) attributes: Option<A>,
    /// How many different top-level keys have no place above.
    pub(crate) unmapped_keys: u64,
}

impl Default for Packet<'_> {
    fn default() -> Self {
        Self {
            protocol: None,
            version: None,
            event_type: None,
            timestamp: None,
            agent: Agent::default(),
            task: Task::default(),
            artifact: Artifact::default(),
            message: Message::default(),
            attributes: None,
            unmapped_keys: 0,
        }
    }
}

impl<'a> Packet<'a> {
    /// Parses one JSON text and holds its shape against the bounds.
    pub(crate) fn parse(bytes: &'a [u8], options: &Options) -> Result<Self, AdapterError> {
        let invalid = |error: &dyn fmt::Display| {
            AdapterError::measurement(format!("invalid A2A payload JSON: {error}"))
        };
        let text = std::str::from_utf8(bytes).map_err(|error| invalid(&error))?;
        let measure = Measure::default();
        let mut json = serde_json::Deserializer::from_str(text);
        let packet = Root(measure.root()).deserialize(&mut json).map_err(|error| invalid(&error))?;
        json.end().map_err(|error| invalid(&error))?;
        if measure.may_exceed(options) {
            shape::check(text, options)?;
        }
        Ok(packet)
    }
}

struct Root<'s>(Nesting<'s>);

impl<'de> DeserializeSeed<'de> for Root<'_> {
    type Value = Packet<'de>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Packet<'de>, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Root<'_> {
    type Value = Packet<'de>;

    skip::other_than_a_map!(Packet<'de>);

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Packet<'de>, A::Error> {
        let inside = self.0.inside();
        let mut packet = Packet::default();
        let mut unmapped = Vec::new();
        while let Some(Text(key)) = members.next_key()? {
            match &*key {
                "protocol" => packet.protocol = members.next_value_seed(Leaf(inside))?,
                "version" => packet.version = members.next_value_seed(Leaf(inside))?,
                "event_type" => packet.event_type = members.next_value_seed(Leaf(inside))?,
                "timestamp" => packet.timestamp = members.next_value_seed(Leaf(inside))?,
                "agent" => packet.agent = members.next_value_seed(Part::new(inside))?,
                "task" => packet.task = members.next_value_seed(Part::new(inside))?,
                "artifact" => packet.artifact = members.next_value_seed(Part::new(inside))?,
                "message" => packet.message = members.next_value_seed(Part::new(inside))?,
                "attributes" => packet.attributes = Some(members.next_value_seed(attributes::Read(inside))?),
                _ => {
                    members.next_value_seed(Skip(inside))?;
                    unmapped.push(key);
                }
            }
        }
        unmapped.sort_unstable();
        unmapped.dedup();
        packet.unmapped_keys = unmapped.len() as u64;
        Ok(packet)
    }
}
