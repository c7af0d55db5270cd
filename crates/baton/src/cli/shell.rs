//! What a shell wants to know of the commands: completions and man pages, made of the same definitions.

use clap::{Args, Subcommand};
use clap_complete::Shell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::completion;
use super::failure::Failure;
use super::settings;

#[derive(Debug, Subcommand)]
pub(crate) enum ShellHelp {
    /// Print completions for a shell
    ///
    /// In bash, zsh and fish they also complete aliases, task ids, networks, tokens and profiles: at each TAB the hub is asked, for a
    /// second at most. A hub that cannot be reached is not mentioned; nothing is completed then.
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page, or write one page for every command
    Man(Man),
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write baton.1, baton-send.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl ShellHelp {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Completions { shell } => {
                // Made whole before it is written: the generator panics when its reader goes away.
                let script = completion::script(*shell).map_err(Failure::stdout)?;
                io::stdout().write_all(&script).map_err(Failure::stdout)?;
            }
            Self::Man(man) => man.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Man {
    fn run(&self) -> Result<(), Failure> {
        match &self.dir {
            None => clap_mangen::Man::new(described()).render(&mut io::stdout()).map_err(Failure::stdout),
            Some(dir) => write_all(dir)
                .map_err(|error| Failure::Write { name: format!("the pages in {}", dir.display()), error }),
        }
    }
}

fn write_all(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    clap_mangen::generate_to(described(), dir)
}

/// Every command, with the environment variables of settings.
fn described() -> clap::Command {
    settings::described(super::command())
}
