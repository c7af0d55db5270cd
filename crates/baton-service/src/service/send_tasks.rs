//! Send several tasks in one call: each has its own outcome, and all that are accepted are in one commit.

use baton_core::{Caller, TraceParent, limits};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::Error;
use super::send_task::{self, Request, TaskSent};
use super::stamp::Stamp;
use crate::hub::Hub;

/// The tasks.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewTasks)]
pub struct Args {
    /// Bodies of `POST /api/task`, without `wait_seconds`
    #[schema(value_type = Vec<send_task::Args>)]
    pub tasks: Vec<Value>,
}

impl Args {
    /// Whether there are as many as one call takes.
    pub fn check(&self) -> Result<(), Error> {
        match (1..=limits::SEND_MAX_COUNT).contains(&self.tasks.len()) {
            true => Ok(()),
            false => Err(Error::argument("tasks", format!("must be 1 to {} tasks", limits::SEND_MAX_COUNT))),
        }
    }
}

/// What became of each task, in their order.
pub type Outcomes = Vec<Result<TaskSent, Error>>;

/// Sends them. What is refused is refused before it writes anything, so the others are not touched by it.
pub async fn run(
    hub: &Hub,
    caller: &Caller,
    args: Args,
    traceparent: Option<TraceParent>,
) -> Result<Outcomes, Error> {
    args.check()?;
    let read = |task: Value| {
        let (stamp, mut request) = (Stamp::new(hub), read(task, traceparent));
        if let Ok(request) = &mut request {
            request.digest(&stamp);
        }
        (stamp, request)
    };
    let requests: Vec<_> = args.tasks.into_iter().map(read).collect();
    let sender = caller.clone();
    let sending = hub.store_for(caller).write(move |tx| {
        let outcomes = requests.iter().map(|(stamp, request)| match request {
            Ok(request) => match send_task::send(tx, stamp, &sender, request) {
                // The store could not: then nothing of the call stays.
                Err(Error::Store(error)) => Err(Error::Store(error)),
                outcome => Ok(outcome.map(|sent| sent.answer)),
            },
            Err(error) => Ok(Err(error.clone())),
        });
        outcomes.collect::<Result<Outcomes, Error>>()
    });
    sending.await
}

fn read(task: Value, traceparent: Option<TraceParent>) -> Result<Request, Error> {
    let args: send_task::Args = serde_path_to_error::deserialize(task).map_err(Error::of_schema)?;
    if args.wait_seconds.is_some_and(|wait| wait != 0) {
        return Err(Error::argument("wait_seconds", "must be 0 or absent where several tasks are sent"));
    }
    Request::read(args, traceparent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::TestHub;
    use baton_core::SystemRole;
    use serde_json::json;

    #[tokio::test]
    async fn what_is_accepted_of_a_hundred_tasks_is_exactly_one_commit() {
        let test = TestHub::start();
        let sender = test.person("alice", SystemRole::User, &[1]).await;
        test.agent("alice", 1, "worker").await;
        let hub = &test.hub;
        let sender = hub.identify(&sender).await.unwrap().caller.clone();
        let task = |n: usize| match n % 10 {
            // Refused, one when it is read and one when it is written.
            3 => json!({"alias": "worker", "task": ""}),
            7 => json!({"alias": "nobody", "task": "work"}),
            _ => json!({"alias": "worker", "task": format!("task {n}")}),
        };
        let tasks: Vec<_> = (0..limits::SEND_MAX_COUNT).map(task).collect();
        let meter = hub.store.meter();
        let before = (meter.commits().count, meter.tasks(baton_core::Status::Delivered));
        let outcomes = run(hub, &sender, Args { tasks }, None).await.unwrap();
        assert_eq!((outcomes.len(), outcomes.iter().flatten().count()), (100, 80));
        // Nothing else of a hub writes in this test. This store runs every write twice: one commit has what was undone, which
        // is nothing, and one has everything.
        let after = (meter.commits().count, meter.tasks(baton_core::Status::Delivered));
        assert_eq!((after.0 - before.0, after.1 - before.1), (2, 80));
    }
}
