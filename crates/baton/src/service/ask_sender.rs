//! A question to the task's sender: the task waits for the answer, and the lease ends.

use baton_core::{Caller, Command, MessageId, MessageText, Refusal, Status, TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::Place;
use super::stamp::Stamp;
use super::{Error, operation, send_reply};
use crate::hub::Hub;

/// Which task, and what is asked.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Args {
    task_id: String,
    #[schemars(length(min = 1, max = 1048576))]
    question: String,
    /// The lease you hold; it ends with the question
    lease_id: Option<String>,
    network_id: Option<String>,
}

/// The body of `POST /api/tasks/:id/ask`.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Question)]
pub(crate) struct PathArgs {
    #[schema(min_length = 1, max_length = 1048576)]
    pub(crate) question: String,
    pub(crate) lease_id: Option<String>,
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
    ask(hub, caller, place, &args.task_id, &args.question, args.lease_id.as_deref()).await
}

/// Asks about the task in the path.
pub(crate) async fn run_on_path(
    hub: &Hub,
    caller: &Caller,
    task: &str,
    args: PathArgs,
) -> Result<Answer, Error> {
    ask(hub, caller, Place::TheTasks, task, &args.question, args.lease_id.as_deref()).await
}

async fn ask(
    hub: &Hub,
    caller: &Caller,
    place: Place,
    task: &str,
    question: &str,
    lease_id: Option<&str>,
) -> Result<Answer, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let question = MessageText::parse("question", question).map_err(Error::of_argument)?;
    let command = Command::AskSender { question, lease_id: send_reply::lease(lease_id)? };
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let done = operation::act(tx, &stamp, &caller, &place, Some(&task), &command)?;
            let message_id = stamp.new_message_id.clone();
            Ok(Answer { ok: true, task_id: task.clone(), message_id, status: done.transition.to })
        })
        .await
}
