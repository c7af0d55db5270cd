//! `baton node`: an agent's token, shown once, with what to paste where the agent runs, and whose its name is. Remote
//! agents are in `remote.rs`.

mod remote;

use baton_core::TokenScope;
use clap::{Args, Subcommand, ValueEnum};
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::runtime::block_on;
use crate::cli::screen::{Color, Screen};
use crate::client::HubAddress;
use crate::client::accounts::MintedToken;
use crate::service::accounts::{aliases, tokens};

#[derive(Debug, Subcommand)]
pub(crate) enum Node {
    /// Create a token for an agent and show it once
    Create(Create),
    /// Transfer an agent's alias to another member
    HandOver(HandOver),
    /// Register a remote A2A agent under an alias in the network
    AddRemote(remote::AddRemote),
    /// List the network's remote agents
    LsRemote(remote::LsRemote),
    /// Pin the key that has to have signed a remote agent's card
    PinRemote(remote::PinRemote),
    /// Remove a remote agent; tasks it still works on are no longer polled
    RemoveRemote(remote::RemoveRemote),
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The agent's name in the network
    alias: String,
    /// What the token gives access to
    #[arg(long, value_enum, default_value_t = Scope::Node)]
    scope: Scope,
    /// When the token ends by itself, such as 12h or 90d from now; without it, when it is revoked
    #[arg(long, value_name = "SPAN", value_parser = moment::life)]
    expires: Option<i64>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Scope {
    /// The tasks the agent sent or received
    Node,
    /// Every task of the network
    Coordinator,
}

impl Node {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Create(command) => block_on(command.create()),
            Self::HandOver(command) => block_on(command.hand_over()),
            Self::AddRemote(command) => command.run(),
            Self::LsRemote(command) => block_on(command.list()),
            Self::PinRemote(command) => block_on(command.pin()),
            Self::RemoveRemote(command) => block_on(command.remove()),
        }
    }
}

impl Create {
    async fn create(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let scope = match self.scope {
            Scope::Node => TokenScope::Node,
            Scope::Coordinator => TokenScope::Coordinator,
        };
        let args = tokens::NewNodeToken {
            network_id: Some(link.the_network().await?),
            node_name: Some(self.alias.clone()),
            scope: Some(scope),
            expires_in_seconds: self.expires,
        };
        let minted = link.client.mint_node_token(&args).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(minted.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.print(&minted.token)?;
        show_ways(&screen, &self.alias, &minted, link.client.hub())?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
pub(crate) struct HandOver {
    /// The agent's name in the network
    alias: String,
    /// The new owner's username
    username: String,
    #[command(flatten)]
    connection: Connection,
}

impl HandOver {
    async fn hand_over(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let network = link.the_network().await?;
        let members = link.client.members(&network).await?.into_value().members;
        let member = members.into_iter().find(|member| member.username == self.username);
        let Some(member) = member else {
            return Err(Failure::usage(format!(
                "no member of this network is named {:?}; `baton network members` lists them",
                self.username
            )));
        };
        let args = aliases::AliasHandOver { user_id: member.user_id };
        let done = link.client.hand_over_alias(&network, &self.alias, &args).await?;
        let words = format!(
            "{} belongs to {} now. Tokens that others had for it are revoked.",
            self.alias, member.username
        );
        self.connection.print(done.text(), &words)
    }
}

/// On a terminal, what to do with a token that will not be shown again; a script gets the token alone.
fn show_ways(screen: &Screen, alias: &str, minted: &MintedToken, hub: &HubAddress) -> Result<(), Failure> {
    if !screen.is_terminal() {
        return Ok(());
    }
    let (id, token, mcp) = (&minted.token_id, &minted.token, hub.mcp());
    let ways = [
        (
            "Claude Code",
            vec![format!(
                "claude mcp add --transport http baton {mcp} --header \"Authorization: Bearer {token}\""
            )],
        ),
        (
            "Codex, in ~/.codex/config.toml (it reads the token from BATON_TOKEN)",
            vec![
                "[mcp_servers.baton]".into(),
                format!("url = \"{mcp}\""),
                "bearer_token_env_var = \"BATON_TOKEN\"".into(),
            ],
        ),
        (
            "A shell, to answer tasks with any command",
            vec![
                format!("export BATON_HUB={hub} BATON_TOKEN={token}"),
                format!("baton work --alias {alias} -- COMMAND"),
            ],
        ),
    ];
    screen.print("")?;
    screen.print(&format!("The token of {alias} ({id}) is shown this once. Where the agent runs, paste:"))?;
    if let Some(expires_at) = minted.expires_at {
        screen.print(&format!(
            "It expires {}, at {}.",
            moment::until(expires_at),
            moment::date_time(expires_at)
        ))?;
    }
    for (name, lines) in ways {
        screen.print("")?;
        screen.print_colored(Color::Heading, name)?;
        for line in lines {
            screen.print(&format!("  {line}"))?;
        }
    }
    Ok(())
}
