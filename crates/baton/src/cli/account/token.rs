//! `baton token`: one's own tokens, without their secrets.

use baton_core::{TokenId, limits};
use clap::{Args, Subcommand};
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::runtime::block_on;
use crate::cli::screen::Screen;
use crate::cli::table::{Cell, Table};
use crate::client::Client;
use crate::client::accounts::ListedToken;
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
    /// The token's id, such as tok_0123456789ab, or its name, such as node:coder, if only one of your tokens has it
    name_or_id: String,
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
        let client = self.connection.open()?.client;
        let id = match TokenId::parse(&self.name_or_id) {
            Some(_) => self.name_or_id.clone(),
            None => id_of(&client, &self.name_or_id).await?,
        };
        let answer = client.revoke_token(&id).await?;
        let name = if id == self.name_or_id { String::new() } else { format!(" ({})", self.name_or_id) };
        self.connection.print(answer.text(), &format!("{id}{name} is revoked."))
    }
}

/// The id of the one token of this name.
async fn id_of(client: &Client, name: &str) -> Result<String, Failure> {
    let tokens = client.tokens().await?.into_value().tokens;
    let named: Vec<&ListedToken> = tokens.iter().filter(|token| token.name == name).collect();
    match &*named {
        [only] => Ok(only.token_id.clone()),
        [] => Err(Failure::usage(format!(
            "no token of yours has the id or the name {name:?}; `baton token ls` lists your tokens"
        ))),
        several => Err(Failure::usage(format!(
            "{} of your tokens are named {name:?}; nothing was revoked. Pass the id of one: {}",
            several.len(),
            told_apart(several)
        ))),
    }
}

/// Tokens of one name, newest first, by what tells them apart.
fn told_apart(tokens: &[&ListedToken]) -> String {
    let shown = tokens.iter().take(limits::NAMESAKE_TOKENS_SHOWN_COUNT).map(|token| {
        let used =
            token.last_used_at.map_or_else(|| "never used".into(), |at| format!("used {}", moment::ago(at)));
        let network = token.network_id.as_ref().map(|id| format!("network {id}, ")).unwrap_or_default();
        format!("{} ({network}created {}, {used})", token.token_id, moment::ago(token.created_at))
    });
    let mut list = shown.collect::<Vec<_>>().join(", ");
    if tokens.len() > limits::NAMESAKE_TOKENS_SHOWN_COUNT {
        list += ", and older ones that `baton token ls` lists";
    }
    list
}
