//! What the hub saw, in the shape of the packets the adapter reads (section D of the evidence contract): ids, names,
//! kinds, statuses, salted digests. Never a text, a result, a reason or an artifact's name.

use baton_adapter::{EventType, TypedPacket, TypedTask};
use baton_core::{ActorToken, Kind, MessageId, Status, TaskId, UnixMillis};
use baton_evidence::time::Time;
use serde::Serialize;
use std::borrow::Cow;

use super::salt::{Digested, DigestedPart};

/// One packet of the hub's own.
#[derive(Debug)]
pub struct Packet<'a> {
    pub(super) typed: TypedPacket<'a, Attributes<'a>>,
    /// The timestamp, to the millisecond.
    pub(super) at: UnixMillis,
}

/// The task, as it stands after what was seen.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    pub id: &'a TaskId,
    pub status: Status,
    pub kind: &'a Kind,
}

/// No list of strings and no `assay_g4`, as the adapter's typed way asks.
#[derive(Debug, Serialize)]
pub(super) struct Attributes<'a> {
    baton: Baton<'a>,
}

/// What the hub adds to the packet's own members.
#[derive(Debug, Serialize)]
pub struct Baton<'a> {
    /// The task's sender.
    pub from: &'a str,
    /// Its assignee, after what was seen.
    pub to: &'a str,
    /// The number of the event within the task.
    pub event: u64,
    /// The token that acted, as the task's history names it; the hub itself has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor_token: Option<&'a ActorToken>,
    /// The text that came with it, digested, under the name of what it is: at most one of these four.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<&'a Digested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<&'a Digested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a Digested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<&'a Digested>,
    /// The files and other parts that came with it, in order.
    #[serde(skip_serializing_if = "<[DigestedPart]>::is_empty")]
    pub parts: &'a [DigestedPart],
}

impl<'a> Packet<'a> {
    fn new(event_type: EventType, at: UnixMillis, actor: &'a str) -> Self {
        let typed = TypedPacket {
            event_type,
            time: Time::from_unix_millis(at.get()).unwrap_or(Time::UNKNOWN),
            agent_id: actor,
            capabilities: None,
            task: None,
            artifact_id: None,
            message_id: None,
            attributes: None,
        };
        Self { typed, at }
    }

    /// A task was made (`is_new`) or changed.
    pub fn of_task(
        is_new: bool,
        at: UnixMillis,
        actor: &'a str,
        task: Task<'a>,
        delivery: Option<&'a MessageId>,
        baton: Baton<'a>,
    ) -> Self {
        let event_type = if is_new { EventType::TaskRequested } else { EventType::TaskUpdated };
        let mut packet = Self::new(event_type, at, actor);
        packet.typed.task = Some(task.typed());
        packet.typed.message_id = delivery.map(MessageId::as_str);
        packet.typed.attributes = Some(Attributes { baton });
        packet
    }

    /// A completion brought an artifact; `number` counts them from 1 within the task.
    pub fn of_artifact(
        at: UnixMillis,
        actor: &'a str,
        task: Task<'a>,
        number: usize,
        baton: Baton<'a>,
    ) -> Self {
        let mut packet = Self::new(EventType::ArtifactShared, at, actor);
        packet.typed.artifact_id = Some(Cow::Owned(format!("{}:{number}", task.id)));
        packet.typed.task = Some(task.typed());
        packet.typed.attributes = Some(Attributes { baton });
        packet
    }

    /// An agent reported its skills, for the first time or again.
    pub fn of_capabilities(at: UnixMillis, agent: &'a str, capabilities: &'a [String]) -> Self {
        let mut packet = Self::new(EventType::AgentCapabilities, at, agent);
        packet.typed.capabilities = Some(capabilities);
        packet
    }
}

impl<'a> Task<'a> {
    fn typed(self) -> TypedTask<'a> {
        TypedTask { id: self.id.as_str(), status: self.status.as_str(), kind: self.kind.as_str() }
    }
}
