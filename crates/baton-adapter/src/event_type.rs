//! The kinds of event the adapter emits, and the upstream names that map to them.

/// The kind of an emitted event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventType {
    /// An agent reported its capabilities.
    AgentCapabilities,
    /// A task was asked for.
    TaskRequested,
    /// A task changed.
    TaskUpdated,
    /// An artifact was shared.
    ArtifactShared,
    /// Anything else, in lenient mode.
    Message,
}

impl EventType {
    /// All of them, in the descriptor's order.
    pub const ALL: [Self; 5] = [
        Self::AgentCapabilities,
        Self::TaskRequested,
        Self::TaskUpdated,
        Self::ArtifactShared,
        Self::Message,
    ];

    /// The four names that map, by exact match.
    #[must_use]
    pub fn from_upstream(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event_type| event_type.upstream() == Some(name))
    }

    /// The name that maps to it, if one does.
    #[must_use]
    pub const fn upstream(self) -> Option<&'static str> {
        match self {
            Self::AgentCapabilities => Some("agent.capabilities"),
            Self::TaskRequested => Some("task.requested"),
            Self::TaskUpdated => Some("task.updated"),
            Self::ArtifactShared => Some("artifact.shared"),
            Self::Message => None,
        }
    }

    /// The emitted event's `type`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AgentCapabilities => "assay.adapter.a2a.agent.capabilities",
            Self::TaskRequested => "assay.adapter.a2a.task.requested",
            Self::TaskUpdated => "assay.adapter.a2a.task.updated",
            Self::ArtifactShared => "assay.adapter.a2a.artifact.shared",
            Self::Message => "assay.adapter.a2a.message",
        }
    }

    /// Whether the event is about a task, and so needs its id.
    #[must_use]
    pub const fn is_task(self) -> bool {
        matches!(self, Self::TaskRequested | Self::TaskUpdated)
    }
}
