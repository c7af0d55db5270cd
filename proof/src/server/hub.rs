//! The hub: the release binary that was asked for, on a folder that may outlive it.

use rustix::process::Signal;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Stdio};
use std::sync::mpsc;

use super::{Process, START_MAX, command, secret};
use crate::failure::Failure;
use crate::memory::Memory;
use crate::request::Address;
use crate::tenant::Tenant;

const NAME: &str = "the hub";
const USERNAME: &str = "proof";
const LISTENING: &str = "Baton hub listening on ";

/// A data folder and who may enter.
#[derive(Debug)]
pub(crate) struct Home {
    pub(crate) folder: PathBuf,
    password: String,
}

/// A running hub.
#[derive(Debug)]
pub(crate) struct Hub {
    process: Process,
    pub(crate) address: Address,
}

impl Home {
    pub(crate) fn new(folder: &Path) -> Result<Self, Failure> {
        Ok(Self { folder: folder.to_owned(), password: secret()? })
    }

    /// Starts `binary` on this folder.
    pub(crate) fn start(&self, binary: &Path) -> Result<Hub, Failure> {
        self.start_in(binary, &[])
    }

    /// The same with this environment beside the usual one. What it logs goes to `hub.log` beside the folder.
    pub(crate) fn start_in(
        &self,
        binary: &Path,
        environment: &[(&'static str, PathBuf)],
    ) -> Result<Hub, Failure> {
        let log = self.folder.with_file_name("hub.log");
        let log =
            OpenOptions::new().create(true).append(true).open(&log).map_err(Failure::file(log.display()))?;
        let mut start = command(binary.as_os_str(), Signal::TERM, &[]);
        start
            .args(["hub", "start", "--port", "0", "--username", USERNAME, "--data-dir"])
            .arg(&self.folder)
            .env("BATON_ADMIN_PASSWORD", &self.password)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(log);
        let mut process = Process::start(NAME, &mut start, Signal::TERM)?;
        let lines = process.child().stdout.take().map(first_address);
        let url = lines.and_then(|lines| lines.recv_timeout(START_MAX).ok());
        let url = url.ok_or_else(|| Failure::of(NAME)(format!("no line \"{LISTENING}…\" came")))?;
        Ok(Hub { process, address: Address::of_url(&url)? })
    }

    /// A token of the hub's admin.
    pub(crate) async fn log_in(&self, hub: &Hub) -> Result<String, Failure> {
        Ok(Tenant::log_in(&hub.address, USERNAME, &self.password).await?)
    }
}

impl Hub {
    pub(crate) fn memory(&self) -> Result<Memory, Failure> {
        Memory::of(self.process.pid())
    }

    /// Ends it as an operator would.
    pub(crate) fn stop(self) -> Result<(), Failure> {
        let status = self.process.stop()?;
        if status.success() { Ok(()) } else { Err(Failure::of(NAME)(format!("stopped with {status}"))) }
    }
}

/// Reads the hub's output to its end, so that it never waits for a reader, and hands on the address it prints.
fn first_address(output: ChildStdout) -> mpsc::Receiver<String> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some(url) = line.trim().strip_prefix(LISTENING) {
                // Only the first is waited for.
                let _ = tell.send(url.trim().to_owned());
            }
        }
    });
    told
}
