//! Look at one task, waiting for something new if asked to.

use baton_core::{Action, Caller, Refusal, TaskAction, TaskId, access, limits};
use baton_store::Snapshot;
use baton_store::rows::{PageBounds, TaskRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::artifacts::{self, Conversation};
use super::network_ref::{self, NetworkAccess};
use super::task_view::{TaskMessageView, TaskWithArtifacts, WholeTaskView};
use super::task_wait::{self, ProgressSink, TaskWait};
use super::{Error, audit, permit, task_record};
use crate::hub::Hub;
use crate::hub::in_flight::ResponseReservation;

/// Which task.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The task's id
    task_id: String,
    /// Wait so long for something new; 0 by default
    #[schemars(range(min = 0, max = limits::CALL_WAIT_MAX_SECONDS))]
    wait_seconds: Option<i64>,
    /// New is what comes after this event (event_count); by default the last it has now
    after: Option<i64>,
}

impl Args {
    /// One task, as it is now.
    pub const fn of(task_id: String) -> Self {
        Self { task_id, wait_seconds: None, after: None }
    }
}

/// How long `GET /api/tasks/:id` waits, and for what.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// Wait so long for an event after `after`; 0 by default. A task that has ended is answered at once
    #[param(value_type = Option<u32>)]
    pub wait_seconds: Option<String>,
    /// The number of an event within the task; by default of the last that it has now
    #[param(value_type = Option<u64>, minimum = 0)]
    pub after: Option<String>,
}

impl QueryArgs {
    fn of(self, task_id: String) -> Result<Args, Error> {
        let number = |field: &str, text: Option<String>| {
            let text = text.filter(|text| !text.is_empty());
            let read = text.map(|text| text.parse().map_err(|_| Error::argument(field, "must be a number")));
            read.transpose()
        };
        let wait_seconds = number("wait_seconds", self.wait_seconds)?;
        Ok(Args { task_id, wait_seconds, after: number("after", self.after)? })
    }
}

/// The task.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskShown {
    ok: bool,
    task: TaskWithArtifacts,
    /// The task that was made of it. Not in its row: a task that ended never changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    retried_to: Option<TaskId>,
    /// The messages on it, oldest first; only the newest if there are many.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<TaskMessageView>,
    /// How many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_count: Option<i64>,
    /// How many events the task has had, which is the number of the last: what `after` takes.
    event_count: i64,
}

/// What the tool answers: a task that is not there is an answer, in words of its own.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum TaskOrNotFound {
    Found(Box<TaskShown>),
    NotFound { ok: bool, error: &'static str },
}

/// What the tool says of a task that is not there.
pub const NOT_FOUND: &str = "task not found";

/// Looks at a task, for the tool.
pub async fn run_as_tool(
    hub: &Hub,
    caller: &Caller,
    args: Args,
    share: &ResponseReservation,
    progress: &ProgressSink,
) -> Result<TaskOrNotFound, Error> {
    let shown = PageBounds::of_tool(limits::TASK_MESSAGES_SHOWN_COUNT).halved();
    match wait_and_look(hub, caller, args, shown, share, progress).await {
        Ok(found) => Ok(TaskOrNotFound::Found(Box::new(found))),
        Err(Error::Refused(Refusal::TaskNotFound)) => {
            Ok(TaskOrNotFound::NotFound { ok: false, error: NOT_FOUND })
        }
        Err(error) => Err(error),
    }
}

/// Looks at the task in a path; one out of sight is one that does not exist.
pub async fn run_on_path(
    hub: &Hub,
    caller: &Caller,
    task_id: String,
    args: QueryArgs,
    share: &ResponseReservation,
) -> Result<TaskShown, Error> {
    let shown = PageBounds::rows(limits::TASK_MESSAGES_SHOWN_COUNT).halved();
    wait_and_look(hub, caller, args.of(task_id)?, shown, share, &ProgressSink::default()).await
}

/// Looks, after a wait if one is asked for. No memory is held for the answer meanwhile.
async fn wait_and_look(
    hub: &Hub,
    caller: &Caller,
    args: Args,
    shown: PageBounds,
    share: &ResponseReservation,
    progress: &ProgressSink,
) -> Result<TaskShown, Error> {
    let wait = task_wait::seconds(args.wait_seconds)?;
    if args.after.is_some_and(|after| after < 0) {
        return Err(Error::argument("after", "must be 0 or more"));
    }
    let id = TaskId::parse(&args.task_id).ok_or(Refusal::TaskNotFound)?;
    let wait = TaskWait::begin(hub, caller, wait)?;
    let has_waited = wait.is_some();
    if let Some(wait) = wait {
        wait.until_event(hub, caller, &id, args.after, progress).await?;
    }
    share.reserve(hub).await?;
    read_task(hub, caller, id, shown, has_waited).await
}

async fn read_task(
    hub: &Hub,
    caller: &Caller,
    id: TaskId,
    shown: PageBounds,
    has_waited: bool,
) -> Result<TaskShown, Error> {
    let asker = caller.clone();
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        if has_waited {
            permit::token_stands(rows, &asker)?;
        }
        let (task, is_audited) = visible(rows, &asker, &id)?;
        let messages = rows.newest_task_messages(&task.snapshot.network_id, &id, None, shown)?;
        let event_count = rows.last_event(&id)?.map_or(0, |event| event.n);
        let refs = artifacts::of_task(rows, &task)?;
        Ok((task, messages, refs, event_count, is_audited))
    });
    let (task, messages, refs, event_count, is_audited) = read.await?;
    if is_audited {
        audit::network_read(hub, caller, task.snapshot.network_id.clone(), "task").await?;
    }
    // They are numbered from 1 without gaps.
    let message_count = messages.last().map(|newest| newest.n);
    let Conversation { messages, artifacts } = Conversation::new(messages, refs);
    let retried_to = task.snapshot.retried_to.clone();
    let task = TaskWithArtifacts { row: task.into(), artifacts };
    Ok(TaskShown { ok: true, task, retried_to, messages, message_count, event_count })
}

/// A task with what belongs to it, for somebody who sent it and has waited; and whether it has ended.
pub(super) async fn whole(
    hub: &Hub,
    caller: &Caller,
    id: TaskId,
    shown: PageBounds,
) -> Result<(WholeTaskView, bool), Error> {
    let asker = caller.clone();
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        permit::token_stands(rows, &asker)?;
        let (task, is_audited) = visible(rows, &asker, &id)?;
        let messages = rows.newest_task_messages(&task.snapshot.network_id, &id, None, shown)?;
        let reported = task_record::artifacts(rows, &task)?;
        let refs = artifacts::of_task(rows, &task)?;
        Ok((task, messages, reported, refs, is_audited))
    });
    let (task, messages, mut reported, refs, is_audited) = read.await?;
    if is_audited {
        audit::network_read(hub, caller, task.snapshot.network_id.clone(), "task").await?;
    }
    let has_ended = task.snapshot.status.is_terminal();
    let Conversation { messages, artifacts } = Conversation::new(messages, refs);
    reported.extend(artifacts.iter().filter_map(|artifact| serde_json::to_value(artifact).ok()));
    Ok((WholeTaskView { row: task.into(), artifacts: reported, messages }, has_ended))
}

/// A task the caller may see, and whether that is to be recorded.
pub fn visible(rows: &dyn Snapshot, caller: &Caller, id: &TaskId) -> Result<(TaskRow, bool), Error> {
    let NetworkAccess { network, role } = network_ref::of_task(rows, caller, id)?;
    let task = rows.task(id)?.ok_or(Refusal::TaskNotFound)?;
    let action = Action::Task { action: TaskAction::Read, parties: Some(task.snapshot.parties()) };
    access::authorize(caller, &network, role, action)?;
    let is_audited = access::is_audited(caller, role);
    Ok((task, is_audited))
}
