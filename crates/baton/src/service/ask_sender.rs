//! A question to the task's sender: the task waits for the answer. The lease ends, unless its worker keeps it to wait for
//! the answer itself.

use baton_core::{
    AskedUnder, Caller, Command, InputTtlSeconds, MessageId, MessageText, Question, QuestionOptions,
    QuestionTerms, Refusal, Status, TaskId, limits,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::artifacts::{RefArgs, reference};
use super::place::Place;
use super::stamp::Stamp;
use super::{Error, operation, send_reply};
use crate::hub::Hub;

/// Which task, and what is asked.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Args {
    task_id: String,
    #[schemars(length(min = 1, max = limits::TEXT_MAX_BYTES))]
    question: String,
    /// The lease you hold; it ends with the question unless keep_lease is true
    lease_id: Option<String>,
    /// Keep the lease and wait for the answer under it; extend it meanwhile. Takes lease_id
    keep_lease: Option<bool>,
    /// The answers to choose from, at most 10 of 80 characters; any answer without them
    #[schemars(length(max = limits::OPTIONS_MAX_COUNT))]
    options: Option<Vec<String>>,
    /// How long the question waits, 7 days by default
    #[schemars(range(min = 1, max = limits::INPUT_TTL_MAX_SECONDS))]
    input_ttl_seconds: Option<i64>,
    /// Artifacts that come with it, uploaded with PUT /api/artifacts
    #[schemars(length(max = limits::ARTIFACT_REFS_MAX_COUNT))]
    artifacts: Option<Vec<RefArgs>>,
    /// The sender has to authenticate somewhere before you can go on; say in the question where and how
    auth_required: Option<bool>,
    network_id: Option<String>,
}

/// The body of `POST /api/tasks/:id/ask`.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = Question)]
pub(crate) struct PathArgs {
    pub(crate) question: String,
    /// The lease you hold; it ends with the question unless `keep_lease` is true
    pub(crate) lease_id: Option<String>,
    /// Keep the lease and wait for the answer under it, extending it meanwhile; takes `lease_id`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) keep_lease: Option<bool>,
    /// The answers to choose from, each of 1 to 80 characters; without them any answer is accepted
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) options: Option<Vec<String>>,
    /// How long the question waits for its answer; 604800, which is 7 days, by default
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input_ttl_seconds: Option<i64>,
    /// Artifacts that come with it, uploaded with `PUT /api/artifacts`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artifacts: Option<Vec<RefArgs>>,
    /// The sender has to authenticate somewhere before the work can go on; the question says where and how
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) auth_required: Option<bool>,
}

/// It waits.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Asked)]
pub(crate) struct Answer {
    ok: bool,
    task_id: TaskId,
    message_id: MessageId,
    status: Status,
}

/// Asks, by the tool's arguments.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let place = Place::of_task_call(args.network_id.as_deref());
    let Args { question, lease_id, keep_lease, options, input_ttl_seconds, artifacts, auth_required, .. } =
        args;
    let asked =
        PathArgs { question, lease_id, keep_lease, options, input_ttl_seconds, artifacts, auth_required };
    ask(hub, caller, place, &args.task_id, asked).await
}

/// Asks about the task in the path.
pub(crate) async fn run_on_path(
    hub: &Hub,
    caller: &Caller,
    task: &str,
    args: PathArgs,
) -> Result<Answer, Error> {
    ask(hub, caller, Place::TheTasks, task, args).await
}

async fn ask(
    hub: &Hub,
    caller: &Caller,
    place: Place,
    task: &str,
    mut args: PathArgs,
) -> Result<Answer, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let artifacts = reference::read(args.artifacts.take())?;
    let command = command(args)?;
    let stamp = Stamp { artifacts, ..Stamp::new(hub) };
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let done = operation::act(tx, &stamp, &caller, &place, Some(&task), &command)?;
            let message_id = stamp.new_message_id.clone();
            Ok(Answer { ok: true, task_id: task.clone(), message_id, status: done.transition.to })
        })
        .await
}

/// The arguments, checked.
fn command(args: PathArgs) -> Result<Command, Error> {
    let under = match (send_reply::lease(args.lease_id.as_deref())?, args.keep_lease.unwrap_or(false)) {
        (None, true) => return Err(Error::argument("lease_id", "must be given with keep_lease")),
        (None, false) => AskedUnder::NoLease,
        (Some(lease_id), false) => AskedUnder::Ending(lease_id),
        (Some(lease_id), true) => AskedUnder::Kept(lease_id),
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
