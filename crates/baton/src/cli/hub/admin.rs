//! `baton hub admin`: what only whoever has the hub's folder may do.

use baton_store::{SqliteOptions, Store};
use clap::{Args, Subcommand};
use std::process::ExitCode;
use std::sync::Arc;

use super::engine::open_sqlite;
use super::folder::{self, Folder};
use super::status::say;
use super::{Trouble, run};
use crate::cli::failure::Failure;
use crate::control::{Answer, Command, Control, ControlError};
use crate::data_folder::DataFolder;
use crate::hub::Clock;
use crate::service::accounts::passwords;

#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Give a user a new password and a new token; ends all user tokens and OAuth grants of that user, not the node tokens of agents
    ResetUser(ResetUser),
}

#[derive(Debug, Args)]
pub(crate) struct ResetUser {
    /// Whom
    #[arg(long, value_name = "NAME")]
    username: String,
    #[command(flatten)]
    folder: Folder,
}

impl Admin {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::ResetUser(command) => command.run(),
        }
    }
}

impl ResetUser {
    fn run(&self) -> Result<ExitCode, Failure> {
        let folder = self.folder.find()?;
        let keys = match Control::connect(&folder.socket()).map_err(Trouble::from)? {
            Some(control) => self.ask(control)?,
            None => self.reset_on(&folder)?,
        };
        say(&format!("new password: {}\nnew token: {}", keys.new_password, keys.token), ExitCode::SUCCESS)
    }

    fn ask(&self, mut control: Control) -> Result<Reset, Trouble> {
        match control.ask(&Command::ResetUser { username: self.username.clone() })? {
            Answer::UserReset { new_password, token } => Ok(Reset { new_password, token }),
            _ => Err(ControlError::Unexpected.into()),
        }
    }

    /// No hub runs, and with the lock held none can start meanwhile.
    fn reset_on(&self, folder: &DataFolder) -> Result<Reset, Trouble> {
        folder::must_hold_a_hub(folder)?;
        let _lock = folder::take(folder)?;
        let store = open_sqlite(folder, SqliteOptions::default(), Clock::start(), Arc::new(|_| {}))?;
        let runtime = run::runtime().map_err(Trouble::System)?;
        let keys = runtime.block_on(passwords::reset(&store, &self.username));
        store.close();
        let keys = keys.map_err(Trouble::Reset)?;
        Ok(Reset {
            new_password: keys.new_password.expose().to_owned(),
            token: keys.token.expose().to_owned(),
        })
    }
}

/// What the operator is shown, once.
struct Reset {
    new_password: String,
    token: String,
}
