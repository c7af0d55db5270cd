//! `baton send`: a task for an agent. Without `--wait` its id is the output; with it, its result.

use baton_core::{Status, hex, limits};
use clap::{Args, ValueEnum};
use std::process::ExitCode;
use std::time::Duration;

use super::wait::{Outcome, Wait};
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::{Screen, note};
use crate::cli::spoken;
use crate::client::{Channel, Token};
use crate::service::send_task::{self, PriorityName};
use crate::trace;

/// Sends a task and prints its id. With --wait it follows the task and prints its result.
///
/// The same call may reach the hub twice, the task is made once.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 replied (or sent), 1 failed, 2 usage, 3 cancelled, 4 expired, 5 hub not reachable, \
                        6 refused by the hub, 7 still open when the wait ended"
)]
pub(crate) struct Send {
    /// The agent
    alias: String,
    /// What is to be done; - reads standard input
    text: String,
    /// How urgent it is
    #[arg(long, value_enum)]
    priority: Option<Priority>,
    /// How long it may wait to be taken up [default: 3600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(i64::from(limits::TTL_MIN_SECONDS)..=i64::from(limits::TTL_MAX_SECONDS)))]
    ttl: Option<i64>,
    /// What sort of task it is, in a word of yours
    #[arg(long, value_name = "WORD")]
    kind: Option<String>,
    /// What the agent should know beside the task
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// The task this one is a part of; a command of `baton work` need not say it
    #[arg(long, value_name = "ID", env = "BATON_PARENT_TASK_ID", hide_env_values = true)]
    parent: Option<String>,
    /// Wait for the end, at most this long; give it last, or write --wait=SECONDS
    #[arg(long, value_name = "SECONDS", num_args = 0..=1)]
    wait: Option<Option<u32>>,
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
        let text = spoken::text(&self.text)?;
        block_on(Box::pin(self.send(&link, text)))
    }

    async fn send(&self, link: &Link, text: String) -> Result<ExitCode, Failure> {
        let network_id = link.network().await?;
        let args = send_task::Args {
            alias: self.alias.clone(),
            task: text,
            priority: self.priority.map(PriorityName::from),
            context: self.context.clone(),
            ttl_seconds: self.ttl,
            network_id: network_id.clone(),
            parent_task_id: self.parent.clone(),
            kind: self.kind.clone(),
            // By this the hub knows the call again when its answer was lost.
            idempotency_key: Some(key()?),
            ..Default::default()
        };
        let sent = link.client.send_task(&args, trace::of_environment()).await?;
        let state =
            if sent.queued { "is offline and will find it in its inbox" } else { &*sent.session_status };
        let screen = Screen::stdout();
        match &self.wait {
            None if self.connection.is_json() => screen.json(sent.text())?,
            None => {
                screen.say(&sent.task_id)?;
                if screen.is_terminal() {
                    note(&format!("sent; {} {state}", self.alias));
                }
            }
            Some(limit) => {
                note(&format!("task {} sent; {} {state}", sent.task_id, self.alias));
                return self.wait(link, &sent.task_id, network_id, *limit).await;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn wait(
        &self,
        link: &Link,
        task_id: &str,
        network_id: Option<String>,
        limit: Option<u32>,
    ) -> Result<ExitCode, Failure> {
        let channel = match link.client.token() {
            Some(Token::Node(_)) => link.client.me().await?.into_value().alias.map(Channel::Alias),
            _ => Some(Channel::Me { network_id }),
        };
        let limit = limit.map(|seconds| Duration::from_secs(seconds.into()));
        let outcome = Wait::new(&link.client, task_id, &self.alias, channel, limit).run().await?;
        let (answer, code) = match &outcome {
            Outcome::Ended(answer) => (answer, code_of(answer.task.status)),
            Outcome::StillOpen(answer) => (answer, STILL_OPEN),
        };
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(answer.text())?;
        } else if let Some(result) = &answer.task.result {
            screen.content(result)?;
        }
        if code == STILL_OPEN {
            note(&format!("still {}; `baton task show {task_id}` shows how it goes on", answer.task.status));
        }
        Ok(ExitCode::from(code))
    }
}

/// The wait ended before the task did.
const STILL_OPEN: u8 = 7;

/// How an end is told to a script.
const fn code_of(status: Status) -> u8 {
    match status {
        Status::Replied => 0,
        Status::Failed => 1,
        Status::Cancelled => 3,
        Status::Expired => 4,
        Status::Delivered | Status::Acked | Status::Running | Status::WaitingInput => STILL_OPEN,
    }
}

/// A key nobody else has.
fn key() -> Result<String, Failure> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| Failure::System(std::io::Error::other(error)))?;
    Ok(hex::encode(&bytes))
}
