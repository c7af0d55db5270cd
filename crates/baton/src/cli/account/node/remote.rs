//! `baton node add-remote`, `ls-remote`, `pin-remote`, `remove-remote`: remote agents. Their bearer token is read from standard
//! input, never from an argument, which every process of the machine may read.

use clap::Args;
use std::process::ExitCode;

use crate::cli::account::password;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::plain;
use crate::cli::runtime::block_on;
use crate::cli::screen::Screen;
use crate::cli::table::{Cell, Table};
use crate::service::accounts::{remote_keys, remotes};

#[derive(Debug, Args)]
pub(crate) struct AddRemote {
    /// Its name in the network
    alias: String,
    /// The URL of its A2A card; a URL that does not end in .json is the agent's base
    #[arg(long, value_name = "URL")]
    card: String,
    /// Read the bearer token for the agent from standard input
    #[arg(long)]
    bearer_stdin: bool,
    /// The thumbprint (RFC 7638) of the key that has to have signed the card; without it, the key that signed it now is pinned
    #[arg(long, value_name = "KEY")]
    pin: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl AddRemote {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let credential = if self.bearer_stdin { Some(password::line()?) } else { None };
        block_on(self.add(credential))
    }

    async fn add(&self, credential: Option<String>) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let network = link.the_network().await?;
        let args = remotes::NewRemote {
            alias: self.alias.clone(),
            card_url: self.card.clone(),
            credential,
            pinned_key: self.pin.clone(),
        };
        let added = link.client.add_remote(&network, &args).await?;
        let name = plain::line(&added.name);
        let key = match &added.remote.pinned_key {
            Some(key) => format!("Its card has to be signed by the key {}.", plain::line(key)),
            None => "Its card is not signed.".to_owned(),
        };
        let told = format!("Tasks sent to {} now go to {name}. {key}", self.alias);
        self.connection.print(added.text(), &told)
    }
}

#[derive(Debug, Args)]
pub(crate) struct LsRemote {
    #[command(flatten)]
    connection: Connection,
}

impl LsRemote {
    pub(super) async fn list(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let network = link.the_network().await?;
        let answer = link.client.remotes(&network).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(answer.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = Table::new(&["ALIAS", "CARD", "KEY", "ERROR", "TOKEN", "BY", "ADDED"]);
        for remote in &answer.remotes {
            table.row([
                Cell::id(&remote.alias),
                (&remote.card_url).into(),
                remote.pinned_key.as_deref().unwrap_or("unsigned").into(),
                remote.card_error.as_deref().unwrap_or("-").into(),
                if remote.has_credential { "kept" } else { "-" }.into(),
                (&remote.created_by).into(),
                moment::ago(remote.created_at).into(),
            ]);
        }
        screen.table(&table)?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
pub(crate) struct PinRemote {
    /// Its name in the network
    alias: String,
    /// The thumbprint (RFC 7638) of the key that signs its card from now on
    #[arg(long, value_name = "KEY")]
    pin: String,
    #[command(flatten)]
    connection: Connection,
}

impl PinRemote {
    pub(super) async fn pin(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let network = link.the_network().await?;
        let args = remote_keys::PinRemoteKey { pinned_key: self.pin.clone() };
        let pinned = link.client.pin_remote_key(&network, &self.alias, &args).await?;
        let told = format!("The card of {} has to be signed by the key {}.", self.alias, self.pin);
        self.connection.print(pinned.text(), &told)
    }
}

#[derive(Debug, Args)]
pub(crate) struct RemoveRemote {
    /// Its name in the network
    alias: String,
    #[command(flatten)]
    connection: Connection,
}

impl RemoveRemote {
    pub(super) async fn remove(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let network = link.the_network().await?;
        let removed = link.client.remove_remote(&network, &self.alias).await?;
        self.connection.print(removed.text(), &format!("{} is removed.", self.alias))
    }
}
