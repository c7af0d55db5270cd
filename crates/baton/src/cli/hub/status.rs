//! `baton hub status` and `baton hub stop`: whether a hub runs in a folder, and which; and its end, cleanly.

use clap::Args;
use std::io::{self, Write};
use std::process::ExitCode;

use super::folder::Folder;
use crate::cli::failure::Failure;
use crate::cli::hub::Trouble;
use crate::control::{Answer, Command, Control, ControlError};

#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    folder: Folder,
}

impl Status {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let folder = self.folder.find()?;
        let Some(mut control) = Control::connect(&folder.socket()).map_err(Trouble::from)? else {
            return say(&format!("no hub runs in {}", folder.path().display()), ExitCode::FAILURE);
        };
        match control.ask(&Command::Status).map_err(Trouble::from)? {
            Answer::Status(hub) => say(
                &format!(
                    "running: pid {}, {}, version {}, up {} s, data in {}",
                    hub.pid,
                    hub.address,
                    hub.version,
                    hub.uptime_seconds,
                    folder.path().display()
                ),
                ExitCode::SUCCESS,
            ),
            _ => Err(Trouble::from(ControlError::Unexpected).into()),
        }
    }
}

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

/// One line, and the exit code that goes with it.
pub(super) fn say(line: &str, code: ExitCode) -> Result<ExitCode, Failure> {
    writeln!(io::stdout(), "{line}").map_err(Failure::stdout)?;
    Ok(code)
}
