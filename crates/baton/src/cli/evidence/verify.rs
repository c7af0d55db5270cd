//! `baton evidence verify`: a bundle's bytes against each other.

use baton_evidence::bundle::verify;
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::failure::Failure;
use crate::cli::input::Input;

/// Check that a bundle's bytes agree with each other
///
/// Offline: container, hashes, numbers, order. It shows that the bundle is what was packed; it does not show that
/// what the events say is so, nor who packed it. Exits with 0, or with 2 and the class, code and place of the
/// first rule that is broken.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The bundle, - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Verify {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let mut input = Input::open(&self.file)?;
        let checked = verify(&mut input).map_err(|error| Failure::verify(&input.name, error))?;
        let line = format!("ok: {} events, run root {}\n", checked.event_count, checked.run_root);
        io::stdout().write_all(line.as_bytes()).map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }
}
