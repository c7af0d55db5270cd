//! `baton reply`: the end of a task, in one's own words.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::{spoken, transfer};
use crate::client::tasks::Replied;
use crate::service::send_reply::{EndingName, PathArgs, ReplyToTask};

#[derive(Debug, Args)]
pub(crate) struct Reply {
    /// The task's id, or its beginning
    id: String,
    /// The answer; - reads standard input
    text: String,
    /// A file that the task brought, up to 1 GiB; can be repeated, up to 100 times
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// How the task ends [default: replied, or failed with --rejected]
    #[arg(long, value_enum)]
    status: Option<Ending>,
    /// Decline the task: it ends as failed, and A2A senders get TASK_STATE_REJECTED
    #[arg(long)]
    rejected: bool,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Ending {
    Replied,
    Failed,
    Cancelled,
}

impl From<Ending> for EndingName {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Replied => Self::Replied,
            Ending::Failed => Self::Failed,
            Ending::Cancelled => Self::Cancelled,
        }
    }
}

impl Reply {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let text = spoken::text(&self.text)?;
        block_on(self.reply(&link, text))
    }

    /// A rejection is a failure; the hub refuses it with any other end.
    fn status(&self) -> Ending {
        self.status.unwrap_or(if self.rejected { Ending::Failed } else { Ending::Replied })
    }

    async fn reply(&self, link: &Link, text: String) -> Result<ExitCode, Failure> {
        let id = task_id::find(link, &self.id).await?;
        let artifacts = transfer::upload_for(&link.client, &id, &self.file).await?;
        let args = PathArgs {
            text,
            status: Some(self.status().into()),
            lease_id: None,
            bare: None,
            artifacts,
            rejected: self.rejected.then_some(true),
            claim_next: None,
        };
        let replied = link.client.command::<ReplyToTask, Replied>(&id, &args).await?;
        let status = replied.status.map_or("ended", |status| status.as_str());
        self.connection.print(replied.text(), &format!("{id} is {status}."))
    }
}
