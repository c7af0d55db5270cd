//! The reference server, started for the run with a database in a folder of its own, and ended with it.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

use crate::cli::bench::hub_process::first_address;
use crate::cli::bench::trouble::Trouble;

const LISTENING: &str = "listening on ";
/// A Python server has much to import.
const START_MAX: Duration = Duration::from_secs(60);

/// The server and its folder; both go when this does.
pub(super) struct Reference {
    child: Child,
    pub(super) url: String,
    _folder: TempDir,
}

impl Reference {
    /// Starts the command with `--database FILE` behind it.
    pub(super) fn start(command: &[OsString], parent: &Path) -> Result<Self, Trouble> {
        let failed = |error: std::io::Error| Trouble::NoReference(error.to_string());
        let folder = tempfile::Builder::new().prefix("baton-bench-").tempdir_in(parent).map_err(failed)?;
        let database = std::path::absolute(folder.path().join("tasks.db")).map_err(failed)?;
        let (program, arguments) =
            command.split_first().ok_or_else(|| Trouble::NoReference("no command was given".into()))?;
        let child = Command::new(program)
            .args(arguments)
            .arg("--database")
            .arg(database)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.map_err(|error| {
            Trouble::NoReference(format!("{}: {error} (`make clients` installs it)", program.display()))
        })?;
        let lines = child.stdout.take().map(|output| first_address(output, LISTENING));
        let mut reference = Self { child, url: String::new(), _folder: folder };
        let address = lines.and_then(|lines| lines.recv_timeout(START_MAX).ok());
        let silent = || Trouble::NoReference(format!("no line \"{LISTENING}…\" came"));
        reference.url = address.ok_or_else(silent)?;
        Ok(reference)
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
