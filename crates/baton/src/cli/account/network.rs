//! `baton network`: the networks one is in, and the people in them.

mod create;
mod delete;
mod invitations;
mod invite;
mod join;
mod leave;
mod ls;
mod members;
mod rename;
mod r#use;

use clap::Subcommand;
use std::process::ExitCode;

use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;

#[derive(Debug, Subcommand)]
pub(crate) enum NetworkCommand {
    /// Make a network, and use it from now on
    Create(create::Create),
    /// List your networks
    Ls(ls::Ls),
    /// Choose the network of the next commands
    Use(r#use::Use),
    /// List the members of a network
    Members(members::Members),
    /// Make an invite code
    Invite(invite::Invite),
    /// Join a network by an invite code
    Join(join::Join),
    /// List the networks you are invited to
    Invitations(invitations::Invitations),
    /// Accept an invitation
    Accept(invitations::Accept),
    /// Decline an invitation
    Decline(invitations::Decline),
    /// Leave a network; your tokens for it are revoked
    Leave(leave::Leave),
    /// Give a network another name
    Rename(rename::Rename),
    /// Delete a network with its tasks, tokens, history and evidence log
    ///
    /// This cannot be undone. To keep the evidence, run `baton evidence export` first.
    Delete(delete::Delete),
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
