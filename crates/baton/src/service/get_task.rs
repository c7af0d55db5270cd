//! Look at one task.

use baton_core::{Action, Caller, Refusal, TaskAction, TaskId, access, limits};
use baton_store::Snapshot;
use baton_store::rows::{PageBounds, TaskRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::role_in;
use super::task_view::{TaskMessageView, TaskView};
use super::{Error, audit};
use crate::hub::Hub;

/// Which task.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Args {
    task_id: String,
}

impl Args {
    /// The task in a path.
    pub(crate) fn of(task_id: String) -> Self {
        Self { task_id }
    }
}

/// The task.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaskShown)]
pub(crate) struct Answer {
    ok: bool,
    task: TaskView,
    /// The task that was made of it. Not in its row: a task that ended never changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    retried_to: Option<TaskId>,
    /// What was said on it, oldest first; the newest, if it is much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<TaskMessageView>,
    /// How many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_count: Option<i64>,
}

/// What the tool answers: a task that is not there is an answer, in words of its own.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ToolAnswer {
    Found(Box<Answer>),
    NotFound { ok: bool, error: &'static str },
}

/// What the tool says of a task that is not there.
pub(crate) const NOT_FOUND: &str = "task not found";

/// Looks at a task, for the tool.
pub(crate) async fn run_as_tool(hub: &Hub, caller: &Caller, args: Args) -> Result<ToolAnswer, Error> {
    match look(hub, caller, args, PageBounds::of_tool(limits::TASK_MESSAGES_SHOWN_COUNT).halved()).await {
        Ok(found) => Ok(ToolAnswer::Found(Box::new(found))),
        Err(Error::Refused(Refusal::TaskNotFound)) => {
            Ok(ToolAnswer::NotFound { ok: false, error: NOT_FOUND })
        }
        Err(error) => Err(error),
    }
}

/// Looks at a task; one out of sight is one that does not exist.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    look(hub, caller, args, PageBounds::rows(limits::TASK_MESSAGES_SHOWN_COUNT).halved()).await
}

async fn look(hub: &Hub, caller: &Caller, args: Args, shown: PageBounds) -> Result<Answer, Error> {
    let id = TaskId::parse(&args.task_id).ok_or(Refusal::TaskNotFound)?;
    let asker = caller.clone();
    let read = hub.store.read(move |rows| -> Result<_, Error> {
        let (task, is_audited) = visible(rows, &asker, &id)?;
        let messages = rows.newest_task_messages(&task.snapshot.network_id, &id, None, shown)?;
        Ok((task, messages, is_audited))
    });
    let (task, messages, is_audited) = read.await?;
    if is_audited {
        audit::network_read(hub, caller, task.snapshot.network_id.clone(), "task").await?;
    }
    // They are numbered from 1 without gaps.
    let message_count = messages.last().map(|newest| newest.n);
    let messages = messages.into_iter().map(TaskMessageView::from).collect();
    let retried_to = task.snapshot.retried_to.clone();
    Ok(Answer { ok: true, task: task.into(), retried_to, messages, message_count })
}

/// A task the caller may see, and whether that is to be written down.
pub(crate) fn visible(rows: &dyn Snapshot, caller: &Caller, id: &TaskId) -> Result<(TaskRow, bool), Error> {
    let task = rows.task(id)?.ok_or(Refusal::TaskNotFound)?;
    let network = &task.snapshot.network_id;
    if matches!(caller, Caller::Node(node) if node.network_id != *network) {
        return Err(Refusal::TaskNotFound.into());
    }
    let role = role_in(rows, caller, network)?;
    let action = Action::Task { action: TaskAction::Read, parties: Some(task.snapshot.parties()) };
    access::authorize(caller, network, role, action)?;
    let is_audited = access::is_audited(caller, role);
    Ok((task, is_audited))
}
