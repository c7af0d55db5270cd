//! `baton network`: the networks one is in. The people in them are in `network/membership.rs`.

mod membership;

use clap::{Args, Subcommand};
use serde_json::json;
use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use crate::cli::connection::{Connection, one_named};
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::runtime::block_on;
use crate::cli::screen::Screen;
use crate::cli::table::{Cell, Table};
use crate::service::accounts::networks::{self, NewNetwork};

#[derive(Debug, Subcommand)]
pub(crate) enum NetworkCommand {
    /// Create a network and select it
    Create(Create),
    /// List your networks
    Ls(Ls),
    /// Select the network for the next commands
    Use(Use),
    /// List the members of a network
    Members(membership::Members),
    /// Create an invite code
    Invite(membership::Invite),
    /// Join a network with an invite code
    Join(membership::Join),
    /// List the networks you are invited to
    Invitations(membership::Invitations),
    /// Accept an invitation
    Accept(membership::Accept),
    /// Decline an invitation
    Decline(membership::Decline),
    /// Leave a network; your tokens for it are revoked
    Leave(membership::Leave),
    /// Rename a network
    Rename(Rename),
    /// Delete a network with its tasks, tokens, history and evidence log
    ///
    /// This cannot be undone. To keep the evidence, run `baton evidence export` first.
    Delete(Delete),
}

impl NetworkCommand {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Create(command) => block_on(command.create()),
            Self::Ls(command) => block_on(command.list()),
            Self::Use(command) => block_on(command.choose()),
            Self::Members(command) => block_on(command.list()),
            Self::Invite(command) => block_on(command.invite()),
            Self::Join(command) => block_on(command.join()),
            Self::Invitations(command) => block_on(command.list()),
            Self::Accept(command) => block_on(command.accept()),
            Self::Decline(command) => block_on(command.decline()),
            Self::Leave(command) => block_on(command.leave()),
            Self::Rename(command) => block_on(command.rename()),
            Self::Delete(command) => block_on(command.delete()),
        }
    }
}

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
    async fn create(&self) -> Result<ExitCode, Failure> {
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
        screen.print(&format!("{} ({}) is made{used}.", created.network_name, created.network_id))?;
        screen.print("Next: `baton node create ALIAS` makes an agent's token.")?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Ls {
    #[command(flatten)]
    connection: Connection,
}

impl Ls {
    async fn list(&self) -> Result<ExitCode, Failure> {
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

#[derive(Debug, Args)]
pub(crate) struct Use {
    /// The network, by its name or its id
    network_name: String,
    #[command(flatten)]
    connection: Connection,
}

impl Use {
    async fn choose(&self) -> Result<ExitCode, Failure> {
        let networks = self.connection.open()?.client.networks().await?.into_value().networks;
        let network = one_named(&self.network_name, &networks)?;
        if !self.connection.remember_network(&network.network_id)? {
            return Err(Failure::usage(
                "the choice is kept in a profile, and there is none; run `baton login`, or set BATON_NETWORK",
            ));
        }
        self.connection.print(
            &json!({"ok": true, "network_id": network.network_id, "network_name": network.network_name}),
            &format!("Using {} ({}).", network.network_name, network.network_id),
        )
    }
}

#[derive(Debug, Args)]
pub(crate) struct Rename {
    /// The network, by its name or its id
    network_name: String,
    /// Its new name
    new_name: String,
    #[command(flatten)]
    connection: Connection,
}

impl Rename {
    async fn rename(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = link.find(&self.network_name).await?;
        let renamed = link
            .client
            .rename_network(&id, &networks::Change { name: Some(self.new_name.clone()), public_cards: None })
            .await?;
        self.connection.print(renamed.text(), &format!("{id} is now called {}.", self.new_name))
    }
}

#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// The network, by its name or its id
    network_name: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Delete {
    async fn delete(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let networks = link.client.networks().await?.into_value().networks;
        let network = one_named(&self.network_name, &networks)?;
        if !self.yes {
            confirm(&network.network_name)?;
        }
        let deleted = link.client.delete_network(&network.network_id).await?;
        self.connection.forget_network(&network.network_id)?;
        self.connection
            .print(deleted.text(), &format!("{} ({}) is deleted.", network.network_name, network.network_id))
    }
}

fn confirm(name: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "this deletes the network with its tasks, tokens, history and evidence log; to keep the evidence, run \
             `baton evidence export` first. Pass --yes to delete without being asked",
        ));
    }
    let shown = crate::cli::plain::line(name);
    let _ = write!(
        io::stderr(),
        "This deletes {shown} with its tasks, tokens, history and evidence log, and cannot be undone.\n\
         To keep the evidence, run `baton evidence export` first.\n\
         Type the network's name to delete it: "
    );
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.map_err(|error| Failure::Read { name: "the answer".into(), error })?;
    if line.trim_end_matches(['\r', '\n']) == name {
        return Ok(());
    }
    Err(Failure::usage("that is not the name of the network; nothing was deleted"))
}
