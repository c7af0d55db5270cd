//! `baton network members`: the members, and the users who are invited and have not answered yet.

use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::screen::Screen;
use crate::cli::table::Table;

#[derive(Debug, Args)]
pub(crate) struct Members {
    #[command(flatten)]
    connection: Connection,
}

impl Members {
    pub(super) async fn list(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let answer = link.client.members(&link.the_network().await?).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(answer.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = Table::new(&["MEMBER", "ROLE", "JOINED", "INVITED BY", "NAME"]);
        for member in &answer.members {
            table.row([
                (&member.username).into(),
                member.role.as_str().into(),
                moment::ago(member.joined_at).into(),
                member.invited_by.as_deref().unwrap_or("-").into(),
                member.display_name.as_deref().unwrap_or_default().into(),
            ]);
        }
        for invited in &answer.pending {
            table.row([
                (&invited.username).into(),
                invited.role.as_str().into(),
                format!("invited {}", moment::ago(invited.created_at)).into(),
                (&invited.invited_by).into(),
                "".into(),
            ]);
        }
        screen.table(&table)?;
        Ok(ExitCode::SUCCESS)
    }
}
