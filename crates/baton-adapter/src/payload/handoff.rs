//! The frozen handoff contract, K1-A phase 1. This is all of it: one positive rule, over typed fields only.
//!
//! Every `handoff.*` boolean is a bounded observed visibility flag only; none of them means that the handoff
//! was valid, authorised, complete, trusted or successful.

use serde::Serialize;

use crate::event_type::EventType;
use crate::packet::Packet;

/// What was visible of a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Handoff {
    /// A handoff surface was observed on a typed task request.
    pub visible: bool,
    /// Which class of source set this object.
    pub source_kind: SourceKind,
    /// On such a packet, the packet's own `task.id` was visible.
    pub task_ref_visible: bool,
    /// On such a packet, the packet's own `message.id` was visible.
    pub message_ref_visible: bool,
}

/// Which class of source set the handoff object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The rule's typed fields.
    TypedPayload,
    /// None: the default.
    Unknown,
}

impl Handoff {
    /// The object on every packet the rule does not match.
    pub const NOT_VISIBLE: Self = Self {
        visible: false,
        source_kind: SourceKind::Unknown,
        task_ref_visible: false,
        message_ref_visible: false,
    };

    /// Freeze §3: the event is `task.requested` and the typed `task.kind` is exactly `delegation`. Nothing else
    /// is consulted: no attributes, no discovery, no roles, no unmapped keys, and `task.updated` never (§3,
    /// explicit non-promotion). The packet is read before substitution, so a stand-in id is not a reference.
    pub(crate) fn observe<A>(event_type: EventType, packet: &Packet<'_, A>) -> Self {
        if event_type != EventType::TaskRequested || packet.task.kind.as_deref() != Some("delegation") {
            return Self::NOT_VISIBLE;
        }
        Self {
            visible: true,
            source_kind: SourceKind::TypedPayload,
            task_ref_visible: packet.task.id.is_some(),
            message_ref_visible: packet.message.id.is_some(),
        }
    }
}
