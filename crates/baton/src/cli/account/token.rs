//! `baton token`: one's own tokens, without their secrets.

use clap::{Args, Subcommand};
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::runtime::block_on;
use crate::cli::screen::Screen;
use crate::cli::table::{Cell, Table};
use crate::service::WireTime;

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// List your tokens, newest first
    Ls(Ls),
    /// End a token at once
    Revoke(Revoke),
}

#[derive(Debug, Args)]
pub(crate) struct Ls {
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    /// The token's id, such as tok_0123456789ab
    id: String,
    #[command(flatten)]
    connection: Connection,
}

impl TokenCommand {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Ls(command) => block_on(command.list()),
            Self::Revoke(command) => block_on(command.revoke()),
        }
    }
}

impl Ls {
    async fn list(&self) -> Result<ExitCode, Failure> {
        let answer = self.connection.open()?.client.tokens().await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(answer.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = Table::new(&["ID", "NAME", "SCOPE", "NETWORK", "MADE", "LAST USED", "EXPIRES"]);
        for token in &answer.tokens {
            table.row([
                Cell::id(&token.token_id),
                (&token.name).into(),
                (&token.scope).into(),
                token.network_id.as_deref().unwrap_or("-").into(),
                moment::ago(token.created_at).into(),
                token.last_used_at.map_or_else(|| "never".into(), moment::ago).into(),
                token.expires_at.map_or_else(|| "never".into(), expiry).into(),
            ]);
        }
        screen.table(&table)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// When a token ends; soon is marked.
fn expiry(at: WireTime) -> String {
    let mark = if moment::is_soon(at) { " (soon)" } else { "" };
    format!("{}{mark}", moment::until(at))
}

impl Revoke {
    async fn revoke(&self) -> Result<ExitCode, Failure> {
        let answer = self.connection.open()?.client.revoke_token(&self.id).await?;
        self.connection.print(answer.text(), &format!("{} is revoked.", self.id))
    }
}
