//! What the adapter says of itself.

use crate::event_type::EventType;

/// The adapter's description of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// Stable across versions and implementations of the same freeze.
    pub adapter_id: &'static str,
    /// This crate's version.
    pub adapter_version: &'static str,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol version the adapter was written for.
    pub spec_version: &'static str,
    /// The packet's schema.
    pub schema_id: &'static str,
    /// The protocol versions it takes.
    pub supported_versions: &'static str,
    /// The event types it emits.
    pub event_types: [EventType; 5],
}

/// The one adapter of this crate.
pub const DESCRIPTOR: Descriptor = Descriptor {
    adapter_id: "assay-adapter-a2a",
    adapter_version: env!("CARGO_PKG_VERSION"),
    protocol: "a2a",
    spec_version: "0.2.0",
    schema_id: "a2a.message.v0_2",
    supported_versions: ">=0.2 <1.0",
    event_types: EventType::ALL,
};
