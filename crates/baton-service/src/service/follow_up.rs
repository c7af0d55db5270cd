//! The sender says something on a task that is open: the answer if its agent asked, else a message on the way.

use baton_core::{
    ArtifactRef, Caller, Command, IdempotencyKey, MessageId, MessageText, Refusal, Status, TaskAction,
    TaskId, limits,
};
use baton_store::rows::IdempotentSend;
use baton_store::{Snapshot, Transaction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::artifacts::{RefArgs, reference};
use super::network_ref::NetworkRef;
use super::push_configs::MayNotify;
use super::push_configs::receiver::{self, CheckedPush, Since};
use super::stamp::Stamp;
use super::task_command::{About, BodyRule, OnTask, TaskCommand, ToolAbout};
use super::{Error, idempotency, operation, permit};
use crate::hub::Hub;

/// The body of `POST /api/tasks/:id/answer`.
#[derive(Debug, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = AnswerToQuestion)]
pub struct Args {
    /// The answer, one of the options if there are any
    #[schemars(length(min = 1, max = limits::TEXT_MAX_BYTES))]
    pub text: String,
    /// Artifacts that come with it, uploaded with `PUT /api/artifacts`
    #[schemars(
        length(max = limits::ARTIFACT_REFS_MAX_COUNT),
        description = "Artifacts that come with it, uploaded with PUT /api/artifacts"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<RefArgs>>,
}

/// Where the task stands now.
#[derive(Debug, Serialize, ToSchema)]
pub struct Answered {
    ok: bool,
    task_id: TaskId,
    message_id: MessageId,
    status: Status,
}

/// A message, with everything that comes with it.
#[derive(Debug, Clone, Default)]
pub struct MessageContent {
    pub text: String,
    /// What it consists of beside its text, a JSON array.
    pub parts: Option<String>,
    /// What else came with it, a JSON object.
    pub meta: Option<String>,
    /// Artifacts that come with it.
    pub artifacts: Vec<ArtifactRef>,
    /// Makes saying it twice harmless.
    pub key: Option<IdempotencyKey>,
    /// Who is notified of the task's events from then on.
    pub push: Option<CheckedPush>,
}

impl MessageContent {
    fn plain(text: String, artifacts: Option<Vec<RefArgs>>) -> Result<Self, Error> {
        Ok(Self { text, artifacts: reference::read(artifacts)?, ..Self::default() })
    }

    fn digest(&self, task: &TaskId) -> Vec<u8> {
        // Those of a message with parts were made of them.
        let artifacts = reference::as_text(&self.artifacts).filter(|_| self.parts.is_none());
        let mut parts =
            vec![Some(task.as_str()), Some(&*self.text), self.parts.as_deref(), self.meta.as_deref()];
        // Only calls that have them: the digests of others are those that were remembered before there were any.
        parts.extend(artifacts.as_deref().map(Some));
        idempotency::digest(&parts)
    }
}

/// Answer a task's agent, or send it a message.
#[derive(Debug)]
pub struct AnswerTask;

impl TaskCommand for AnswerTask {
    const ABOUT: About = About {
        verb: "answer",
        operation_id: "answer_question",
        summary: "Answer the question of a task's agent, or send it a message",
        details: "Who sent it, members of its network.",
        done: "told",
        conflict: None,
        body: BodyRule::Strict,
        is_repeatable: false,
        tool: Some(ToolAbout {
            name: "answer_task",
            title: "Answer a question",
            description: "Answer an agent's question about a task you sent, or send it a message while it works.",
            is_destructive: false,
        }),
    };
    type Args = Args;
    type Response = Answered;

    async fn run(hub: &Hub, caller: &Caller, on: OnTask, args: Args) -> Result<Answered, Error> {
        send(hub, caller, on.place, &on.task, MessageContent::plain(args.text, args.artifacts)?).await
    }
}

/// Says it.
pub async fn send(
    hub: &Hub,
    caller: &Caller,
    place: NetworkRef,
    task: &str,
    said: MessageContent,
) -> Result<Answered, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let text = MessageText::parse("text", &said.text).map_err(Error::of_argument)?;
    let command = Command::FollowUp { text };
    let arguments = said.digest(&task);
    let stamp = Stamp {
        message_parts: said.parts,
        message_meta: said.meta,
        artifacts: said.artifacts,
        ..Stamp::new(hub)
    };
    let (speaker, key, push) = (caller.clone(), said.key, said.push);
    let watched = push.is_some().then(|| task.clone());
    let saying = move |tx: &mut dyn Transaction| {
        if let Some(key) = &key
            && let Some(answer) = said_before(tx, &stamp, &speaker, &task, key, &arguments)?
        {
            return Ok(answer);
        }
        let found = operation::find_for(tx.as_snapshot(), &stamp, &speaker, &place, Some(&task), &command)?;
        let may_notify = push.as_ref().map(|push| (MayNotify::as_sender(&found.permitted, &task), push));
        let done = operation::act_on(tx, &stamp, found, &command)?;
        if let Some((by, push)) = may_notify {
            receiver::attach(tx, &stamp, by, push, Since::Now)?;
        }
        let status = done.transition.to;
        if let Some(key) = &key {
            let send = IdempotentSend {
                arguments: arguments.clone(),
                task_id: task.clone(),
                session_status: status.as_str().to_owned(),
                created_at: tx.time().now,
            };
            tx.remember_send(&done.before.network_id, &speaker.principal()?, key.as_str(), &send)?;
        }
        Ok(Answered { ok: true, task_id: task.clone(), message_id: stamp.new_message_id.clone(), status })
    };
    match watched {
        None => hub.store_for(caller).write(saying).await,
        Some(task) => receiver::write(hub, caller, task, saying).await,
    }
}

/// Whether the caller may say something on a task, asked before files are stored or a receiver's name is looked up for it.
pub async fn check_may(hub: &Hub, caller: &Caller, task: &TaskId) -> Result<(), Error> {
    let (asker, task) = (caller.clone(), task.clone());
    let asked = move |rows: &dyn Snapshot| permit::on_task(rows, &asker, &task, TaskAction::Answer).map(drop);
    hub.store_for(caller).read(asked).await
}

/// The answer to a key that came before with the same words for the same task.
fn said_before(
    tx: &dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    task: &TaskId,
    key: &IdempotencyKey,
    arguments: &[u8],
) -> Result<Option<Answered>, Error> {
    let Some(now) = tx.task_snapshot(task)? else { return Ok(None) };
    let first = idempotency::first_use(tx, &now.network_id, &caller.principal()?, key, arguments)?;
    let message_id = stamp.new_message_id.clone();
    Ok(first.map(|_| Answered { ok: true, task_id: now.id, message_id, status: now.status }))
}
