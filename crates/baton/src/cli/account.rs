//! Commands about who one is: registering, logging in, networks, nodes and tokens.

mod network;
mod node;
mod password;
mod quota;
mod registration;
mod session;
mod token;

use clap::Subcommand;
use std::process::ExitCode;

use super::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum Account {
    /// Log in to a hub and save the profile
    Login(session::Login),
    /// Create an account on a hub and log in
    Register(registration::Register),
    /// End the login and forget the token
    Logout(session::Logout),
    /// Show the current user and hub
    Whoami(session::Whoami),
    /// Change your password; every other login of yours ends
    Passwd(password::Passwd),
    /// Create, list, select and manage networks
    #[command(subcommand)]
    Network(network::NetworkCommand),
    /// Create tokens for agents
    #[command(subcommand)]
    Node(node::Node),
    /// List and revoke tokens
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Show and set how much accounts and networks may have; for system admins, and delegation_depth for a network's admins
    #[command(subcommand)]
    Quota(quota::QuotaCommand),
}

impl Account {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Login(command) => command.run(),
            Self::Register(command) => command.run(),
            Self::Logout(command) => command.run(),
            Self::Whoami(command) => command.run(),
            Self::Passwd(command) => command.run(),
            Self::Network(command) => command.run(),
            Self::Node(command) => command.run(),
            Self::Token(command) => command.run(),
            Self::Quota(command) => command.run(),
        }
    }
}
