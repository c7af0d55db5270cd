//! `baton inbox` and `baton ack`: the inbox of the token's owner, and acknowledging items in it. `baton inbox wait` is in
//! `inbox_wait.rs`.

use baton_core::limits;
use clap::{Args, Subcommand};
use std::process::ExitCode;

use super::inbox_wait::InboxWait;
use super::{task_id, view};
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::{Screen, note};
use crate::service::inbox::{AckOwnArgs, QueryArgs};
use crate::service::send_ack::AckTask;
use crate::service::task_command::NoArgs;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Inbox {
    #[command(subcommand)]
    command: Option<InboxCommand>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = limits::INBOX_SHOWN_DEFAULT, value_parser = clap::value_parser!(u16).range(1..=limits::INBOX_PAGE_MAX as i64))]
    limit: u16,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Subcommand)]
enum InboxCommand {
    /// Wait until something new is in an inbox
    Wait(InboxWait),
}

impl Inbox {
    pub(super) async fn run(&self) -> Result<ExitCode, Failure> {
        match &self.command {
            Some(InboxCommand::Wait(command)) => Ok(command.run().await),
            None => self.show().await,
        }
    }

    async fn show(&self) -> Result<ExitCode, Failure> {
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

#[derive(Debug, Args)]
pub(crate) struct Ack {
    /// The id of a task, or of a message in your inbox
    id: String,
    #[command(flatten)]
    connection: Connection,
}

impl Ack {
    pub(super) async fn ack(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let text = match link.client.command::<AckTask, serde_json::Value>(&id, &NoArgs::default()).await {
            Ok(acked) => acked.into_text(),
            // No task has this id, so it is a message's.
            Err(error) if error.code() == Some("task_not_found") => {
                let args = AckOwnArgs { network_id: Some(link.the_network().await?) };
                link.client.ack_inbox(&id, &args).await?.into_text()
            }
            Err(error) => return Err(error.into()),
        };
        self.connection.print(&*text, &format!("{id} was seen."))
    }
}
