//! `baton task ask`: an agent's question to the task's sender, in one's own words.

use clap::Args;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::spoken;
use crate::service::ask_sender::PathArgs;

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The task's id, or its beginning
    id: String,
    /// The question; - reads standard input
    text: String,
    /// The lease you hold; it ends with the question
    #[arg(long, value_name = "ID")]
    lease: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Ask {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let question = spoken::text(&self.text)?;
        block_on(self.ask(&link, question))
    }

    async fn ask(&self, link: &Link, question: String) -> Result<ExitCode, Failure> {
        let id = task_id::find(link, &self.id).await?;
        let asked = link.client.ask(&id, &PathArgs { question, lease_id: self.lease.clone() }).await?;
        self.connection.tell(asked.text(), &format!("{id} waits for its sender's answer."))
    }
}
