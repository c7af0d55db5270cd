//! `baton evidence`: bundles, offline.

mod bundle;
mod findings;
mod harmless;
mod known_key;
mod show;
mod verify;

use clap::Subcommand;
use std::process::ExitCode;

use super::failure::Failure;

/// What each command says of itself stands with it.
#[derive(Debug, Subcommand)]
pub(crate) enum Evidence {
    Bundle(bundle::Bundle),
    Verify(verify::Verify),
    Show(show::Show),
}

impl Evidence {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Bundle(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::Show(command) => command.run(),
        }
    }
}
