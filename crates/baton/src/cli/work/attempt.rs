//! One task under one lease: run the command, keep the lease, answer. A lease comes out of exactly one claim and is
//! used up here, so no lease is ever run twice.
//!
//! If the worker dies anywhere here, the guard ends the command, the lease lapses, and the hub delivers the task
//! again. A result that is ready is sent until the hub takes it or says that the lease is lost.

use baton_core::Ending;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

use super::agent::Agent;
use super::conversation::Conversation;
use super::delivery;
use super::files::Folders;
use super::lease::{self, HeldLease, LeaseLost, LeaseRenewer};
use super::outage::Outage;
use super::process::{Printed, Process};
use super::task_outcome::TaskOutcome;
use crate::cli::tasks::send_key;
use crate::client::Error;
use crate::client::artifacts::Artifact;
use crate::client::tasks::{Claimed, Replied, Task, TaskMessage};
use crate::service::artifacts::RefArgs;
use crate::service::send_reply::ReplyToTask;
use crate::service::{claim_task, send_reply};

/// An answer, and the artifacts that go with it.
type OutcomeWithFiles = (TaskOutcome, Option<Vec<RefArgs>>);

/// What a claim gave.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) task: Task,
    pub(super) lease_id: String,
    /// The messages on the task, oldest first.
    messages: Vec<TaskMessage>,
    /// The artifacts that came with it.
    artifacts: Vec<Artifact>,
    /// The trace the task was sent in.
    pub(super) traceparent: Option<String>,
}

impl Lease {
    /// The lease of a claim; none if it found no task.
    pub(super) fn of(claimed: Claimed) -> Option<Self> {
        let Claimed { task, lease_id, messages, artifacts, traceparent } = claimed;
        Some(Self { task: task?, lease_id: lease_id?, messages, artifacts, traceparent })
    }

    /// Works on the task to its end, or until it is no longer ours. The answer may bring the next one.
    pub(super) async fn work(self, agent: &Agent) -> Option<Self> {
        let begun = Instant::now();
        let task = &self.task;
        tracing::info!(
            task = task.task_id,
            from = task.from_name,
            kind = task.kind,
            attempt = task.attempt,
            "running"
        );
        let printed = Arc::new(Printed::new());
        let kept = LeaseRenewer {
            client: agent.client.clone(),
            task_id: task.task_id.clone(),
            lease_id: self.lease_id.clone(),
            lease_seconds: agent.settings.lease_seconds,
            printed: printed.clone(),
            in_hand: agent.running.take(&task.task_id),
        };
        let kept = kept.start();
        let (state, next) = match self.run(agent, &printed, &kept).await {
            Ok((answer, artifacts)) => {
                // A follower of the output gets the end of it too. What was never shown is in the result.
                if printed.was_shown() {
                    lease::show(&agent.client, &task.task_id, &self.lease_id, &printed).await;
                }
                self.reply(agent, &answer, artifacts).await
            }
            Err(state) => (state, None),
        };
        let seconds = begun.elapsed().as_millis() as f64 / 1000.0;
        tracing::info!(task = task.task_id, from = task.from_name, seconds, "{state}");
        next
    }

    /// Runs the command, again if it fails and may be: an answer with its artifacts, or what became of the task instead.
    async fn run(
        &self,
        agent: &Agent,
        printed: &Printed,
        kept: &HeldLease,
    ) -> Result<OutcomeWithFiles, String> {
        for left in (0..agent.settings.retries).rev() {
            let answered = self.run_once(agent, printed, kept).await?;
            if answered.0.ending != Ending::Failed || agent.drain.has_begun() {
                return Ok(answered);
            }
            let why = answered.0.text.lines().next().unwrap_or_default();
            tracing::info!(task = self.task.task_id, left, "failed and is run again: {why}");
            printed.begin_again();
        }
        self.run_once(agent, printed, kept).await
    }

    async fn run_once(
        &self,
        agent: &Agent,
        printed: &Printed,
        kept: &HeldLease,
    ) -> Result<OutcomeWithFiles, String> {
        let text = &self.task.content;
        let messages = self.conversation(agent).await;
        let conversation = match Conversation::write(agent.settings.runs.path(), text, &messages).await {
            Ok(conversation) => conversation,
            Err(error) => return Ok((TaskOutcome::no_conversation(&error), None)),
        };
        let folders = match Folders::create(conversation.folder()) {
            Ok(folders) => folders,
            Err(error) => return Ok((TaskOutcome::no_conversation(&error), None)),
        };
        let came: Vec<&Artifact> = self
            .artifacts
            .iter()
            .filter(|artifact| artifact.is_of_task())
            .chain(messages.iter().flat_map(|message| &message.artifacts))
            .collect();
        let fetching = delivery::fetch_all(&agent.client, &came, &folders.input);
        if let Err(answer) = self.unless_stopped(agent, kept, fetching).await? {
            return Ok((answer, None));
        }
        let mut answer = self.run_command(agent, printed, kept, &conversation, &folders).await?;
        let sending = delivery::send_all(&agent.client, &mut answer, &folders.output);
        let artifacts = self.unless_stopped(agent, kept, sending).await?;
        Ok((answer, artifacts))
    }

    /// Does something for the task, unless it is no longer ours or the worker ends: then says what became of it.
    async fn unless_stopped<T>(
        &self,
        agent: &Agent,
        kept: &HeldLease,
        doing: impl Future<Output = T>,
    ) -> Result<T, String> {
        tokio::select! {
            done = doing => Ok(done),
            state = stopped(agent, kept) => Err(state),
        }
    }

    async fn run_command(
        &self,
        agent: &Agent,
        printed: &Printed,
        kept: &HeldLease,
        conversation: &Conversation,
        folders: &Folders,
    ) -> Result<TaskOutcome, String> {
        let attempt = self.task.attempt.to_string();
        let mut command =
            agent.settings.program.command(&self.task.content, &self.environment(agent, &attempt));
        command.env("BATON_MESSAGES", conversation.file());
        // A command that is started again counts from the beginning, and so finds what it already sent.
        command.env(send_key::FOLDER, conversation.sends());
        command.env("BATON_INPUT_DIR", &folders.input).env("BATON_OUTPUT_DIR", &folders.output);
        let process = match Process::start(&mut command, &agent.guard) {
            Ok(process) => process,
            Err(error) => return Ok(TaskOutcome::not_started(&error)),
        };
        let mut ended = Err(String::new());
        let stop = async {
            ended = tokio::select! {
                state = stopped(agent, kept) => Err(state),
                limit = past(agent.settings.timeout) => Ok(limit),
            };
        };
        let room = agent.settings.room.clone();
        let finished = process.run(conversation.input(), room, printed, agent.settings.grace, stop).await;
        match TaskOutcome::of(finished, printed).await {
            Some(answer) => Ok(answer),
            None => ended.map(|limit| TaskOutcome::timed_out(limit, printed)),
        }
    }

    /// The messages on the task. A claim shows only as many as are quickly read; the rest is fetched.
    async fn conversation(&self, agent: &Agent) -> Cow<'_, [TaskMessage]> {
        if self.messages.is_empty() {
            return Cow::Borrowed(&self.messages);
        }
        match agent.client.task(&self.task.task_id).await {
            Ok(seen) => Cow::Owned(seen.into_value().messages),
            Err(error) => {
                let task = &self.task.task_id;
                tracing::warn!(
                    task,
                    "its older messages cannot be read, the command gets the newest: {error}"
                );
                Cow::Borrowed(&self.messages)
            }
        }
    }

    /// The task, and what the command needs to speak to the hub itself, as the same agent.
    fn environment<'a>(&'a self, agent: &'a Agent, attempt: &'a str) -> Vec<(&'static str, &'a str)> {
        let task = &self.task;
        let mut environment = vec![
            ("BATON_TASK_ID", task.task_id.as_str()),
            // With which the command can ask the sender while this worker keeps the task.
            ("BATON_LEASE_ID", &self.lease_id),
            ("BATON_FROM", &task.from_name),
            ("BATON_KIND", &task.kind),
            ("BATON_ATTEMPT", attempt),
            ("BATON_CONTEXT", task.context.as_deref().unwrap_or_default()),
            // What the command sends is part of this task.
            ("BATON_PARENT_TASK_ID", &task.task_id),
            ("BATON_NETWORK", &task.network_id),
            ("BATON_ALIAS", &agent.settings.alias),
            ("BATON_HUB", &agent.hub),
            ("BATON_TOKEN", agent.token.expose()),
        ];
        // What the command records of itself belongs to the trace of who sent the task.
        environment.extend(self.traceparent.as_deref().map(|trace| ("TRACEPARENT", trace)));
        environment.extend(agent.ca.as_deref().map(|file| ("BATON_CA", file)));
        environment
    }

    /// Sends the answer until the hub has taken it or refuses it. Says what became of it, and brings the next task if one
    /// waits: there is no wait for one, in which this one would look as if it ran on.
    async fn reply(
        &self,
        agent: &Agent,
        answer: &TaskOutcome,
        artifacts: Option<Vec<RefArgs>>,
    ) -> (String, Option<Self>) {
        let lease_seconds = Some(agent.settings.lease_seconds.into());
        let text = answer.text.clone();
        let mut args = send_reply::PathArgs::ending(answer.ending, text, self.lease_id.clone());
        args.artifacts = artifacts;
        let mut outage = Outage::default();
        loop {
            let takes_more = !agent.settings.once && !agent.drain.has_begun();
            args.claim_next =
                takes_more.then_some(claim_task::NextArgs { wait_seconds: None, lease_seconds });
            let error = match agent.client.command::<ReplyToTask, Replied>(&self.task.task_id, &args).await {
                Ok(replied) => return (outcome(answer), replied.into_value().next.and_then(Self::of)),
                Err(error) => error,
            };
            if error.is_final() {
                let state = match self.was_taken(agent, answer, &error).await {
                    true => outcome(answer),
                    false if error.code() == Some("task_is_waiting_input") => {
                        "its command ended while its question waits: it runs again after the answer".into()
                    }
                    false => format!("its answer was not taken: {error}"),
                };
                return (state, None);
            }
            let wait = outage.wait_after(&error);
            tokio::select! {
                () = sleep(wait) => {}
                () = agent.drain.is_ending() => return (format!("its answer was not taken: {error}"), None),
            }
        }
    }

    /// A hub may accept a result and go away before it answers. Then the task has ended with exactly this result.
    async fn was_taken(&self, agent: &Agent, answer: &TaskOutcome, error: &Error) -> bool {
        if error.code() != Some("reply_task_terminal") {
            return false;
        }
        let row = agent.client.task(&self.task.task_id).await;
        row.is_ok_and(|row| row.task.result.as_deref() == Some(&answer.text))
    }
}

/// What becomes of a task that is no longer ours, or whose worker ends.
async fn stopped(agent: &Agent, kept: &HeldLease) -> String {
    tokio::select! {
        lost = kept.lost() => lost.to_string(),
        () = agent.drain.is_ending() => "left: the hub delivers it again when its lease lapses".into(),
    }
}

/// Waits until a run reaches its time limit, and returns the limit; forever, if there is none.
async fn past(limit: Option<Duration>) -> Duration {
    match limit {
        Some(limit) => {
            sleep(limit).await;
            limit
        }
        None => std::future::pending().await,
    }
}

fn outcome(answer: &TaskOutcome) -> String {
    answer.ending.as_str().to_owned()
}

impl std::fmt::Display for LeaseLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cancelled => write!(f, "cancelled, the command was ended"),
            Self::Reassigned => write!(f, "reassigned, the command was ended"),
            Self::Refused(error) => write!(f, "no longer ours, the command was ended: {error}"),
        }
    }
}
