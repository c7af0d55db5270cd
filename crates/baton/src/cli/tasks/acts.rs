//! Commands that change a task's course and print one line: `baton cancel`, `retry`, `reassign`.

use baton_core::limits;
use clap::{Args, Subcommand};
use serde::Deserialize;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::{Screen, note};
use crate::service::cancel_task::{self, CancelTask};
use crate::service::reassign_task::{self, ReassignTask};
use crate::service::retry_task::RetryTask;
use crate::service::task_command::NoArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum Act {
    /// Cancel a task
    Cancel(Cancel),
    /// Send a failed, cancelled or expired task again as a new task
    Retry(Retry),
    /// Reassign an open task to another agent
    Reassign(Reassign),
}

impl Act {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Cancel(command) => block_on(command.cancel()),
            Self::Retry(command) => block_on(command.retry()),
            Self::Reassign(command) => block_on(command.reassign()),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The task's id, or its beginning
    id: String,
    /// The reason, shown to the agent that works on it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Cancel everything open below it too, also if the task itself has ended
    #[arg(long)]
    tree: bool,
    #[command(flatten)]
    connection: Connection,
}

/// What a cancel came to; older hubs do not say what is below the task.
#[derive(Debug, Deserialize)]
struct Cancelled {
    /// Whether the task itself was cancelled.
    cancelled: bool,
    #[serde(default)]
    open_descendants: usize,
    #[serde(default)]
    cancelled_descendants: usize,
}

impl Cancel {
    async fn cancel(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let args = cancel_task::Args { reason: self.reason.clone(), cascade: self.tree.then_some(true) };
        let answer = link.client.command::<CancelTask, Cancelled>(&id, &args).await?;
        let code = self.connection.print(answer.text(), &answer.words(&id))?;
        if answer.open_descendants > 0 && !self.connection.is_json() {
            note(&still_open(&id, answer.open_descendants));
        }
        Ok(code)
    }
}

impl Cancelled {
    fn words(&self, id: &str) -> String {
        match (self.cancelled, self.cancelled_descendants) {
            (true, 0) => format!("{id} is cancelled."),
            (true, below) => format!("{id} is cancelled, and with it {} below it.", tasks(below)),
            (false, below) => format!("{id} had ended; {} below it {} cancelled.", tasks(below), are(below)),
        }
    }
}

/// What is left, and the command that ends it.
fn still_open(id: &str, count: usize) -> String {
    let at_least = if count >= limits::CASCADE_MAX_COUNT { "at least " } else { "" };
    format!(
        "{at_least}{} below it {} still open; `baton cancel --tree {id}` cancels {}",
        tasks(count),
        are(count),
        if count == 1 { "it" } else { "them" }
    )
}

fn tasks(count: usize) -> String {
    format!("{count} {}", if count == 1 { "task" } else { "tasks" })
}

const fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

#[derive(Debug, Args)]
pub(crate) struct Retry {
    /// The task's id, or its beginning; it failed, was cancelled or expired
    id: String,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Deserialize)]
struct Retried {
    task_id: String,
    retry_of: String,
}

impl Retry {
    /// The new task's id is the output.
    async fn retry(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let retried = link.client.command::<RetryTask, Retried>(&id, &NoArgs::default()).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(retried.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.print(&retried.task_id)?;
        if screen.is_terminal() {
            note(&format!("sent again; {} stays as it is", retried.retry_of));
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Reassign {
    /// The task's id, or its beginning
    id: String,
    /// The agent that receives it
    alias: String,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Deserialize)]
struct Reassigned {
    task_id: String,
    reassigned_from: String,
    reassigned_to: String,
}

impl Reassign {
    async fn reassign(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let args = reassign_task::Args { new_alias: self.alias.clone() };
        let answer = link.client.command::<ReassignTask, Reassigned>(&id, &args).await?;
        self.connection.print(
            answer.text(),
            &format!("{} went from {} to {}.", answer.task_id, answer.reassigned_from, answer.reassigned_to),
        )
    }
}
