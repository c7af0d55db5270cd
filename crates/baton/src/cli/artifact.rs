//! `baton artifact`: files that tasks, messages and replies refer to.

mod get;
mod ls;
mod put;

use clap::Subcommand;
use std::process::ExitCode;

use super::failure::Failure;
use super::runtime::block_on;

#[derive(Debug, Subcommand)]
pub(crate) enum ArtifactCommand {
    /// Upload files and print their SHA-256
    Put(put::Put),
    /// Download an artifact
    Get(get::Get),
    /// List artifacts, newest first
    Ls(ls::Ls),
}

impl ArtifactCommand {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Put(command) => block_on(Box::pin(command.put())),
            Self::Get(command) => block_on(Box::pin(command.get())),
            Self::Ls(command) => block_on(command.list()),
        }
    }
}
