//! `baton retry`: the new task's id is the output.

use clap::Args;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::{Screen, note};

#[derive(Debug, Args)]
pub(crate) struct Retry {
    /// The task's id, or its beginning; it failed, was cancelled or expired
    id: String,
    #[command(flatten)]
    connection: Connection,
}

impl Retry {
    pub(super) async fn retry(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let retried = link.client.retry(&id).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(retried.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.say(&retried.task_id)?;
        if screen.is_terminal() {
            note(&format!("sent again; {} stays as it is", retried.retry_of));
        }
        Ok(ExitCode::SUCCESS)
    }
}
