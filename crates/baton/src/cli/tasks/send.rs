//! `baton send`: a task for an agent. Without `--wait` its id is the output; with it, its result, which comes with the answer
//! to the send itself where it comes within a minute. At a terminal the answer comes soon, so that the rest is followed live.
//! Several tasks at once: `send/batch.rs`.

mod batch;
mod repeated;

use baton_core::limits;
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::Instant;

use self::batch::Batch;
use super::interrupt::Interrupt;
use super::send_key::{self, KeySource};
use super::wait::{Outcome, Wait, further_ends};
use super::whole_result;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::{Screen, note};
use crate::cli::{spoken, transfer};
use crate::client::tasks::TaskSent;
use crate::client::{Channel, Error, HubResponse, Token};
use crate::service::send_task::{self, PriorityName};
use crate::trace;

/// Sends a task and prints its id. With --wait it follows the task and prints its result.
///
/// The same call may reach the hub twice, the task is made once.
#[derive(Debug, Args)]
#[command(
    after_help = concat!("Exit codes: 0 replied (or sent), 1 failed, 2 usage, ", further_ends!(), ", 5 hub not reachable, \
                        6 refused by the hub, 7 still open when the wait ended, 8 needs input")
)]
pub(crate) struct Send {
    /// The agent
    #[arg(required_unless_present = "batch")]
    alias: Option<String>,
    /// The task; - reads standard input
    #[arg(required_unless_present_any = ["input", "batch"], conflicts_with = "input")]
    text: Option<String>,
    /// Send up to 100 tasks in one call: a file with a JSON object a line, each a body of POST /api/task; - reads standard
    /// input. Prints a line for each: its id, or why it was refused
    #[arg(long, value_name = "FILE", conflicts_with_all = ["alias", "text", "input", "file", "priority", "ttl",
        "max_attempts", "retry_backoff", "run_timeout", "kind", "context", "allow_cycle", "wait", "key", "quiet"])]
    batch: Option<PathBuf>,
    /// Read the task from a file; - reads standard input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// A file to send along, up to 1 GiB; can be repeated, up to 100 times
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// How urgent it is
    #[arg(long, value_enum)]
    priority: Option<Priority>,
    /// Seconds the task may wait before an agent starts it [default: 3600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(i64::from(limits::TTL_MIN_SECONDS)..=i64::from(limits::TTL_MAX_SECONDS)))]
    ttl: Option<i64>,
    /// Deliveries allowed before an expired lease fails the task [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=i64::from(limits::MAX_ATTEMPTS_MAX)))]
    max_attempts: Option<i64>,
    /// Seconds to wait after an expired lease before redelivery [default: 0]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(0..=i64::from(limits::RETRY_BACKOFF_MAX_SECONDS)))]
    retry_backoff: Option<i64>,
    /// Maximum seconds for one run; after that the task fails with run_timeout
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(i64::from(limits::RUN_TIMEOUT_MIN_SECONDS)..=i64::from(limits::RUN_TIMEOUT_MAX_SECONDS)))]
    run_timeout: Option<i64>,
    /// A label of your choice for this kind of task
    #[arg(long, value_name = "WORD")]
    kind: Option<String>,
    /// Background information for the agent
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// The task this one is a part of; a command of `baton work` need not say it
    #[arg(long, value_name = "ID", env = "BATON_PARENT_TASK_ID", hide_env_values = true)]
    parent: Option<String>,
    /// Send it even if the agent has an open task in the chain of parents
    #[arg(long)]
    allow_cycle: bool,
    /// Wait for the result, with --wait=SECONDS at most this long
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true)]
    wait: Option<Option<u32>>,
    /// A key of yours: the same call with the same key makes no second task. A command of `baton work` need not name one:
    /// started again, it receives the tasks it already sent
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Make a new task in any case, also in a command that is started again
    #[arg(long, conflicts_with = "key")]
    no_key: bool,
    /// Where the calls of a run are counted
    #[arg(long, hide = true, env = send_key::FOLDER, hide_env_values = true)]
    counted_in: Option<PathBuf>,
    /// Print only the result; stderr gets only errors and questions
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Priority {
    High,
    Normal,
    Low,
}

impl From<Priority> for PriorityName {
    fn from(priority: Priority) -> Self {
        match priority {
            Priority::High => Self::High,
            Priority::Normal => Self::Normal,
            Priority::Low => Self::Low,
        }
    }
}

impl Send {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        if let Some(file) = &self.batch {
            let batch = Batch { parent: self.parent.as_deref(), keys: self.key_source() };
            let is_json = self.connection.is_json();
            return block_on(Box::pin(batch.send(&link, file, is_json)));
        }
        let text = match (&self.text, &self.input) {
            (Some(text), None) => spoken::text(text)?,
            (None, Some(file)) => spoken::file(file)?,
            _ => {
                return Err(Failure::usage(
                    "the task has no text; give it after the alias, or a file with --input FILE",
                ));
            }
        };
        block_on(Box::pin(self.send(&link, text)))
    }

    async fn send(&self, link: &Link, text: String) -> Result<ExitCode, Failure> {
        let network_id = link.network().await?;
        let artifacts = transfer::upload_all(&link.client, network_id.as_deref(), &self.file).await?;
        let began = Instant::now();
        let mut args = send_task::Args {
            alias: self.alias().to_owned(),
            task: text,
            priority: self.priority.map(PriorityName::from),
            context: self.context.clone(),
            ttl_seconds: self.ttl,
            max_attempts: self.max_attempts,
            retry_backoff_seconds: self.retry_backoff,
            run_timeout_seconds: self.run_timeout,
            network_id: network_id.clone(),
            parent_task_id: self.parent.clone(),
            allow_cycle: self.allow_cycle.then_some(true),
            kind: self.kind.clone(),
            artifacts,
            wait_seconds: self.wait.map(|limit| self.first_wait(limit)),
            ..Default::default()
        };
        args.idempotency_key = Some(self.key_source().key(&args)?);
        let Some(limit) = self.wait else { return self.print_sent(&self.post(link, &args).await?) };
        // From before the hub has the task: it may wait a minute until it answers.
        let mut interrupt = Interrupt::listen()?;
        let sent = tokio::select! {
            sent = self.post(link, &args) => sent?,
            () = interrupt.pressed() => return Ok(interrupt.leave_send(&link.client, args).await),
        };
        let task_id = sent.task_id.clone();
        interrupt.unless_pressed(self.follow(link, network_id, sent, began, limit), &[&task_id]).await
    }

    /// Waits for what was sent, and prints its result.
    async fn follow(
        &self,
        link: &Link,
        network_id: Option<String>,
        sent: HubResponse<TaskSent>,
        began: Instant,
        limit: Option<u32>,
    ) -> Result<ExitCode, Failure> {
        let task_id = sent.task_id.clone();
        if !self.quiet {
            note(&format!("task {task_id} sent; {} {}", self.alias(), state(&sent)));
        }
        let deadline = limit.map(|seconds| began + Duration::from_secs(seconds.into()));
        let first = Outcome::of_send(sent).filter(Outcome::is_settled);
        let mut wait = Wait::new(&link.client, &task_id, deadline);
        let mut outcome = match first {
            // The one answer says all there is to print.
            Some(outcome) if !self.is_followed_live() => {
                if !self.quiet {
                    outcome.note_course();
                }
                outcome
            }
            Some(outcome) => {
                wait = wait.telling(self.alias(), None);
                wait.print_progress().await?;
                outcome
            }
            None => {
                if !self.quiet {
                    wait = wait.telling(self.alias(), channel(link, network_id).await?);
                }
                wait.run().await?
            }
        };
        while self.answer(link, &outcome).await? {
            outcome = wait.run().await?;
        }
        self.print_outcome(link, &outcome).await
    }

    fn key_source(&self) -> KeySource<'_> {
        match (&self.key, &self.counted_in) {
            (Some(key), _) => KeySource::Named(key),
            (None, Some(counted_in)) if !self.no_key => KeySource::Derived { counted_in },
            _ => KeySource::Random,
        }
    }

    fn alias(&self) -> &str {
        self.alias.as_deref().unwrap_or_default() // absent only with a batch
    }

    /// Whether somebody watches the task's course.
    fn is_followed_live(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// How long the first call waits. Who watches the course has to know the task's id soon.
    fn first_wait(&self, limit: Option<u32>) -> i64 {
        let longest = match self.is_followed_live() {
            true => limits::SEND_REPORTED_AFTER_SECONDS,
            false => limits::CALL_WAIT_MAX_SECONDS,
        };
        limit.unwrap_or(longest).min(longest).into()
    }

    /// Sends; a hub that goes away while it waits knows the call again by its key.
    async fn post(&self, link: &Link, args: &send_task::Args) -> Result<HubResponse<TaskSent>, Failure> {
        repeated::send(self.quiet, || link.client.send_task(args, trace::of_environment())).await
    }

    fn print_sent(&self, sent: &HubResponse<TaskSent>) -> Result<ExitCode, Failure> {
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(sent.text())?;
        } else {
            screen.print(&sent.task_id)?;
            if screen.is_terminal() && !self.quiet {
                note(&format!("sent; {} {}", self.alias(), state(sent)));
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Whether somebody at the terminal has answered the agent's question.
    async fn answer(&self, link: &Link, outcome: &Outcome) -> Result<bool, Failure> {
        match outcome.question() {
            Some(question) if !self.quiet && !self.connection.is_json() => {
                question.answer(&link.client, &outcome.task.task_id).await
            }
            _ => Ok(false),
        }
    }

    async fn print_outcome(&self, link: &Link, outcome: &Outcome) -> Result<ExitCode, Failure> {
        let Outcome { json, task, .. } = outcome;
        let screen = Screen::stdout();
        match self.connection.is_json() {
            true => screen.json(json)?,
            false => whole_result::print(&link.client, task, self.quiet).await?,
        }
        match outcome.question() {
            Some(question) => question.show(),
            None if task.status.is_terminal() => outcome.note_reason(&Screen::stdout()),
            None if !self.quiet => {
                note(&format!(
                    "still {}; `baton task show {}` shows its progress",
                    task.status, task.task_id
                ));
            }
            None => {}
        }
        Ok(ExitCode::from(outcome.code()))
    }
}

fn state(sent: &TaskSent) -> &str {
    if sent.queued { "is offline and will find it in its inbox" } else { &sent.session_status }
}

/// Where the recipient's progress is printed.
async fn channel(link: &Link, network_id: Option<String>) -> Result<Option<Channel>, Error> {
    Ok(match link.client.token() {
        Some(Token::Node(_)) => link.client.me().await?.into_value().alias.map(Channel::Alias),
        _ => Some(Channel::Me { network_id }),
    })
}
