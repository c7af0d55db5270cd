//! `baton inbox`: what waits for whoever the token speaks for.

use baton_core::limits;
use clap::Args;
use std::process::ExitCode;

use super::view;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::{Screen, note};
use crate::service::get_inbox::QueryArgs;

#[derive(Debug, Args)]
pub(crate) struct Inbox {
    /// How many
    #[arg(long, value_name = "N", default_value_t = limits::INBOX_SHOWN_DEFAULT, value_parser = clap::value_parser!(u16).range(1..=limits::INBOX_PAGE_MAX as i64))]
    limit: u16,
    #[command(flatten)]
    connection: Connection,
}

impl Inbox {
    pub(super) async fn show(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let args = QueryArgs {
            limit: Some(self.limit.to_string()),
            network_id: link.network().await?,
            cursor: None,
        };
        let inbox = link.client.inbox(&args).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(inbox.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        if !inbox.messages.is_empty() {
            screen.table(&view::deliveries(&inbox.messages))?;
        } else if screen.is_terminal() {
            note("nothing waits for you");
        }
        Ok(ExitCode::SUCCESS)
    }
}
