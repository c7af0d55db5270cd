//! The frames of section 5: what a stream sends, never a task's content.

use baton_core::{MessageId, NetworkId, Notice, Principal, Priority, Status, TaskId};
use baton_store::Snapshot;
use serde::Serialize;

use super::Error;

/// The task a frame is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct About<'a> {
    pub task_id: &'a TaskId,
    /// Who wants it done.
    pub from: &'a Principal,
    /// The actor that the frame is about.
    pub actor: &'a Principal,
    pub priority: Priority,
}

/// A frame; the variant's name is its `type`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Frame<'a> {
    NewTask {
        task_id: &'a TaskId,
        inbox_count: i64,
        priority: Priority,
        from: &'a str,
    },
    NewMessage {
        message_id: &'a MessageId,
        from: &'a str,
        task_id: Option<&'a TaskId>,
        inbox_count: i64,
    },
    NewReply {
        from: &'a str,
        message_id: &'a MessageId,
        in_reply_to: Option<&'a TaskId>,
        status: Option<Status>,
    },
    Broadcast {
        message_id: &'a MessageId,
        from: &'a str,
        inbox_count: i64,
    },
    TaskCancelled {
        task_id: &'a TaskId,
        reason: &'a str,
    },
    TaskReassigned {
        task_id: &'a TaskId,
    },
    ChildReply {
        parent_task_id: &'a TaskId,
        child_task_id: &'a TaskId,
        status: Status,
    },
}

impl Frame<'_> {
    /// The frame's JSON.
    pub(super) fn body(&self) -> Result<String, Error> {
        serde_json::to_string(self)
            .map_err(|error| Error::Store(baton_store::Error::Corrupt(error.to_string())))
    }
}

/// The body of a notice that a transition gives.
pub(super) fn of_notice(
    rows: &dyn Snapshot,
    network: &NetworkId,
    to: &Principal,
    notice: &Notice,
    about: &About<'_>,
) -> Result<String, Error> {
    let inbox_count = || rows.inbox_count(network, to);
    let task_id = about.task_id;
    let frame = match notice {
        Notice::NewTask => Frame::NewTask {
            task_id,
            inbox_count: inbox_count()?,
            priority: about.priority,
            from: about.from.name(),
        },
        Notice::NewMessage { message_id } => Frame::NewMessage {
            message_id,
            from: about.actor.name(),
            task_id: Some(task_id),
            inbox_count: inbox_count()?,
        },
        Notice::NewReply { message_id, status } => Frame::NewReply {
            from: about.actor.name(),
            message_id,
            in_reply_to: Some(task_id),
            status: Some(*status),
        },
        Notice::TaskCancelled { reason } => Frame::TaskCancelled { task_id, reason },
        Notice::TaskReassigned => Frame::TaskReassigned { task_id },
        Notice::ChildReply { parent_task_id, child_task_id, status } => {
            Frame::ChildReply { parent_task_id, child_task_id, status: *status }
        }
    };
    frame.body()
}
