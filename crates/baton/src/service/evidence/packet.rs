//! What the hub saw, in the shape of the packets the adapter reads (section D of the evidence contract): ids, names,
//! kinds, statuses, salted digests. Never a text, a result, a reason or an artifact's name.

use baton_core::{ActorToken, Kind, MessageId, Status, TaskId, UnixMillis};
use baton_evidence::time::Time;
use serde::Serialize;

use super::salt::Digested;

/// One packet of the hub's own.
#[derive(Debug, Serialize)]
pub(crate) struct Packet<'a> {
    protocol: &'static str,
    version: &'static str,
    event_type: EventType,
    timestamp: Time,
    agent: Agent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Task<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<Artifact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<Attributes<'a>>,
    /// The timestamp, to the millisecond.
    #[serde(skip)]
    pub(super) at: UnixMillis,
}

/// What sort of thing was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
enum EventType {
    #[serde(rename = "agent.capabilities")]
    AgentCapabilities,
    #[serde(rename = "task.requested")]
    TaskRequested,
    #[serde(rename = "task.updated")]
    TaskUpdated,
    #[serde(rename = "artifact.shared")]
    ArtifactShared,
}

/// Who acted.
#[derive(Debug, Serialize)]
struct Agent<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<&'a [String]>,
}

/// The task, as it stands after what was seen.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Task<'a> {
    pub(crate) id: &'a TaskId,
    pub(crate) status: Status,
    pub(crate) kind: &'a Kind,
}

#[derive(Debug, Serialize)]
struct Artifact {
    id: String,
}

#[derive(Debug, Serialize)]
struct Message<'a> {
    id: &'a MessageId,
}

#[derive(Debug, Serialize)]
struct Attributes<'a> {
    baton: Baton<'a>,
}

/// What the hub adds to the packet's own members.
#[derive(Debug, Serialize)]
pub(crate) struct Baton<'a> {
    /// The task's sender.
    pub(crate) from: &'a str,
    /// Its assignee, after what was seen.
    pub(crate) to: &'a str,
    /// The number of the event within the task.
    pub(crate) event: u64,
    /// The token that acted, as the task's history names it; the hub itself has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actor_token: Option<&'a ActorToken>,
    /// The texts that came with it, digested.
    #[serde(flatten)]
    pub(crate) texts: Texts,
}

/// Texts by what they are; at most one comes with an event.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Texts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Digested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Digested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<Digested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) artifact: Option<Digested>,
}

impl<'a> Packet<'a> {
    fn new(event_type: EventType, at: UnixMillis, actor: &'a str) -> Self {
        Self {
            protocol: "a2a",
            version: "0.2",
            event_type,
            timestamp: Time::from_unix_millis(at.get()).unwrap_or(Time::UNKNOWN),
            agent: Agent { id: actor, capabilities: None },
            task: None,
            artifact: None,
            message: None,
            attributes: None,
            at,
        }
    }

    /// A task was made (`is_new`) or changed.
    pub(crate) fn of_task(
        is_new: bool,
        at: UnixMillis,
        actor: &'a str,
        task: Task<'a>,
        delivery: Option<&'a MessageId>,
        baton: Baton<'a>,
    ) -> Self {
        let event_type = if is_new { EventType::TaskRequested } else { EventType::TaskUpdated };
        Self {
            task: Some(task),
            message: delivery.map(|id| Message { id }),
            attributes: Some(Attributes { baton }),
            ..Self::new(event_type, at, actor)
        }
    }

    /// A completion brought an artifact; `number` counts them from 1 within the task.
    pub(crate) fn of_artifact(
        at: UnixMillis,
        actor: &'a str,
        task: Task<'a>,
        number: usize,
        baton: Baton<'a>,
    ) -> Self {
        Self {
            artifact: Some(Artifact { id: format!("{}:{number}", task.id) }),
            task: Some(task),
            attributes: Some(Attributes { baton }),
            ..Self::new(EventType::ArtifactShared, at, actor)
        }
    }

    /// An agent said for the first time, or anew, what it can do.
    pub(crate) fn of_capabilities(at: UnixMillis, agent: &'a str, capabilities: &'a [String]) -> Self {
        Self {
            agent: Agent { id: agent, capabilities: Some(capabilities) },
            ..Self::new(EventType::AgentCapabilities, at, agent)
        }
    }
}
