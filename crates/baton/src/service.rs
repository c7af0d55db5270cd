//! The use cases: of tasks one per file, of accounts one noun per file. Each takes the hub, the caller and typed
//! arguments, and gives an answer that every door prints alike, or an [`Error`]. What may be done is decided in
//! `baton-core`, inside the transaction.

// Shared by use cases.
mod actor;
pub(crate) mod agent;
mod any_json;
mod apply;
mod attention;
mod capabilities;
mod delegation;
pub(crate) mod evidence;
mod frame;
mod idempotency;
mod listed_text;
pub(crate) mod names;
mod operation;
pub(crate) mod page;
pub(crate) mod place;
mod presence;
pub(crate) mod question;
pub(crate) mod share_artifact;
pub(crate) mod skills;
mod stamp;
pub(crate) mod task_command;
pub(crate) mod task_record;
mod task_view;
pub(crate) mod task_wait;
mod wire_time;

// Tasks.
pub(crate) mod ack_inbox;
pub(crate) mod agent_tasks;
pub(crate) mod agents;
pub(crate) mod artifacts;
pub(crate) mod ask_sender;
pub(crate) mod broadcast;
pub(crate) mod cancel_task;
pub(crate) mod claim_task;
pub(crate) mod extend_lease;
pub(crate) mod follow_task;
pub(crate) mod follow_up;
pub(crate) mod get_completions;
pub(crate) mod get_inbox;
pub(crate) mod get_task;
pub(crate) mod list_tasks;
pub(crate) mod messages;
pub(crate) mod old_tasks;
pub(crate) mod overview;
pub(crate) mod push_configs;
pub(crate) mod reassign_task;
pub(crate) mod report_completion;
pub(crate) mod report_progress;
pub(crate) mod report_status;
pub(crate) mod retry_task;
pub(crate) mod send_ack;
pub(crate) mod send_message;
pub(crate) mod send_reply;
pub(crate) mod send_task;
pub(crate) mod send_tasks;
pub(crate) mod stats;
pub(crate) mod statuses;
pub(crate) mod sweep;
pub(crate) mod task_events;
pub(crate) mod task_tree;
pub(crate) mod wait_for_task;
pub(crate) mod watched;
pub(crate) mod work_graph;
pub(crate) mod workers;

// Accounts.
pub(crate) mod accounts;
pub(crate) mod audit;
mod done;
mod labels;
mod permit;
mod secret;

pub(crate) use crate::error::Error;
pub(crate) use done::Done;
pub(crate) use secret::{Holder, Revealed};
pub(crate) use wire_time::WireTime;

/// Every command to a task, one call of `$of::<Command>()` each; the doors make their routes and tools of it. The first list
/// changes a task's course, the second is what its worker does under a lease.
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
pub(crate) use task_commands;
