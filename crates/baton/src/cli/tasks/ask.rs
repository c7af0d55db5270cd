//! `baton task ask` and `baton task answer`: an agent's question to the task's sender, and what the sender says to it. Who
//! asks waits for the answer and prints it; the worker that holds the task keeps its lease meanwhile.

use baton_core::limits;
use clap::Args;
use serde_json::json;
use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::{Instant, sleep};

use super::task_id;
use super::wait::{Answered, HubOutage, STILL_OPEN, ended_code, further_ends, until_answered};
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::{Screen, note};
use crate::cli::{spoken, transfer};
use crate::client::tasks::{QuestionAsked, Replied, TaskEnvelope};
use crate::service::ask_sender::{self, AskSender};
use crate::service::follow_up::{self, AnswerTask};

/// Asks the sender of a task you work on, waits for the answer and prints it.
///
/// A command of `baton work` names neither the task nor its lease. While it waits the task is waiting_input and the worker
/// keeps its lease; with the answer the task is running again and the command continues. Asking again what is already
/// asked waits for the same answer.
#[derive(Debug, Args)]
#[command(
    allow_missing_positional = true,
    after_help = concat!("Exit codes: 0 answered (or asked, with --no-wait), 1 the task failed, 2 usage, ", further_ends!(), ", \
                  5 hub not reachable, 6 refused by the hub, 7 no answer when the wait ended; the question still waits")
)]
pub(crate) struct Ask {
    /// The task's id, or its beginning [default: $BATON_TASK_ID]
    id: Option<String>,
    /// The question; - reads standard input
    text: String,
    /// An answer to choose from; give it once for each, at most 10 times
    #[arg(long = "option", value_name = "TEXT")]
    options: Vec<String>,
    /// A file that belongs to the question, up to 1 GiB; can be repeated
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Wait at most this long for the answer
    #[arg(long, value_name = "SECONDS", conflicts_with = "no_wait")]
    timeout: Option<u32>,
    /// Ask and exit: the lease ends, and the answer brings the task back as a new delivery
    #[arg(long)]
    no_wait: bool,
    /// How long the question waits until the task expires [default: 604800, which is 7 days]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(i64::from(limits::INPUT_TTL_MIN_SECONDS)..=i64::from(limits::INPUT_TTL_MAX_SECONDS)))]
    input_ttl: Option<i64>,
    /// The sender must authenticate somewhere first; explain where and how in the question
    #[arg(long)]
    auth_required: bool,
    /// The lease you hold [default: $BATON_LEASE_ID, for the task it belongs to]
    #[arg(long, value_name = "ID")]
    lease: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Ask {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let question = spoken::text(&self.text)?;
        block_on(Box::pin(self.ask(&link, question)))
    }

    async fn ask(&self, link: &Link, question: String) -> Result<ExitCode, Failure> {
        let given = task_id::variable("BATON_TASK_ID");
        let id = match self.id.as_ref().or(given.as_ref()) {
            Some(id) => task_id::find(link, id).await?,
            None => return Err(Failure::usage("no task is named; pass its id, or set BATON_TASK_ID")),
        };
        // The worker's lease is on the worker's task.
        let lease_id = self
            .lease
            .clone()
            .or_else(|| task_id::variable("BATON_LEASE_ID").filter(|_| given.as_ref() == Some(&id)));
        let args = ask_sender::Args {
            question,
            keep_lease: (!self.no_wait && lease_id.is_some()).then_some(true),
            lease_id,
            options: (!self.options.is_empty()).then(|| self.options.clone()),
            input_ttl_seconds: self.input_ttl,
            artifacts: transfer::upload_for(&link.client, &id, &self.file).await?,
            auth_required: self.auth_required.then_some(true),
        };
        if self.no_wait {
            let asked = link.client.command::<AskSender, QuestionAsked>(&id, &args).await?;
            return self.connection.print(asked.text(), &format!("{id} waits for its sender's answer."));
        }
        self.ask_and_wait(link, &id, &args).await
    }

    async fn ask_and_wait(
        &self,
        link: &Link,
        id: &str,
        args: &ask_sender::Args,
    ) -> Result<ExitCode, Failure> {
        let deadline = self.timeout.map(|seconds| Instant::now() + Duration::from_secs(seconds.into()));
        let question_id = post(link, id, args).await?;
        match until_answered(&link.client, id, &question_id, deadline).await? {
            Answered::With(answer) => {
                let screen = Screen::stdout();
                match self.connection.is_json() {
                    true => screen.json(&json!({
                        "ok": true, "task_id": id, "message_id": answer.message_id, "answer": answer.content,
                    }))?,
                    false => screen.content(&answer.content)?,
                }
                Ok(ExitCode::SUCCESS)
            }
            Answered::NotInTime => {
                note(&format!(
                    "no answer yet; the question stays open. `baton task answer {id} TEXT` answers it"
                ));
                Ok(ExitCode::from(STILL_OPEN))
            }
            Answered::Never(status) => {
                note(&format!("the task is {status}; its question was not answered"));
                Ok(ExitCode::from(ended_code(status).max(1)))
            }
        }
    }
}

/// Asks, and finds the question again if the answer to the call was lost or it was asked before. Gives its id.
async fn post(link: &Link, id: &str, args: &ask_sender::Args) -> Result<String, Failure> {
    let mut away = HubOutage::default();
    let before = loop {
        match away.met(link.client.task(id).await)? {
            Some(task) => break task.into_value(),
            None => sleep(limits::HUB_AWAY_RETRY_AFTER).await,
        }
    };
    let known: HashSet<String> = before.messages.into_iter().map(|message| message.message_id).collect();
    loop {
        let error = match link.client.command::<AskSender, QuestionAsked>(id, args).await {
            Ok(asked) => return Ok(asked.into_value().message_id),
            Err(error) => error,
        };
        let was_lost = !error.is_final();
        if was_lost {
            away.met::<()>(Err(error.clone()))?;
            sleep(limits::HUB_AWAY_RETRY_AFTER).await;
        } else if error.code() != Some("task_is_waiting_input") {
            return Err(error.into());
        }
        let asked = away.met(link.client.task(id).await)?;
        let asked = asked.and_then(|task| asked_there(&task, args, |id| !was_lost || !known.contains(id)));
        match asked {
            Some(question_id) => return Ok(question_id),
            None if was_lost => {}
            None => return Err(error.into()),
        }
    }
}

/// The same question, if it is the last that the task asked and is one of those that are meant.
fn asked_there(
    seen: &TaskEnvelope,
    args: &ask_sender::Args,
    is_meant: impl Fn(&str) -> bool,
) -> Option<String> {
    let last = seen.messages.iter().rev().find(|message| message.is_question())?;
    let is_same = last.content == args.question
        && last.options == args.options.clone().unwrap_or_default()
        && last.auth_required == args.auth_required.unwrap_or_default();
    (is_same && is_meant(&last.message_id)).then(|| last.message_id.clone())
}

#[derive(Debug, Args)]
pub(crate) struct Answer {
    /// The task's id, or its beginning
    id: String,
    /// The answer; - reads standard input
    text: String,
    /// A file that belongs to the answer, up to 1 GiB; can be repeated
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    #[command(flatten)]
    connection: Connection,
}

impl Answer {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let text = spoken::text(&self.text)?;
        block_on(self.answer(&link, text))
    }

    async fn answer(&self, link: &Link, text: String) -> Result<ExitCode, Failure> {
        let id = task_id::find(link, &self.id).await?;
        let artifacts = transfer::upload_for(&link.client, &id, &self.file).await?;
        let answered =
            link.client.command::<AnswerTask, Replied>(&id, &follow_up::Args { text, artifacts }).await?;
        let status = answered.status.map_or("open", |status| status.as_str());
        self.connection.print(answered.text(), &format!("{id} is {status}."))
    }
}
