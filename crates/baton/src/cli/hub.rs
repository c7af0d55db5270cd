//! `baton hub`: start, stop and look after a hub, on its own machine.

mod admin;
mod backup;
mod check;
mod config;
mod engine;
mod first_password;
mod folder;
mod greeting;
mod health;
mod log;
mod ls;
mod parse;
mod restore;
mod run;
mod service_manager;
mod short_line;
mod start;
mod status;
mod store_option;
mod trouble;

pub(crate) use log::Log;
pub(crate) use trouble::Trouble;

use clap::Subcommand;
use std::process::ExitCode;

use super::failure::Failure;
use super::settings::Resolved;

#[derive(Debug, Subcommand)]
pub(crate) enum Hub {
    /// Start a hub and run it until it is asked to stop
    Start(Box<start::Start>),
    Config(Box<config::Config>),
    /// Say whether a hub runs; exit code 0 if it does, 1 if not
    Status(status::Status),
    Health(health::Health),
    /// Stop a running hub cleanly; exit code 1 if none runs
    Stop(status::Stop),
    /// List the hubs on a database; exit code 0 if one is alive, 1 if none is
    Ls(ls::Ls),
    /// Check that a hub's tables and its logs of evidence agree; also while it runs
    Check(check::Check),
    /// Write everything a hub keeps to one file, also while it runs
    Backup(backup::Backup),
    /// Make a data folder of a backup
    Restore(restore::Restore),
    /// Commands for the operator of the hub
    #[command(subcommand)]
    Admin(admin::Admin),
}

impl Hub {
    pub(crate) fn run(&self, resolved: &Resolved) -> Result<ExitCode, Failure> {
        match self {
            Self::Start(command) => command.run(resolved),
            Self::Config(command) => command.run(resolved),
            Self::Status(command) => command.run(),
            Self::Health(command) => command.run(),
            Self::Stop(command) => command.run(),
            Self::Ls(command) => command.run(),
            Self::Check(command) => command.run(),
            Self::Backup(command) => command.run(),
            Self::Restore(command) => command.run(),
            Self::Admin(command) => command.run(),
        }
    }
}
