//! `baton network ls`.

use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::screen::Screen;
use crate::cli::table::{Cell, Table};

#[derive(Debug, Args)]
pub(crate) struct Ls {
    #[command(flatten)]
    connection: Connection,
}

impl Ls {
    pub(super) async fn list(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let answer = link.client.networks().await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(answer.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let current = link.named_network();
        let mut table = Table::new(&["", "ID", "NAME", "ROLE", "MADE", "DESCRIPTION"]);
        for network in &answer.networks {
            let is_current = current == Some(&*network.network_id) || current == Some(&*network.network_name);
            table.row([
                if is_current { "*" } else { "" }.into(),
                Cell::id(&network.network_id),
                (&network.network_name).into(),
                network.member_role.map_or("-", |role| role.as_str()).into(),
                moment::ago(network.created_at).into(),
                network.description.as_deref().unwrap_or_default().into(),
            ]);
        }
        screen.table(&table)?;
        Ok(ExitCode::SUCCESS)
    }
}
