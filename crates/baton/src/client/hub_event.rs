//! The events of a stream, as far as tools read them (section 5 of the wire contract). A type that is not known here is
//! one of a newer hub: it is passed on, not refused.

use baton_core::{Priority, Status};
use serde::Deserialize;

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum HubEvent {
    /// The stream stands.
    Connected {
        session: String,
        network_id: String,
        inbox_count: i64,
    },
    /// Earlier events are no longer available: read the rows instead.
    Reset,
    NewTask {
        task_id: String,
        priority: Priority,
        from: String,
    },
    NewMessage {
        message_id: String,
        from: String,
        task_id: Option<String>,
    },
    NewReply {
        message_id: String,
        from: String,
        in_reply_to: Option<String>,
        status: Option<Status>,
    },
    Broadcast {
        message_id: String,
        from: String,
    },
    TaskCancelled {
        task_id: String,
        reason: String,
    },
    TaskReassigned {
        task_id: String,
    },
    ChildReply {
        parent_task_id: String,
        child_task_id: String,
        status: Status,
    },
    /// In passing, without a number.
    StatusUpdate {
        alias: String,
        status: String,
        progress: Option<i64>,
    },
    #[serde(other)]
    Other,
}
