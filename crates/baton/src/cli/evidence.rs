//! `baton evidence`: bundles, offline; and a hub's log: written to files, shown, audited.

mod audit;
mod bundle;
mod export;
mod findings;
mod known_key;
mod log;
mod matching;
mod reading;
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
    Export(export::Export),
    Log(log::Log),
    Match(matching::Match),
    Audit(audit::Audit),
}

impl Evidence {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Bundle(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::Show(command) => command.run(),
            Self::Export(command) => command.run(),
            Self::Log(command) => command.run(),
            Self::Match(command) => command.run(),
            Self::Audit(command) => command.run(),
        }
    }
}
