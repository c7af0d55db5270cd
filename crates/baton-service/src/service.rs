//! The use cases: of tasks one per file, of accounts one noun per file. Each takes the hub, the caller and typed
//! arguments, and gives an answer that every door prints alike, or an [`Error`]. What may be done is decided in
//! `baton-core`, inside the transaction.

// Shared by use cases.
mod actor;
pub mod agent;
mod any_json;
mod apply;
mod attention;
mod capabilities;
mod delegation;
pub mod evidence;
mod frame;
mod idempotency;
mod listed_text;
pub mod names;
pub mod network_ref;
mod operation;
pub mod page;
mod presence;
pub mod question;
pub mod share_artifact;
pub mod skills;
mod stamp;
pub mod task_command;
pub mod task_record;
mod task_view;
pub mod task_wait;
mod wire_time;

// Tasks.
pub mod agent_tasks;
pub mod agents;
pub mod artifacts;
pub mod ask_sender;
pub mod broadcast;
pub mod cancel_task;
pub mod catalog;
pub mod claim_task;
pub mod extend_lease;
pub mod follow_task;
pub mod follow_up;
pub mod get_completions;
pub mod get_task;
pub mod inbox;
pub mod list_tasks;
pub mod messages;
pub mod old_tasks;
pub mod overview;
pub mod push_configs;
pub mod reassign_task;
pub mod report_completion;
pub mod report_progress;
pub mod report_status;
pub mod retry_task;
pub mod send_ack;
pub mod send_message;
pub mod send_reply;
pub mod send_task;
pub mod send_tasks;
pub mod stats;
pub mod statuses;
pub mod sweep;
pub mod task_events;
pub mod task_handle;
pub mod task_tree;
pub mod wait_for_task;
pub mod watched;
pub mod work_graph;
pub mod workers;

// Accounts.
pub mod accounts;
pub mod audit;
mod done;
mod labels;
pub mod oauth;
pub mod oidc;
mod permit;
mod secret;

pub use crate::error::Error;
pub use done::Done;
pub use secret::{Holder, Revealed};
pub use wire_time::WireTime;

/// Every command to a task, one call of `$of::<Command>()` each; the doors make their routes and tools of it. The first list
/// changes a task's course, the second is what its worker does under a lease.
#[macro_export]
macro_rules! task_commands {
    (course: $of:ident) => {
        [
            $of::<$crate::service::send_ack::AckTask>(),
            $of::<$crate::service::ask_sender::AskSender>(),
            $of::<$crate::service::follow_up::AnswerTask>(),
            $of::<$crate::service::cancel_task::CancelTask>(),
            $of::<$crate::service::retry_task::RetryTask>(),
            $of::<$crate::service::reassign_task::ReassignTask>(),
            $of::<$crate::service::send_reply::ReplyToTask>(),
        ]
    };
    (lease: $of:ident) => {
        [$of::<$crate::service::report_progress::ReportProgress>()]
    };
}
