//! `baton cancel`: a task, and with `--tree` all that is open below it.

use baton_core::limits;
use clap::Args;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::note;
use crate::client::tasks::Cancelled;
use crate::service::cancel_task::PathArgs;

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The task's id, or its beginning
    id: String,
    /// Why; whoever works on it is told
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Cancel everything open below it too, also if the task itself has ended
    #[arg(long)]
    tree: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Cancel {
    pub(super) async fn cancel(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let args = PathArgs { reason: self.reason.clone(), cascade: self.tree.then_some(true) };
        let answer = link.client.cancel(&id, &args).await?;
        let code = self.connection.tell(answer.text(), &words(&id, &answer))?;
        if answer.open_descendants > 0 && !self.connection.is_json() {
            note(&still_open(&id, answer.open_descendants));
        }
        Ok(code)
    }
}

fn words(id: &str, answer: &Cancelled) -> String {
    match (answer.cancelled, answer.cancelled_descendants) {
        (true, 0) => format!("{id} is cancelled."),
        (true, below) => format!("{id} is cancelled, and with it {} below it.", tasks(below)),
        (false, below) => format!("{id} had ended; {} below it {} cancelled.", tasks(below), are(below)),
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
