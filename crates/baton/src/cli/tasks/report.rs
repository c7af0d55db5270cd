//! `baton task progress` and `baton task share`: what a command reports about its task before the task ends.

use baton_core::limits;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::{spoken, transfer};
use crate::service::artifacts::part::PartArgs;
use crate::service::report_progress;
use crate::service::share_artifact::PathArgs;

/// Reports how far a task you work on is.
///
/// A command of `baton work` names neither the task nor its lease. The hub writes one report a second for a lease; one that
/// comes sooner is answered when its turn has come.
#[derive(Debug, Args)]
pub(crate) struct Progress {
    /// The task's id, or its beginning [default: $BATON_TASK_ID]
    id: Option<String>,
    /// Percentage done, 0 to 100
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=i64::from(limits::PROGRESS_MAX_PERCENT)), required_unless_present = "message")]
    percent: Option<i64>,
    /// What is being done
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// The lease you hold [default: $BATON_LEASE_ID]
    #[arg(long, value_name = "ID")]
    lease: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Progress {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        block_on(self.report(&link))
    }

    async fn report(&self, link: &Link) -> Result<ExitCode, Failure> {
        let (id, lease_id) = held(link, self.id.as_ref(), "its id", self.lease.as_ref()).await?;
        let args = report_progress::Args {
            lease_id,
            percent: self.percent,
            message: self.message.clone(),
            output: None,
        };
        let reported = link.client.report_progress(&id, &args).await?;
        self.connection.print_for_user(reported.text(), &format!("{id}: progress reported."))
    }
}

/// Shares an artifact of a task you work on before the task ends.
///
/// A command of `baton work` names neither the task nor its lease. Texts and files are parts of one artifact, in the order
/// they are given, texts first. A2A clients that follow the task receive them at once.
#[derive(Debug, Args)]
pub(crate) struct Share {
    /// A file, up to 1 GiB; can be repeated
    #[arg(value_name = "FILE", required_unless_present = "text")]
    file: Vec<PathBuf>,
    /// A text; - reads standard input; can be repeated
    #[arg(long, value_name = "TEXT")]
    text: Vec<String>,
    /// Your id for the artifact; using it again replaces it, or appends with --append
    #[arg(long = "as", value_name = "ID", default_value = "output")]
    artifact_id: String,
    /// Append to what was shared under this id instead of replacing it
    #[arg(long)]
    append: bool,
    /// The artifact is complete: nothing more is appended
    #[arg(long)]
    last: bool,
    /// The task's id, or its beginning [default: $BATON_TASK_ID]
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The lease you hold [default: $BATON_LEASE_ID]
    #[arg(long, value_name = "ID")]
    lease: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Share {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let texts = self.text.iter().map(|text| spoken::text(text)).collect::<Result<_, _>>()?;
        block_on(Box::pin(self.share(&link, texts)))
    }

    async fn share(&self, link: &Link, texts: Vec<String>) -> Result<ExitCode, Failure> {
        let (id, lease_id) = held(link, self.task.as_ref(), "--task", self.lease.as_ref()).await?;
        let files = transfer::upload_for(&link.client, &id, &self.file).await?.unwrap_or_default();
        let texts = texts.into_iter().map(|text| PartArgs { text: Some(text), ..PartArgs::default() });
        let files = files.into_iter().map(|file| PartArgs {
            sha256: Some(file.sha256),
            filename: file.name,
            media_type: file.media_type,
            ..PartArgs::default()
        });
        let args = PathArgs {
            lease_id,
            artifact_id: self.artifact_id.clone(),
            append: self.append,
            last_chunk: self.last,
            parts: texts.chain(files).collect(),
            ..PathArgs::default()
        };
        let shared = link.client.share_artifact(&id, &args).await?;
        self.connection.print_for_user(shared.text(), &format!("{id}: {} shared.", self.artifact_id))
    }
}

/// The task that is worked on and the lease on it: as given, or those of the command of `baton work`.
async fn held(
    link: &Link,
    id: Option<&String>,
    option: &str,
    lease: Option<&String>,
) -> Result<(String, String), Failure> {
    let id = match id.cloned().or_else(|| task_id::variable("BATON_TASK_ID")) {
        Some(id) => task_id::find(link, &id).await?,
        None => return Err(Failure::usage(format!("no task is named; pass {option}, or set BATON_TASK_ID"))),
    };
    match lease.cloned().or_else(|| task_id::variable("BATON_LEASE_ID")) {
        Some(lease) => Ok((id, lease)),
        None => Err(Failure::usage("no lease is named; pass --lease, or set BATON_LEASE_ID")),
    }
}
