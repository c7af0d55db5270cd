//! `baton whoami`: who the token speaks for, and where.

use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::Screen;

#[derive(Debug, Args)]
pub(crate) struct Whoami {
    #[command(flatten)]
    connection: Connection,
}

impl Whoami {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        block_on(self.say())
    }

    async fn say(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let who = link.client.me().await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(who.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let user = &who.user;
        match &who.alias {
            Some(alias) => screen.say(&format!("{alias}, a node of {}", user.username))?,
            None => screen.say(&format!("{} ({}), {} of the hub", user.username, user.user_id, user.role))?,
        }
        screen.say(&format!("hub      {}", link.client.hub()))?;
        let current = match &who.current_network {
            Some(id) => Some(id.clone()),
            None => link.network().await?,
        };
        for network in &who.networks {
            let is_current = current.as_ref() == Some(&network.network_id);
            let role = network.member_role.map(|role| format!(", {role}")).unwrap_or_default();
            let mark = if is_current { "network " } else { "        " };
            screen.say(&format!("{mark} {} ({}{role})", network.network_name, network.network_id))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
