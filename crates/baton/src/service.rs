//! The use cases, one per file. Each takes the hub, the caller and typed arguments, and gives an answer that
//! every door prints alike, or an [`Error`]. What may be done is decided in `baton-core`, inside the transaction.

// Shared by use cases.
mod apply;
mod error;
mod frame;
mod names;
mod operation;
mod page;
mod place;
mod presence;
mod stamp;
mod task_view;
pub(crate) mod wire_time;

// Tasks.
pub(crate) mod ack_inbox;
pub(crate) mod broadcast;
pub(crate) mod cancel_task;
pub(crate) mod claim_task;
pub(crate) mod extend_lease;
pub(crate) mod get_completions;
pub(crate) mod get_inbox;
pub(crate) mod get_task;
pub(crate) mod list_tasks;
pub(crate) mod messages;
pub(crate) mod reassign_task;
pub(crate) mod report_completion;
pub(crate) mod report_status;
pub(crate) mod retry_task;
pub(crate) mod send_ack;
pub(crate) mod send_message;
pub(crate) mod send_reply;
pub(crate) mod send_task;
pub(crate) mod stats;
pub(crate) mod statuses;
pub(crate) mod sweep;
pub(crate) mod task_events;

pub(crate) use error::Error;
