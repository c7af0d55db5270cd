//! `baton cancel`.

use clap::Args;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::service::cancel_task::PathArgs;

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The task's id, or its beginning
    id: String,
    /// Why; whoever works on it is told
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Cancel {
    pub(super) async fn cancel(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let answer = link.client.cancel(&id, &PathArgs { reason: self.reason.clone() }).await?;
        self.connection.tell(answer.text(), &format!("{id} is cancelled."))
    }
}
