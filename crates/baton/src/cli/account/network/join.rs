//! `baton network join`.

use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::Screen;
use crate::service::accounts::invites;

#[derive(Debug, Args)]
pub(crate) struct Join {
    /// The invite code, inv_…
    code: String,
    #[command(flatten)]
    connection: Connection,
}

impl Join {
    pub(super) async fn join(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let joined = link.client.join(&invites::Join { invite_code: self.code.clone() }).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(joined.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.say(&format!("You are in {} as {}.", joined.network_id, joined.role))?;
        screen.say(&format!(
            "`baton network use {}` makes it the network of the next commands.",
            joined.network_id
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}
