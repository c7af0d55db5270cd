//! `baton network invite`: a code that lets others in. A script gets the code alone.

use baton_core::{NetworkRole, limits};
use clap::{Args, ValueEnum};
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::Screen;
use crate::service::accounts::invites::NewInvite;

#[derive(Debug, Args)]
pub(crate) struct Invite {
    /// What those who join become
    #[arg(long, value_enum, default_value_t = Role::Member)]
    role: Role,
    /// How many may join
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i64).range(1..=i64::from(limits::INVITE_MAX_USES)))]
    uses: i64,
    /// For how many days [default: no end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=i64::from(limits::INVITE_MAX_DAYS)))]
    days: Option<i64>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Role {
    Viewer,
    Member,
    Admin,
}

impl From<Role> for NetworkRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Viewer => Self::Viewer,
            Role::Member => Self::Member,
            Role::Admin => Self::Admin,
        }
    }
}

impl Invite {
    pub(super) async fn invite(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let args =
            NewInvite { role: Some(self.role.into()), max_uses: Some(self.uses), expires_days: self.days };
        let invited = link.client.invite(&link.the_network().await?, &args).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(invited.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.say(&invited.invite_code)?;
        if screen.is_terminal() {
            screen.say(&format!(
                "Shown this once. Whoever you give it to runs: baton network join {}",
                invited.invite_code
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
