//! `baton tasks`.

use baton_core::{Status, limits};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::process::ExitCode;

use super::view;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::{Screen, note};
use crate::service::list_tasks;

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only tasks of this status
    #[arg(long, value_parser = statuses())]
    status: Option<String>,
    /// Only tasks to this agent
    #[arg(long, value_name = "ALIAS")]
    to: Option<String>,
    /// Only tasks from this agent or user
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = limits::TASK_LIST_DEFAULT as u16, value_parser = clap::value_parser!(u16).range(1..=limits::TASK_PAGE_MAX as i64))]
    limit: u16,
    /// Continue after a page: its next_cursor
    #[arg(long)]
    cursor: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

fn statuses() -> PossibleValuesParser {
    PossibleValuesParser::new(Status::ALL.iter().map(|status| status.as_str()))
}

impl List {
    pub(super) async fn list(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let args = list_tasks::QueryArgs {
            task_id: None,
            status: self.status.clone(),
            to_name: self.to.clone(),
            from_name: self.from.clone(),
            network_id: link.network().await?,
            limit: Some(self.limit.to_string()),
            cursor: self.cursor.clone(),
            ..Default::default()
        };
        let page = link.client.tasks(&args).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(page.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let table = view::tasks(&page.tasks, screen.is_terminal());
        if !table.is_empty() {
            screen.table(&table)?;
        }
        if screen.is_terminal() {
            if table.is_empty() {
                note("no tasks here; `baton send ALIAS TEXT` sends one");
            }
            if let Some(cursor) = &page.next_cursor {
                note(&format!("there are more: --limit N, or --cursor {cursor}"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
