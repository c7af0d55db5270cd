//! How a task stands, for a door whose sender was given a handle and looks now and then: who works on it, what its agent asks,
//! how it ended, and the answer that a call which waited for the end would have had. The handle is the task's id: nothing is
//! kept for it, so nothing of it is lost when a hub is killed.

use baton_core::{
    Alias, Caller, Command, MessageId, MessageText, Principal, Refusal, Status, TaskId, TaskSnapshot,
    UnixMillis, limits,
};
use baton_store::rows::{EventRow, ProgressRow, TaskRow};
use baton_store::{Snapshot, Transaction};

use super::listed_text::ListedText;
use super::send_task::TaskSent;
use super::stamp::Stamp;
use super::task_command::OnTask;
use super::{Error, audit, get_task, operation, permit, presence, question};
use crate::hub::Hub;
use crate::hub::in_flight::ResponseReservation;

/// A task as its handle shows it.
#[derive(Debug)]
pub struct TaskState {
    pub id: TaskId,
    pub to: Alias,
    pub created_at: UnixMillis,
    /// When something was last recorded of it.
    pub updated_at: UnixMillis,
    /// From when on the hub may remove it; none while it is open, or if ended tasks are kept.
    pub kept_until: Option<UnixMillis>,
    pub stage: Stage,
}

/// How far it has come.
#[derive(Debug)]
pub enum Stage {
    /// In the agent's inbox, or being worked on.
    Open {
        status: Status,
        progress: Option<ProgressRow>,
    },
    /// Its agent waits for an answer of its sender.
    Asking(OpenQuestion),
    Ended(Box<TaskEnd>),
}

/// What an agent asked and nobody has answered.
#[derive(Debug)]
pub struct OpenQuestion {
    /// Unique within the task, and beyond it.
    pub id: MessageId,
    pub text: String,
    /// The answers it takes; any, if there are none.
    pub options: Vec<String>,
    /// Whether it asks its sender to authenticate.
    pub auth_required: bool,
}

/// How a task ended.
#[derive(Debug)]
pub struct TaskEnd {
    pub status: Status,
    /// Whether the hub ended it: nobody took it in time, or its runs broke off.
    pub by_hub: bool,
    /// The beginning of its result.
    pub result: Option<String>,
    /// What a call that waited for its end is answered.
    pub answer: TaskSent,
}

/// Reads how a task stands. One out of sight is one that does not exist.
pub async fn read(
    hub: &Hub,
    caller: &Caller,
    task_id: &str,
    share: &ResponseReservation,
) -> Result<TaskState, Error> {
    let id = TaskId::parse(task_id).ok_or(Refusal::TaskNotFound)?;
    share.reserve(hub).await?;
    let (asker, stamp) = (caller.clone(), Stamp::new(hub));
    let seen = hub.store_for(caller).read(move |rows| look(rows, &asker, &stamp, &id)).await?;
    if seen.is_audited {
        audit::network_read(hub, caller, seen.row.snapshot.network_id.clone(), "task").await?;
    }
    let Seen { row, last, stage, .. } = seen;
    let (id, to, created_at) = (row.snapshot.id, row.snapshot.to, row.created_at);
    let reported_at = row.progress.as_ref().map(|progress| progress.at);
    let happened_at = last.map_or(created_at, |event| event.created_at);
    let stage = match stage {
        SeenStage::Open => Stage::Open { status: row.snapshot.status, progress: row.progress },
        SeenStage::Asking(question) => Stage::Asking(question),
        SeenStage::Ended { by_hub, session_status } => {
            // It never changes again, so a second look sees the same.
            let (whole, _) = get_task::whole(hub, caller, id.clone(), share.messages_shown()).await?;
            let result = row.result.map(|text| ListedText::new(text, limits::LISTED_RESULT_MAX_CHARS).text);
            let answer = TaskSent::of_ended(whole, id.clone(), session_status);
            Stage::Ended(Box::new(TaskEnd { status: row.snapshot.status, by_hub, result, answer }))
        }
    };
    let kept_until = row.completed_at.zip(hub.settings.keep_tasks).map(|(ended, keep)| {
        let keep = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        UnixMillis::new(ended.get().saturating_add(keep))
    });
    let updated_at = reported_at.map_or(happened_at, |at| at.max(happened_at));
    Ok(TaskState { id, to, created_at, updated_at, kept_until, stage })
}

/// What one look at the rows finds.
struct Seen {
    row: TaskRow,
    last: Option<EventRow>,
    stage: SeenStage,
    is_audited: bool,
}

enum SeenStage {
    Open,
    Asking(OpenQuestion),
    Ended { by_hub: bool, session_status: String },
}

fn look(rows: &dyn Snapshot, caller: &Caller, stamp: &Stamp, id: &TaskId) -> Result<Seen, Error> {
    permit::token_stands(rows, caller)?;
    let (row, is_audited) = get_task::visible(rows, caller, id)?;
    let last = rows.last_event(id)?;
    let (task, now) = (&row.snapshot, stamp.time.now);
    let asked = match task.status {
        Status::WaitingInput => rows.newest_question(&task.network_id, id, None)?,
        _ => None,
    };
    let stage = match asked {
        Some(asked) => SeenStage::Asking(OpenQuestion {
            id: asked.message_id,
            text: asked.content,
            options: asked.options.map(|options| question::list(&options)).transpose()?.unwrap_or_default(),
            auth_required: asked.auth_required,
        }),
        None if task.status.is_terminal() => SeenStage::Ended {
            by_hub: last.as_ref().is_some_and(|event| event.actor == Principal::Hub),
            session_status: presence::session_status(rows, now, stamp, &task.network_id, &task.to)?,
        },
        None => SeenStage::Open,
    };
    // Looked at again with all that belongs to it, and audited there.
    let is_audited = is_audited && !matches!(stage, SeenStage::Ended { .. });
    Ok(Seen { row, last, stage, is_audited })
}

/// Answers a question of a task's agent. Answers false, and changes nothing, if it is not the one the task waits on: it was
/// answered meanwhile, or there never was one.
pub async fn answer(
    hub: &Hub,
    caller: &Caller,
    task_id: &str,
    question: &str,
    text: &str,
) -> Result<bool, Error> {
    let on = OnTask::of_path(task_id);
    let (id, question) = (on.task_id()?, question.to_owned());
    let command = Command::FollowUp { text: MessageText::parse("answer", text).map_err(Error::of_argument)? };
    let (stamp, answerer) = (Stamp::new(hub), caller.clone());
    let answering = move |tx: &mut dyn Transaction| -> Result<bool, Error> {
        let found = operation::find_for(tx.as_snapshot(), &stamp, &answerer, &on.place, Some(&id), &command)?;
        if !waits_on(tx.as_snapshot(), &found.task, &question)? {
            return Ok(false);
        }
        operation::act_on(tx, &stamp, found, &command)?;
        Ok(true)
    };
    hub.store_for(caller).write(answering).await
}

/// Whether a task waits on this very question.
fn waits_on(rows: &dyn Snapshot, task: &TaskSnapshot, question: &str) -> Result<bool, Error> {
    if task.status != Status::WaitingInput {
        return Ok(false);
    }
    let asked = rows.newest_question(&task.network_id, &task.id, None)?;
    Ok(asked.is_some_and(|asked| asked.message_id.as_str() == question))
}
