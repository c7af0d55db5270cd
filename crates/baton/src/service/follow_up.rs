//! The sender says something on a task that is open: the answer if its agent asked, else a message on the way.

use baton_core::{Caller, Command, MessageId, MessageText, Refusal, Status, TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::Place;
use super::stamp::Stamp;
use super::{Error, operation};
use crate::hub::Hub;

/// Which task, and what is said.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Args {
    task_id: String,
    #[schemars(length(min = 1, max = 10000))]
    text: String,
    network_id: Option<String>,
}

/// The body of `POST /api/tasks/:id/answer`.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct PathArgs {
    pub(crate) text: String,
}

/// Where the task stands now.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    ok: bool,
    task_id: TaskId,
    message_id: MessageId,
    status: Status,
}

/// Says it, by the tool's arguments.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let place = Place::of_task_call(args.network_id.as_deref());
    say(hub, caller, place, &args.task_id, &args.text, None).await
}

/// Says it on the task in the path.
pub(crate) async fn run_on_path(
    hub: &Hub,
    caller: &Caller,
    task: &str,
    args: PathArgs,
) -> Result<Answer, Error> {
    say(hub, caller, Place::TheTasks, task, &args.text, None).await
}

/// The same with parts beside the text, a JSON array.
pub(crate) async fn say(
    hub: &Hub,
    caller: &Caller,
    place: Place,
    task: &str,
    text: &str,
    parts: Option<String>,
) -> Result<Answer, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let text = MessageText::parse("text", text).map_err(Error::of_argument)?;
    let command = Command::FollowUp { text };
    let stamp = Stamp { message_parts: parts, ..Stamp::new(hub) };
    let caller = caller.clone();
    hub.store
        .write(move |tx| {
            let done = operation::act(tx, &stamp, &caller, &place, Some(&task), &command)?;
            let message_id = stamp.new_message_id.clone();
            Ok(Answer { ok: true, task_id: task, message_id, status: done.transition.to })
        })
        .await
}
