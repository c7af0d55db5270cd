//! `baton artifact ls`: the artifacts of a network or of a task.

use baton_core::limits;
use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::screen::{Screen, note};
use crate::cli::table::{Cell, Table};
use crate::cli::tasks::task_id;
use crate::client::artifacts::Artifact;
use crate::service::artifacts::list::QueryArgs;

/// Lists artifacts, newest first. An agent's token shows what it uploaded, or what a task of its own refers to.
#[derive(Debug, Args)]
pub(crate) struct Ls {
    /// Only what this task, its messages and its reply refer to; its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// So many at most
    #[arg(long, value_name = "N", default_value_t = limits::ARTIFACT_PAGE_DEFAULT as u16, value_parser = clap::value_parser!(u16).range(1..=limits::OTHER_PAGE_MAX as i64))]
    limit: u16,
    #[command(flatten)]
    connection: Connection,
}

impl Ls {
    pub(super) async fn list(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let task_id = match &self.task {
            Some(id) => Some(task_id::find(&link, id).await?),
            None => None,
        };
        let args = QueryArgs {
            network_id: link.network().await?,
            task_id,
            limit: Some(self.limit.to_string()),
            cursor: None,
        };
        let page = link.client.artifacts(&args).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(page.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.table(&table(&page.artifacts))?;
        if page.next_cursor.is_some() {
            note(&format!("there are more; --limit takes up to {}", limits::OTHER_PAGE_MAX));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn table(artifacts: &[Artifact]) -> Table {
    let mut table = Table::new(&["SHA256", "BYTES", "TYPE", "WITH", "UPLOADED", "NAME"]);
    for artifact in artifacts {
        table.row([
            Cell::id(&artifact.sha256),
            artifact.size.to_string().into(),
            (&artifact.media_type).into(),
            artifact.source.as_deref().unwrap_or_default().into(),
            artifact.created_at.map(moment::ago).unwrap_or_default().into(),
            (&artifact.name).into(),
        ]);
    }
    table
}
