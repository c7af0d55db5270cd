//! `baton task answer`: what a task's agent asked for, or a word on the way.

use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::{spoken, transfer};
use crate::client::tasks::Replied;
use crate::service::follow_up::{self, AnswerTask};

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
        self.connection.tell(answered.text(), &format!("{id} is {status}."))
    }
}
