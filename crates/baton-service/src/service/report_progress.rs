//! Report how far the work on a task is, and what its command printed, under the lease it is worked on. It is no transition:
//! the latest is kept with the task, without history or evidence. A lease has one report written a second; one that comes
//! sooner waits for its turn (`hub/progress_pacing.rs`), and an answer means that it is on the disk.

use baton_core::{
    Caller, Command, LeaseId, NodeCaller, Percent, Progress, ProgressMessage, ProgressOutput, Refusal,
    TaskId, limits,
};
use baton_store::Transaction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep_until};
use utoipa::ToSchema;

use super::network_ref::NetworkRef;
use super::stamp::Stamp;
use super::task_command::{About, BodyRule, OnTask, TaskCommand, ToolAbout};
use super::{Error, operation, report_status, send_reply};
use crate::hub::Hub;

/// The body of `POST /api/tasks/:id/progress`.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = ProgressReport)]
pub struct Args {
    /// The lease you hold
    pub lease_id: String,
    /// How far it is
    #[schemars(range(min = 0, max = limits::PROGRESS_MAX_PERCENT))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<i64>,
    /// What is being done
    #[schemars(length(min = 1, max = limits::PROGRESS_MESSAGE_MAX_CHARS), description = "What you are doing")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What was printed since the last report, at most 64 KiB of UTF-8. It is appended to the task's output, of which the
    /// last 64 KiB are kept
    #[schemars(
        length(max = limits::PROGRESS_OUTPUT_MAX_BYTES),
        description = "Output since the last report; it is appended, and the last 64 KiB are kept"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// It is written.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProgressReported {
    ok: bool,
    task_id: TaskId,
}

/// What was reported, checked.
#[derive(Debug, Clone)]
struct Report {
    task: TaskId,
    lease_id: LeaseId,
    progress: Progress,
    output: String,
}

/// Report how far the work on a task is.
#[derive(Debug)]
pub struct ReportProgress;

impl TaskCommand for ReportProgress {
    const ABOUT: About = About {
        verb: "progress",
        operation_id: "report_progress",
        summary: "Report the progress of a task and the output of its command",
        details: "The agent that holds the task's lease. One report per second is stored for a lease: an earlier one waits\nfor its turn, and one that would wait more than 5 seconds gets `rate_limited`. Fields left out keep their value.",
        done: "written",
        conflict: None,
        body: BodyRule::Strict,
        // Output that may have arrived is not sent again.
        is_repeatable: false,
        tool: Some(ToolAbout {
            name: "report_progress",
            title: "Report progress",
            description: "Report the progress of a claimed task: percent, message, new output. Does not extend the lease.",
            is_destructive: false,
        }),
    };
    type Args = Args;
    type Response = ProgressReported;

    async fn run(hub: &Hub, caller: &Caller, on: OnTask, args: Args) -> Result<ProgressReported, Error> {
        let report = Report::read(&on.task, &args)?;
        let Caller::Node(node) = caller else { return Err(Refusal::NetworkTokenRequired.into()) };
        let reporter = (node.token_id.clone(), report.lease_id.clone());
        let turn = hub.progress_pacing.take(&reporter, Instant::now())?;
        tokio::select! {
            () = sleep_until(turn) => {}
            // What waits when the hub stops is written before it does.
            () = hub.shutdown.wait() => {}
        }
        let percent = report.progress.percent.map(|percent| i64::from(percent.get()));
        let passing = node.alias.as_ref().filter(|_| percent.is_some());
        let passing = passing.map(|alias| report_status::passing_frame(alias, "working", percent));
        let (stamp, node, asker) = (Stamp::new(hub), node.clone(), caller.clone());
        let task = report.task.clone();
        let network = node.network_id.clone();
        hub.store_for(caller).write(move |tx| report.write(tx, &stamp, &asker, &on.place, &node)).await?;
        hub.progress_pacing.written(reporter, Instant::now());
        if let Some(passing) = passing {
            hub.send_transient(&network, passing);
        }
        Ok(ProgressReported { ok: true, task_id: task })
    }
}

impl Report {
    fn read(task: &str, args: &Args) -> Result<Self, Error> {
        let percent = args.percent.map(|percent| Percent::parse("percent", percent)).transpose();
        let message = args.message.as_deref().map(|message| ProgressMessage::parse("message", message));
        let output = args.output.as_deref().map(|output| ProgressOutput::parse("output", output));
        let progress = Progress {
            percent: percent.map_err(Error::of_argument)?,
            message: message.transpose().map_err(Error::of_argument)?,
        };
        let output = output.transpose().map_err(Error::of_argument)?;
        Ok(Self {
            task: TaskId::parse(task).ok_or(Refusal::TaskNotFound)?,
            lease_id: send_reply::lease(Some(&args.lease_id))?.ok_or(Refusal::LeaseLost)?,
            progress,
            output: output.map(|output| output.to_string()).unwrap_or_default(),
        })
    }

    fn write(
        &self,
        tx: &mut dyn Transaction,
        stamp: &Stamp,
        caller: &Caller,
        place: &NetworkRef,
        node: &NodeCaller,
    ) -> Result<(), Error> {
        let (lease_id, progress) = (self.lease_id.clone(), self.progress.clone());
        let command = Command::ReportProgress { lease_id, progress };
        operation::act(tx, stamp, caller, place, Some(&self.task), &command)?;
        append_output(tx, node, &self.task, &self.output)?;
        self.show_in_session(tx, node)
    }

    /// The agent's session shows how far it is and the last of the task's output.
    fn show_in_session(&self, tx: &mut dyn Transaction, node: &NodeCaller) -> Result<(), Error> {
        let Some(alias) = &node.alias else { return Ok(()) };
        if self.progress.percent.is_none() && self.output.is_empty() {
            return Ok(());
        }
        let Some(mut session) = tx.session(&node.network_id, alias)? else { return Ok(()) };
        session.progress = self.progress.percent.map(|percent| percent.get().into()).or(session.progress);
        if !self.output.is_empty() {
            session.output = tx.task_output(&self.task)?.map(|output| last_chars(&output.tail));
        }
        session.updated_at = tx.time().now;
        Ok(tx.put_session(&session)?)
    }
}

/// Appends to a task's output, if there is anything to append.
pub(super) fn append_output(
    tx: &mut dyn Transaction,
    node: &NodeCaller,
    task: &TaskId,
    output: &str,
) -> Result<(), Error> {
    match output.is_empty() {
        true => Ok(()),
        false => Ok(tx.append_output(&node.network_id, task, output, limits::TASK_OUTPUT_KEPT_BYTES)?),
    }
}

/// As much of the end as a session keeps.
fn last_chars(output: &str) -> String {
    let skipped = output.chars().count().saturating_sub(limits::OUTPUT_KEPT_CHARS);
    output.chars().skip(skipped).collect()
}
