//! The reference server, started for the run with a database in a folder of its own; both go with the run.

use rustix::process::Signal;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;

use crate::failure::Failure;
use crate::request::Address;
use crate::server::{Process, command, first_address};

const NAME: &str = "the reference server";
const LISTENING: &str = "listening on ";
/// A Python server has much to import.
const START_MAX: Duration = Duration::from_secs(60);

/// A running server.
pub(super) struct Reference {
    pub(super) address: Address,
    _process: Process,
    _folder: TempDir,
}

impl Reference {
    /// Starts the words with `--database FILE` behind them.
    pub(super) fn start(words: &[OsString], scratch: &Path) -> Result<Self, Failure> {
        let failed = Failure::of(NAME);
        let (program, arguments) = words.split_first().ok_or_else(|| failed("no command"))?;
        let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
        let mut start = command(program, Signal::TERM, &[]);
        start.args(arguments).arg("--database").arg(folder.path().join("tasks.db")).stdout(Stdio::piped());
        let mut process = Process::start(NAME, &mut start, Signal::TERM)?;
        let url = process.child().stdout.take().map(|output| first_address(output, LISTENING));
        let url = url.and_then(|url| url.recv_timeout(START_MAX).ok());
        let silent = format!(
            "{} did not print \"{LISTENING}…\" (`make clients` installs the server)",
            program.display()
        );
        let url = url.ok_or(Failure::Server { server: NAME, reason: silent })?;
        Ok(Self { address: Address::of_url(&url)?, _process: process, _folder: folder })
    }
}
