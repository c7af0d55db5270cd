//! What a tool does to the hub, as the hints that clients decide by whether to ask a user first. All of a hub is a closed
//! world: a tool reaches agents and users of the caller's networks, and nobody else.

use rmcp::model::ToolAnnotations;

/// What calling a tool changes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Effect {
    /// Nothing.
    Reads,
    /// It adds something, each time it is called.
    Adds,
    /// It adds or sets something; once more changes nothing.
    Sets,
    /// It ends or takes away what others have.
    TakesAway,
}

impl Effect {
    /// Of a command that may or may not be repeated.
    pub(super) const fn of_command(is_destructive: bool, is_repeatable: bool) -> Self {
        match (is_destructive, is_repeatable) {
            (true, _) => Self::TakesAway,
            (false, true) => Self::Sets,
            (false, false) => Self::Adds,
        }
    }

    /// The hints.
    pub(super) fn annotations(self, title: &str) -> ToolAnnotations {
        ToolAnnotations::with_title(title)
            .read_only(matches!(self, Self::Reads))
            .destructive(matches!(self, Self::TakesAway))
            .idempotent(matches!(self, Self::Reads | Self::Sets))
            .open_world(false)
    }
}
