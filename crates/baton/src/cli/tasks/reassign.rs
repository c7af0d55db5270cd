//! `baton reassign`.

use clap::Args;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::service::reassign_task::PathArgs;

#[derive(Debug, Args)]
pub(crate) struct Reassign {
    /// The task's id, or its beginning
    id: String,
    /// The agent that is to have it
    alias: String,
    #[command(flatten)]
    connection: Connection,
}

impl Reassign {
    pub(super) async fn reassign(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let answer = link.client.reassign(&id, &PathArgs { new_alias: self.alias.clone() }).await?;
        self.connection.tell(
            answer.text(),
            &format!("{} went from {} to {}.", answer.task_id, answer.reassigned_from, answer.reassigned_to),
        )
    }
}
