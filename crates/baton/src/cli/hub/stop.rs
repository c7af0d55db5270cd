//! `baton hub stop`: asks a running hub to end in good order and waits until it has.

use clap::Args;
use std::process::ExitCode;

use super::folder::Folder;
use super::status::say;
use crate::cli::failure::Failure;
use crate::cli::hub::Trouble;
use crate::control::{Answer, Command, Control, ControlError};

#[derive(Debug, Args)]
pub(crate) struct Stop {
    #[command(flatten)]
    folder: Folder,
}

impl Stop {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let folder = self.folder.find()?;
        let Some(mut control) = Control::connect(&folder.socket()).map_err(Trouble::from)? else {
            return say(&format!("no hub runs in {}", folder.path().display()), ExitCode::FAILURE);
        };
        match control.ask(&Command::Stop).map_err(Trouble::from)? {
            Answer::Stopping => {
                control.wait_for_end().map_err(Trouble::from)?;
                say("stopped", ExitCode::SUCCESS)
            }
            _ => Err(Trouble::from(ControlError::Unexpected).into()),
        }
    }
}
