//! Call a task off, and with `cascade` all that is open below it. Who may cancel a task may cancel what was made as a part of
//! it: its sender named the task as its parent.

use baton_core::{Caller, Command, Reason, Refusal, TaskId, TaskSnapshot, limits};
use baton_store::Transaction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::actor::Actor;
use super::operation::Found;
use super::stamp::Stamp;
use super::task_command::{About, AnsweredConflict, BodyRule, OnTask, TaskCommand, ToolAbout};
use super::{Error, operation, task_tree};
use crate::hub::Hub;

/// The body of `POST /api/tasks/:id/cancel`.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = Cancel)]
pub struct Args {
    /// Why; it becomes the task's result
    #[schemars(length(max = limits::REASON_MAX_CHARS))]
    pub reason: Option<String>,
    /// Cancel all open descendants too, in the same transaction. A task that has ended may have open ones
    #[schemars(description = "Also cancel all open tasks below it")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cascade: Option<bool>,
}

/// Whether it was cancelled. A task that has ended, or is not there, is answered and not an error.
#[derive(Debug, Serialize, ToSchema)]
pub struct Cancelled {
    ok: bool,
    task_id: String,
    /// Whether the task itself was cancelled: not if it had ended and only its descendants were.
    cancelled: bool,
    /// Without `cascade`: how many tasks below it are still open, counted up to 1,000; absent if none are.
    #[serde(skip_serializing_if = "is_zero")]
    open_descendants: usize,
    /// With `cascade`: how many tasks below it were cancelled with it; absent if none were.
    #[serde(skip_serializing_if = "is_zero")]
    cancelled_descendants: usize,
    /// The reason, for doors that distinguish the cases.
    #[serde(skip)]
    pub refusal: Option<Refusal>,
}

const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What a cancel came to.
struct Outcome {
    cancelled: bool,
    open_descendants: usize,
    cancelled_descendants: usize,
}

/// Cancel a task.
#[derive(Debug)]
pub struct CancelTask;

impl TaskCommand for CancelTask {
    const ABOUT: About = About {
        verb: "cancel",
        operation_id: "cancel_task",
        summary: "Cancel a task, and with `cascade` all open tasks below it",
        details: "Members of the task's network, and the nodes that are party to it. With `cascade` all open descendants end in the same\ntransaction, at most 1,000; a task that has ended may have some. Without it the response has the number that is still open.",
        done: "cancelled",
        conflict: Some(AnsweredConflict {
            means: "it had ended; or `tree_too_large`",
            schema: "Why nothing was cancelled: the task had ended, or too many tasks are open below it.",
        }),
        body: BodyRule::Open,
        is_repeatable: false,
        tool: Some(ToolAbout {
            name: "cancel_task",
            title: "Cancel a task",
            description: "Cancel a task that has not ended; its agent is notified. Final. cascade also cancels all open tasks below it.",
            is_destructive: true,
        }),
    };
    type Args = Args;
    type Response = Cancelled;

    async fn run(hub: &Hub, caller: &Caller, on: OnTask, args: Args) -> Result<Cancelled, Error> {
        cancel(hub, caller, on, args).await
    }

    fn refusal(answer: &Cancelled) -> Option<&Refusal> {
        answer.refusal.as_ref()
    }
}

async fn cancel(hub: &Hub, caller: &Caller, on: OnTask, args: Args) -> Result<Cancelled, Error> {
    let OnTask { task, place } = on;
    let reason = args.reason.map(|reason| Reason::parse("reason", &reason)).transpose();
    let reason = reason.map_err(Error::of_argument)?;
    let (task_id, cascades) = (TaskId::parse(&task), args.cascade.unwrap_or(false));
    let stamp = Stamp::new(hub);
    let canceller = caller.clone();
    let cancelling = move |tx: &mut dyn Transaction| {
        let command = Command::Cancel { reason: reason.clone() };
        let Found { task, actor, .. } =
            operation::find_for(tx, &stamp, &canceller, &place, task_id.as_ref(), &command)?;
        let cancel = Cancel { stamp: &stamp, actor: &actor, reason: reason.as_ref() };
        if cascades { cancel.with_all_below(tx, task) } else { cancel.alone(tx, task) }
    };
    match hub.store_for(caller).write(cancelling).await {
        Ok(Outcome { cancelled, open_descendants, cancelled_descendants }) => {
            let (ok, task_id) = (true, task);
            Ok(Cancelled { ok, task_id, cancelled, open_descendants, cancelled_descendants, refusal: None })
        }
        Err(Error::Refused(refusal @ (Refusal::TaskIsTerminal { .. } | Refusal::TaskNotFound))) => {
            Ok(Cancelled {
                ok: false,
                task_id: task,
                cancelled: false,
                open_descendants: 0,
                cancelled_descendants: 0,
                refusal: Some(refusal),
            })
        }
        Err(error) => Err(error),
    }
}

/// A cancel by somebody who may.
struct Cancel<'a> {
    stamp: &'a Stamp,
    actor: &'a Actor,
    reason: Option<&'a Reason>,
}

impl Cancel<'_> {
    fn alone(&self, tx: &mut dyn Transaction, task: TaskSnapshot) -> Result<Outcome, Error> {
        // Counted first: a look at the rows is cheaper before the transaction has changed some.
        let open_descendants = match task.status.is_terminal() {
            true => 0,
            false => {
                let most = limits::CASCADE_MAX_COUNT;
                task_tree::open_below(tx.as_snapshot(), &task.network_id, &task.id, most)?.tasks.len()
            }
        };
        let command = Command::Cancel { reason: self.reason.cloned() };
        operation::carry_out(tx, self.stamp, self.actor, task, &command)?;
        Ok(Outcome { cancelled: true, open_descendants, cancelled_descendants: 0 })
    }

    /// The deepest first, so that no task ends before what it led to.
    fn with_all_below(&self, tx: &mut dyn Transaction, task: TaskSnapshot) -> Result<Outcome, Error> {
        let network = task.network_id.clone();
        let below = task_tree::open_below(tx.as_snapshot(), &network, &task.id, usize::MAX)?;
        let (open, examined) = (below.tasks.len(), below.examined);
        if below.is_cut || open > limits::CASCADE_MAX_COUNT {
            return Err(Refusal::TreeTooLarge { open, examined }.into());
        }
        let is_open = !task.status.is_terminal();
        if !is_open && open == 0 {
            return Err(Refusal::TaskIsTerminal { status: task.status }.into());
        }
        for id in below.tasks.iter().rev() {
            let child = tx.task_snapshot_in(&network, id)?.ok_or(Refusal::TaskNotFound)?;
            let command = Command::CancelWithParent { reason: self.reason.cloned() };
            operation::carry_out(tx, self.stamp, self.actor, child, &command)?;
        }
        if is_open {
            let command = Command::Cancel { reason: self.reason.cloned() };
            operation::carry_out(tx, self.stamp, self.actor, task, &command)?;
        }
        Ok(Outcome { cancelled: is_open, open_descendants: 0, cancelled_descendants: open })
    }
}
