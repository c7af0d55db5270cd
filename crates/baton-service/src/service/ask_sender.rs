//! A question to the task's sender: the task waits for the answer. The lease ends, unless its worker keeps it to wait for
//! the answer itself.

use baton_core::{
    Caller, Command, InputTtlSeconds, MessageId, MessageText, Question, QuestionLease, QuestionOptions,
    QuestionTerms, Status, TaskId, limits,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::artifacts::{RefArgs, reference};
use super::stamp::Stamp;
use super::task_command::{About, BodyRule, OnTask, TaskCommand, ToolAbout};
use super::{Error, operation, send_reply};
use crate::hub::Hub;

/// The body of `POST /api/tasks/:id/ask`.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = Question)]
pub struct Args {
    /// What you need to know
    #[schemars(length(min = 1, max = limits::TEXT_MAX_BYTES))]
    pub question: String,
    /// The lease you hold; it ends with the question unless `keep_lease` is true
    #[schemars(description = "The lease you hold; it ends with the question unless keep_lease is true")]
    pub lease_id: Option<String>,
    /// Keep the lease and wait for the answer under it, extending it meanwhile; takes `lease_id`
    #[schemars(
        description = "Keep the lease and wait for the answer under it; extend it meanwhile. Takes lease_id"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_lease: Option<bool>,
    /// The answers to choose from, each of 1 to 80 characters; without them any answer is accepted
    #[schemars(
        length(max = limits::OPTIONS_MAX_COUNT),
        description = "The answers to choose from: at most 10, each at most 80 characters. Without them any answer is accepted"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// How long the question waits for its answer; 604800, which is 7 days, by default
    #[schemars(
        range(min = 1, max = limits::INPUT_TTL_MAX_SECONDS),
        description = "How long the question waits, 7 days by default"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_ttl_seconds: Option<i64>,
    /// Artifacts that come with it, uploaded with `PUT /api/artifacts`
    #[schemars(
        length(max = limits::ARTIFACT_REFS_MAX_COUNT),
        description = "Artifacts that come with it, uploaded with PUT /api/artifacts"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<RefArgs>>,
    /// The sender has to authenticate somewhere before the work can continue; the question says where and how
    #[schemars(
        description = "The sender must authenticate somewhere before you can continue; explain where and how in the question"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_required: Option<bool>,
}

/// It waits.
#[derive(Debug, Serialize, ToSchema)]
pub struct Asked {
    ok: bool,
    task_id: TaskId,
    message_id: MessageId,
    status: Status,
}

/// Ask a task's sender.
#[derive(Debug)]
pub struct AskSender;

impl TaskCommand for AskSender {
    const ABOUT: About = About {
        verb: "ask",
        operation_id: "ask_sender",
        summary: "Ask the sender of a task; the task then waits for the answer",
        details: "The agent that works on it.",
        done: "asked",
        conflict: None,
        body: BodyRule::Strict,
        is_repeatable: false,
        tool: Some(ToolAbout {
            name: "ask_sender",
            title: "Ask the sender",
            description: "Ask the sender of a task you work on. The task waits for the answer and is then delivered to you again. Your lease ends, unless keep_lease is true: then extend it and read the answer from messages with get_task (wait_seconds).",
            is_destructive: false,
        }),
    };
    type Args = Args;
    type Response = Asked;

    async fn run(hub: &Hub, caller: &Caller, on: OnTask, mut args: Args) -> Result<Asked, Error> {
        let task = on.task_id()?;
        let artifacts = reference::read(args.artifacts.take())?;
        let command = command(args)?;
        let stamp = Stamp { artifacts, ..Stamp::new(hub) };
        let caller = caller.clone();
        hub.store_for(&caller)
            .write(move |tx| {
                let done = operation::act(tx, &stamp, &caller, &on.place, Some(&task), &command)?;
                let message_id = stamp.new_message_id.clone();
                Ok(Asked { ok: true, task_id: task.clone(), message_id, status: done.transition.to })
            })
            .await
    }
}

/// The arguments, checked.
fn command(args: Args) -> Result<Command, Error> {
    let under = match (send_reply::lease(args.lease_id.as_deref())?, args.keep_lease.unwrap_or(false)) {
        (None, true) => return Err(Error::argument("lease_id", "must be given with keep_lease")),
        (None, false) => QuestionLease::NoLease,
        (Some(lease_id), false) => QuestionLease::Ending(lease_id),
        (Some(lease_id), true) => QuestionLease::Kept(lease_id),
    };
    let input_ttl = args.input_ttl_seconds.map(|ttl| InputTtlSeconds::parse("input_ttl_seconds", ttl));
    let terms = QuestionTerms {
        options: QuestionOptions::parse(args.options.unwrap_or_default()).map_err(Error::of_argument)?,
        input_ttl: input_ttl.transpose().map_err(Error::of_argument)?.unwrap_or_default(),
        auth_required: args.auth_required.unwrap_or(false),
    };
    let text = MessageText::parse("question", &args.question).map_err(Error::of_argument)?;
    Ok(Command::AskSender { question: Question { text, terms }, under })
}
