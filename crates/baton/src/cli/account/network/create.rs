//! `baton network create`.

use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::Screen;
use crate::service::accounts::networks::NewNetwork;

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// What to call it
    name: String,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Create {
    pub(super) async fn create(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let args = NewNetwork { name: self.name.clone(), description: self.description.clone() };
        let created = link.client.create_network(&args).await?;
        let is_used = self.connection.remember_network(&created.network_id)?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(created.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let used = if is_used { ", and is used from now on" } else { "" };
        screen.say(&format!("{} ({}) is made{used}.", created.network_name, created.network_id))?;
        screen.say("Next: `baton node create ALIAS` makes an agent's token.")?;
        Ok(ExitCode::SUCCESS)
    }
}
