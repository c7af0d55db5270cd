//! Calls about tasks, inboxes, leases and who is there. Arguments are the services' own; answers are read into
//! types of the client: a tool may be older or newer than its hub, so it reads what it needs and passes over the rest.

use baton_core::{MessageKind, Priority, Status, TraceParent};
use reqwest::Method;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::Duration;

use super::artifacts::Artifact;
use super::call::{Call, Repeat};
use super::{Client, Error, HubResponse};
use crate::service::task_command::{BodyRule, TaskCommand};
use crate::service::{
    WireTime, claim_task, extend_lease, get_task, inbox, list_tasks, report_progress, send_task,
    share_artifact, stats, statuses, task_events,
};

/// A task's row.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Task {
    pub(crate) task_id: String,
    /// What the digests in its evidence are keyed with; lists and older hubs do not send it.
    #[serde(default)]
    pub(crate) evidence_salt: String,
    pub(crate) from_name: String,
    pub(crate) to_name: String,
    pub(crate) kind: String,
    pub(crate) priority: Priority,
    pub(crate) status: Status,
    pub(crate) content: String,
    pub(crate) context: Option<String>,
    pub(crate) result: Option<String>,
    /// The latest progress of its run.
    pub(crate) progress: Option<TaskProgress>,
    /// Whether its agent declined it.
    #[serde(default)]
    pub(crate) rejected: bool,
    pub(crate) created_at: WireTime,
    pub(crate) started_at: Option<WireTime>,
    pub(crate) completed_at: Option<WireTime>,
    pub(crate) expires_at: WireTime,
    pub(crate) network_id: String,
    pub(crate) parent_task_id: Option<String>,
    pub(crate) retry_of: Option<String>,
    pub(crate) attempt: u32,
    /// What its sender allows its runs, where that is not the usual.
    pub(crate) max_attempts: Option<u32>,
    pub(crate) retry_backoff_seconds: Option<u32>,
    pub(crate) run_timeout_seconds: Option<u32>,
    /// Unparsed: it may nest deeper than the parser accepts.
    pub(crate) meta: Option<Box<RawValue>>,
    /// The messages on it, where a send waited for it.
    #[serde(default)]
    pub(crate) messages: Vec<TaskMessage>,
    /// The artifacts that came with its text, its work and its reply.
    #[serde(default, deserialize_with = "artifacts")]
    pub(crate) artifacts: Vec<Artifact>,
}

/// Artifacts among other things that were reported with a completion.
fn artifacts<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Artifact>, D::Error> {
    let all = Vec::<Value>::deserialize(deserializer)?;
    Ok(all.into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect())
}

/// How far the work on a task is.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TaskProgress {
    pub(crate) percent: Option<u8>,
    pub(crate) message: Option<String>,
    pub(crate) at: WireTime,
}

/// A message on a task.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TaskMessage {
    pub(crate) message_id: String,
    pub(crate) from_name: String,
    /// question, answer or message; older hubs do not send it.
    pub(crate) kind: Option<String>,
    pub(crate) content: String,
    /// The answers that a question takes; any, if it has none.
    #[serde(default)]
    pub(crate) options: Vec<String>,
    /// The artifacts that came with it.
    #[serde(default)]
    pub(crate) artifacts: Vec<Artifact>,
    /// Whether a question asks its sender to authenticate.
    #[serde(default)]
    pub(crate) auth_required: bool,
    pub(crate) created_at: WireTime,
}

impl TaskMessage {
    pub(crate) fn is_question(&self) -> bool {
        self.kind.as_deref() == Some(MessageKind::Question.as_str())
    }

    pub(crate) fn is_answer(&self) -> bool {
        self.kind.as_deref() == Some(MessageKind::Answer.as_str())
    }
}

/// A question that was asked.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct QuestionAsked {
    pub(crate) message_id: String,
}

/// `{task}`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TaskEnvelope {
    pub(crate) task: Task,
    /// The messages on it.
    #[serde(default)]
    pub(crate) messages: Vec<TaskMessage>,
    /// The number of its last event; older hubs do not send it, and do not wait.
    pub(crate) event_count: Option<i64>,
}

/// A page of tasks, newest first.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Page {
    pub(crate) tasks: Vec<Task>,
    pub(crate) stats: Vec<StatusCount>,
    pub(crate) next_cursor: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StatusCount {
    pub(crate) status: String,
    pub(crate) count: i64,
}

/// What became of a send.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TaskSent {
    pub(crate) task_id: String,
    /// The recipient is offline and the task waits for it.
    #[serde(default)]
    pub(crate) queued: bool,
    pub(crate) session_status: String,
    /// The task, where the send waited for it.
    pub(crate) task: Option<Task>,
}

/// What became of several sends, in their order.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TasksSent {
    pub(crate) results: Vec<SendOutcome>,
}

/// What became of one of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum SendOutcome {
    Sent(Box<TaskSent>),
    Refused { error: String, message: Option<String> },
}

/// A task and the lease on it, or nothing to do.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Claimed {
    pub(crate) task: Option<Task>,
    pub(crate) lease_id: Option<String>,
    /// The messages on the task, oldest first.
    #[serde(default)]
    pub(crate) messages: Vec<TaskMessage>,
    /// The artifacts that came with the task and its work so far.
    #[serde(default)]
    pub(crate) artifacts: Vec<Artifact>,
    /// The trace the task was sent in.
    pub(crate) traceparent: Option<String>,
}

/// `{tree}`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ShownTree {
    pub(crate) tree: Tree,
}

/// A task's ancestors, the task, and all below it, each task followed by what is below it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Tree {
    pub(crate) task_id: String,
    pub(crate) nodes: Vec<TreeNode>,
    pub(crate) truncated: bool,
}

/// A task in a tree.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TreeNode {
    pub(crate) task_id: String,
    pub(crate) parent_task_id: Option<String>,
    pub(crate) to_name: String,
    pub(crate) status: Status,
    pub(crate) created_at: WireTime,
    pub(crate) completed_at: Option<WireTime>,
    pub(crate) depth: usize,
}

/// What ended a task.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Replied {
    pub(crate) status: Option<Status>,
    /// The next task, if one was asked for and there was one.
    pub(crate) next: Option<Claimed>,
}

/// One row of a task's history.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct TaskEvent {
    pub(crate) id: i64,
    pub(crate) task_id: String,
    /// Which row of the task's it is, from 1.
    pub(crate) n: i64,
    pub(crate) from_status: Option<Status>,
    pub(crate) to_status: Status,
    pub(crate) actor: String,
    /// Which token acted; older hubs do not send it.
    #[serde(default)]
    pub(crate) actor_token: Option<String>,
    pub(crate) detail: String,
    pub(crate) created_at: WireTime,
    pub(crate) network_id: String,
}

/// Rows of history, newest first.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct History {
    pub(crate) events: Vec<TaskEvent>,
    /// Where the page before this one begins; older hubs do not send it.
    #[serde(default)]
    pub(crate) next_cursor: Option<String>,
}

/// Something in an inbox.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Delivery {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) priority: Priority,
    pub(crate) content: String,
    pub(crate) from_session: String,
    pub(crate) created_at: WireTime,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Inbox {
    pub(crate) messages: Vec<Delivery>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Stats {
    pub(crate) tasks: TaskStats,
    pub(crate) nodes: NodeStats,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TaskStats {
    pub(crate) by_status: Vec<StatusCount>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct NodeStats {
    pub(crate) total: i64,
}

impl Client {
    /// Sends a task, as part of a trace if one is named. With an `idempotency_key` it is sent again when an answer
    /// was lost. Its patience covers the wait that is asked for.
    pub(crate) async fn send_task(
        &self,
        args: &send_task::Args,
        traceparent: Option<TraceParent>,
    ) -> Result<HubResponse<TaskSent>, Error> {
        let repeat = if args.idempotency_key.is_some() { Repeat::Always } else { Repeat::Unsent };
        let wait =
            Duration::from_secs(args.wait_seconds.and_then(|wait| u64::try_from(wait).ok()).unwrap_or(0));
        let call = Call::new(self, Method::POST, &["api", "task"]).body(args).traced(traceparent);
        call.repeat(repeat).waiting(wait).run().await
    }

    /// Sends several tasks, each a body of `POST /api/task` with an `idempotency_key`: they are sent again when an answer was
    /// lost.
    pub(crate) async fn send_tasks(
        &self,
        tasks: &[Value],
        traceparent: Option<TraceParent>,
    ) -> Result<HubResponse<TasksSent>, Error> {
        let body = serde_json::json!({ "tasks": tasks });
        let call = Call::new(self, Method::POST, &["api", "tasks"]).body(&body).traced(traceparent);
        call.repeat(Repeat::Always).run().await
    }

    pub(crate) async fn tasks(&self, args: &list_tasks::QueryArgs) -> Result<HubResponse<Page>, Error> {
        self.get_json(&["api", "tasks"], args).await
    }

    pub(crate) async fn task(&self, task_id: &str) -> Result<HubResponse<TaskEnvelope>, Error> {
        self.get_json(&["api", "tasks", task_id], &()).await
    }

    /// The tree a task stands in.
    pub(crate) async fn task_tree(&self, task_id: &str) -> Result<HubResponse<ShownTree>, Error> {
        self.get_json(&["api", "tasks", task_id, "tree"], &()).await
    }

    /// A task once it has an event after this number, or the time is over.
    pub(crate) async fn task_after(
        &self,
        task_id: &str,
        after: i64,
        wait: Duration,
    ) -> Result<HubResponse<TaskEnvelope>, Error> {
        let seconds = wait.as_millis().div_ceil(1_000).to_string();
        let args = get_task::QueryArgs { wait_seconds: Some(seconds), after: Some(after.to_string()) };
        let call = Call::new(self, Method::GET, &["api", "tasks", task_id]).query(&args);
        call.repeat(Repeat::Always).waiting(wait).run().await
    }

    /// Gives a command to a task; `A` is what is read of its answer. One that comes to the same if it is given twice is
    /// sent again when an answer was lost.
    pub(crate) async fn command<C: TaskCommand, A: DeserializeOwned>(
        &self,
        task_id: &str,
        args: &C::Args,
    ) -> Result<HubResponse<A>, Error> {
        let call = Call::new(self, Method::POST, &["api", "tasks", task_id, C::ABOUT.verb]);
        let call = if C::ABOUT.body == BodyRule::Unread { call } else { call.body(args) };
        call.repeat(if C::ABOUT.is_repeatable { Repeat::Always } else { Repeat::Unsent }).run().await
    }

    pub(crate) async fn task_events(
        &self,
        args: &task_events::QueryArgs,
    ) -> Result<HubResponse<History>, Error> {
        self.get_json(&["api", "task_events"], args).await
    }

    /// Says that something in the caller's own inbox was seen.
    pub(crate) async fn ack_inbox(
        &self,
        id: &str,
        args: &inbox::AckOwnArgs,
    ) -> Result<HubResponse<Value>, Error> {
        self.post_json(&["api", "inbox", id, "ack"], args).await
    }

    pub(crate) async fn inbox(&self, args: &inbox::QueryArgs) -> Result<HubResponse<Inbox>, Error> {
        self.get_json(&["api", "inbox"], args).await
    }

    /// Claims the next task. The timeout covers the requested wait. A lost response does no harm: the lease expires.
    pub(crate) async fn claim(&self, args: &claim_task::BodyArgs) -> Result<HubResponse<Claimed>, Error> {
        let wait = u64::try_from(args.wait_seconds.unwrap_or(0)).unwrap_or(0);
        let call = Call::new(self, Method::POST, &["api", "claim"]).body(args);
        call.waiting(Duration::from_secs(wait)).run().await
    }

    /// Keeps a lease; keeping it twice keeps it.
    pub(crate) async fn extend_lease(
        &self,
        lease_id: &str,
        args: &extend_lease::PathArgs,
    ) -> Result<HubResponse<Value>, Error> {
        let path = ["api", "leases", lease_id, "extend"];
        Call::new(self, Method::POST, &path).body(args).repeat(Repeat::Always).run().await
    }

    /// Reports progress; output that may have arrived is not sent again.
    pub(crate) async fn report_progress(
        &self,
        id: &str,
        args: &report_progress::Args,
    ) -> Result<HubResponse<Value>, Error> {
        let repeat = if args.output.is_some() { Repeat::Unsent } else { Repeat::Always };
        Call::new(self, Method::POST, &["api", "tasks", id, "progress"]).body(args).repeat(repeat).run().await
    }

    pub(crate) async fn share_artifact(
        &self,
        id: &str,
        args: &share_artifact::PathArgs,
    ) -> Result<HubResponse<Value>, Error> {
        // Shared twice it would be there twice.
        let call = Call::new(self, Method::POST, &["api", "tasks", id, "artifacts"]).body(args);
        call.repeat(Repeat::Unsent).run().await
    }

    pub(crate) async fn sessions(&self, args: &statuses::QueryArgs) -> Result<HubResponse<Value>, Error> {
        self.get_pages(&["api", "status"], args, "sessions").await
    }

    pub(crate) async fn stats(&self, args: &stats::QueryArgs) -> Result<HubResponse<Stats>, Error> {
        self.get_json(&["api", "stats"], args).await
    }
}
