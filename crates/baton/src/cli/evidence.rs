//! `baton evidence`: bundles, offline.

mod bundle;
mod show;
mod verify;

use clap::Subcommand;
use std::process::ExitCode;

use super::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum Evidence {
    /// Pack events into a bundle
    Bundle(bundle::Bundle),
    /// Check that a bundle's bytes agree with each other
    Verify(verify::Verify),
    /// List what a bundle holds
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
