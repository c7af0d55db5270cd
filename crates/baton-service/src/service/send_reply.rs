//! Reply: end a task with an answer, or just say something back.

use baton_core::{
    Action, Caller, Command, Ending, LeaseId, MessageId, Refusal, ReplyText, Status, TaskId, limits,
};
use baton_store::Transaction;
use baton_store::rows::DeliveryKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

use super::artifacts::{ArtifactView, RefArgs, reference};
use super::claim_task::{self, Claim};
use super::network_ref::NetworkRef;
use super::stamp::Stamp;
use super::task_command::{About, BodyRule, OnTask, TaskCommand};
use super::{Error, operation, send_message};
use crate::hub::Hub;

/// What is replied.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// Whom to reply to; ignored with in_reply_to
    alias: Option<String>,
    /// The result
    #[schemars(length(max = limits::TEXT_MAX_BYTES))]
    text: String,
    /// The task this ends
    in_reply_to: Option<String>,
    /// How it ended; replied by default
    status: Option<EndingName>,
    /// The lease you hold; a stale one is lease_lost
    lease_id: Option<String>,
    /// Answer with a message of its own instead of a result; A2A senders see the difference
    bare: Option<bool>,
    /// What the task brought, uploaded with PUT /api/artifacts; with them text may be empty. Takes in_reply_to
    #[schemars(length(max = limits::ARTIFACT_REFS_MAX_COUNT))]
    artifacts: Option<Vec<RefArgs>>,
    /// With status failed: you decline the task
    rejected: Option<bool>,
    /// Claim your next task as well; the answer has it as next, null if there was none. Takes in_reply_to
    claim_next: Option<claim_task::NextArgs>,
    /// The network; a node token has only its own
    network_id: Option<String>,
}

/// The three ends an agent can give.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = Ending)]
#[serde(rename_all = "snake_case")]
pub enum EndingName {
    #[default]
    Replied,
    Failed,
    Cancelled,
}

/// The body of `POST /api/tasks/:id/reply`.
#[derive(Debug, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = Reply)]
pub struct PathArgs {
    /// At least one character, unless artifacts come with a reply that succeeded
    pub text: String,
    pub status: Option<EndingName>,
    pub lease_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bare: Option<bool>,
    /// What the task brought, uploaded with `PUT /api/artifacts`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<RefArgs>>,
    /// With status `failed`: the agent declines the task
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<bool>,
    /// Takes the next task as well; the reply counts whatever that finds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_next: Option<claim_task::NextArgs>,
}

impl PathArgs {
    /// The end of a task that is worked on under a lease.
    pub fn ending(ending: Ending, text: String, lease_id: String) -> Self {
        let status = match ending {
            Ending::Replied => EndingName::Replied,
            Ending::Failed | Ending::Rejected => EndingName::Failed,
            Ending::Cancelled => EndingName::Cancelled,
        };
        Self {
            text,
            status: Some(status),
            lease_id: Some(lease_id),
            bare: None,
            artifacts: None,
            rejected: (ending == Ending::Rejected).then_some(true),
            claim_next: None,
        }
    }

    /// How the task ends; a rejection is a failure.
    fn end(&self) -> Result<Ending, Error> {
        match (self.status.unwrap_or_default(), self.rejected.unwrap_or_default()) {
            (EndingName::Failed, true) => Ok(Ending::Rejected),
            (_, true) => Err(Error::argument("rejected", "goes with status failed only")),
            (EndingName::Replied, false) => Ok(Ending::Replied),
            (EndingName::Failed, false) => Ok(Ending::Failed),
            (EndingName::Cancelled, false) => Ok(Ending::Cancelled),
        }
    }
}

/// What became of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Replied {
    ok: bool,
    message_id: MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_status: Option<String>,
    /// What the reply refers to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactView>,
    /// With `claim_next`: what `POST /api/claim` would have answered, or null if there was no task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<claim_task::Claimed>)]
    next: Option<Option<Box<claim_task::Claimed>>>,
}

/// Replies, by the tool's arguments.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Replied, Error> {
    let place = NetworkRef::of_task_call(args.network_id.as_deref());
    match args.in_reply_to.as_deref() {
        Some(task) => {
            let task = TaskId::parse(task);
            let said = PathArgs {
                text: args.text,
                status: args.status,
                lease_id: args.lease_id,
                bare: args.bare,
                artifacts: args.artifacts,
                rejected: args.rejected,
                claim_next: args.claim_next,
            };
            end(hub, caller, place, task, said).await
        }
        None => send_message(hub, caller, place, args).await,
    }
}

/// End a task with a reply. The tool replies to other things too, so it has arguments of its own.
#[derive(Debug)]
pub struct ReplyToTask;

impl TaskCommand for ReplyToTask {
    const ABOUT: About = About {
        verb: "reply",
        operation_id: "reply_to_task",
        summary: "Reply to a task, which ends it, and optionally claim the next one",
        details: "The agent it was given to, members of its network; `claim_next` takes a node token. The reply is committed even if the\nclaim finds no task.",
        done: "ended",
        conflict: None,
        body: BodyRule::Strict,
        is_repeatable: false,
        tool: None,
    };
    type Args = PathArgs;
    type Response = Replied;

    async fn run(hub: &Hub, caller: &Caller, on: OnTask, args: PathArgs) -> Result<Replied, Error> {
        let task = Some(on.task_id()?);
        let done = end(hub, caller, on.place, task, args).await;
        // The path names the task, so the path's word for a missing one.
        done.map_err(|error| match error {
            Error::Refused(Refusal::ReplyTaskNotFound) => Refusal::TaskNotFound.into(),
            error => error,
        })
    }
}

async fn end(
    hub: &Hub,
    caller: &Caller,
    place: NetworkRef,
    task: Option<TaskId>,
    said: PathArgs,
) -> Result<Replied, Error> {
    let ending = said.end()?;
    let answers_bare = said.bare.unwrap_or_default();
    if answers_bare && ending != Ending::Replied {
        return Err(Error::argument("bare", "goes with status replied only"));
    }
    let artifacts = reference::read(said.artifacts)?;
    let text = reply_text(&said.text, !artifacts.is_empty() && ending == Ending::Replied)?;
    let lease_id = lease(said.lease_id.as_deref())?;
    let command = Command::Reply { ending, text, lease_id };
    let next = said.claim_next.map(|args| Claim::next(hub, caller, args)).transpose()?;
    let stamp = Stamp { answers_bare, artifacts, ..Stamp::new(hub) };
    let reply = TaskReply { stamp, replier: caller.clone(), place, task, command };
    let claim = next.as_ref().map(|(claim, _)| claim.clone());
    let (mut answer, mut held) = match write_reply(hub, caller, reply.clone(), claim.clone()).await {
        // Whatever the claim met, the reply does not depend on it. One that may be written is not written again.
        Err(Error::Store(error)) if claim.is_some() && !matches!(error, baton_store::Error::Unknown(_)) => {
            tracing::warn!(%error, "a reply is written without the claim that came with it");
            write_reply(hub, caller, reply, None).await?
        }
        written => written?,
    };
    if let Some((claim, wait)) = next {
        if held.is_none() && wait.get() > 0 {
            held = claim.take_or_wait(hub, wait).await.unwrap_or_else(|error| {
                tracing::debug!(%error, "a claim that came with a reply was refused");
                None
            });
        }
        answer.next = Some(held.map(|held| Box::new(claim_task::Claimed::of(Some(held)))));
    }
    Ok(answer)
}

/// A reply to a task, checked.
#[derive(Clone)]
struct TaskReply {
    stamp: Stamp,
    replier: Caller,
    place: NetworkRef,
    task: Option<TaskId>,
    command: Command,
}

impl TaskReply {
    fn write(&self, tx: &mut dyn Transaction) -> Result<Replied, Error> {
        let Self { stamp, replier, place, task, command } = self;
        let done = operation::act(tx, stamp, replier, place, task.as_ref(), command)?;
        Ok(Replied {
            ok: true,
            message_id: stamp.new_message_id.clone(),
            task_id: Some(done.before.id),
            status: Some(done.transition.to),
            session_status: None,
            artifacts: done.artifacts.into_iter().map(ArtifactView::from).collect(),
            next: None,
        })
    }
}

/// Writes a reply and takes the next task in the same transaction, if one is asked for and ready.
async fn write_reply(
    hub: &Hub,
    caller: &Caller,
    reply: TaskReply,
    claim: Option<Claim>,
) -> Result<(Replied, Option<Vec<claim_task::ClaimedTask>>), Error> {
    // Gone once nobody waits for the answer: a task is not given to a caller who has left.
    let here = Arc::new(());
    let caller_is_here = Arc::downgrade(&here);
    let replying = hub.store_for(caller).write(move |tx| -> Result<_, Error> {
        let answer = reply.write(tx)?;
        let claim = claim.as_ref().filter(|_| caller_is_here.strong_count() > 0);
        // Who may not claim has replied anyway; a claim that is refused has written nothing.
        let held = match claim.map(|claim| claim.take(tx)).transpose() {
            Err(Error::Store(error)) => return Err(error.into()),
            held => held.ok().flatten().flatten(),
        };
        Ok((answer, held))
    });
    let written = replying.await;
    drop(here);
    written
}

/// What is replied; nothing only where that is allowed.
fn reply_text(text: &str, may_be_empty: bool) -> Result<ReplyText, Error> {
    if text.is_empty() && !may_be_empty {
        return Err(Error::argument("text", "must not be empty"));
    }
    ReplyText::parse("text", text).map_err(Error::of_argument)
}

/// A lease that cannot be read is one that was never given.
pub fn lease(lease_id: Option<&str>) -> Result<Option<LeaseId>, Error> {
    lease_id.map(|text| LeaseId::parse(text).ok_or(Refusal::LeaseLost.into())).transpose()
}

/// A plain reply, to nobody's task.
async fn send_message(hub: &Hub, caller: &Caller, place: NetworkRef, args: Args) -> Result<Replied, Error> {
    let text = reply_text(&args.text, false)?;
    if args.artifacts.is_some_and(|artifacts| !artifacts.is_empty()) {
        return Err(Error::argument("artifacts", "go with in_reply_to only"));
    }
    if args.claim_next.is_some() {
        return Err(Error::argument("claim_next", "goes with in_reply_to only"));
    }
    let Some(alias) = args.alias else {
        return Err(Error::argument("alias", "is needed without in_reply_to"));
    };
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let network = place.permit(tx.as_snapshot(), &caller, Action::Send)?.into_network();
            let sent = send_message::deliver(
                tx,
                &stamp,
                &caller,
                &network,
                &alias,
                DeliveryKind::Reply,
                text.as_str(),
            )?;
            let (message_id, session_status) = sent.into_parts();
            Ok(Replied {
                ok: true,
                message_id,
                task_id: None,
                status: None,
                session_status: Some(session_status),
                artifacts: Vec::new(),
                next: None,
            })
        })
        .await
}
