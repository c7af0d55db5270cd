//! The hub: the release binary that was asked for, on a folder that may outlive it.

use rustix::process::{Pid, Resource, Rlimit, Signal, prlimit};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::{Process, START_MAX, command, first_address, secret};
use crate::failure::Failure;
use crate::memory::Memory;
use crate::request::Address;
use crate::tenant::Tenant;

const NAME: &str = "the hub";
const USERNAME: &str = "proof";
const CONNECTIONS_PER_ADDRESS: &str = "--connections-per-address";
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

    /// The same with this environment beside the usual one.
    pub(crate) fn start_in(
        &self,
        binary: &Path,
        environment: &[(&'static str, PathBuf)],
    ) -> Result<Hub, Failure> {
        self.start_with(binary, environment, &[])
    }

    /// Starts a hub that takes hundreds of connections from one address: here all attackers share one. A hub that has
    /// no bound on them has no option for it.
    pub(crate) fn start_for_attack(&self, binary: &Path) -> Result<Hub, Failure> {
        let help = command(binary.as_os_str(), Signal::TERM, &[]).args(["hub", "start", "--help"]).output();
        let help = String::from_utf8_lossy(&help.map_err(Failure::of(NAME))?.stdout).into_owned();
        match help.contains(CONNECTIONS_PER_ADDRESS) {
            true => self.start_with(binary, &[], &[CONNECTIONS_PER_ADDRESS, "4096"]),
            false => self.start(binary),
        }
    }

    /// The same with these options too. What it logs goes to `hub.log` beside the folder.
    pub(crate) fn start_with(
        &self,
        binary: &Path,
        environment: &[(&'static str, PathBuf)],
        options: &[&str],
    ) -> Result<Hub, Failure> {
        let log = self.folder.with_file_name("hub.log");
        let log =
            OpenOptions::new().create(true).append(true).open(&log).map_err(Failure::file(log.display()))?;
        let mut start = command(binary.as_os_str(), Signal::TERM, &[]);
        start
            .args(["hub", "start", "--port", "0", "--username", USERNAME, "--data-dir"])
            .arg(&self.folder)
            .args(options)
            .env("BATON_ADMIN_PASSWORD", &self.password)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(log);
        let mut process = Process::start(NAME, &mut start, Signal::TERM)?;
        let lines = process.child().stdout.take().map(|output| first_address(output, LISTENING));
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

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Bounds the memory of its own: a hub without bounds on its answers must not take the machine with it.
    pub(crate) fn bound_memory(&self, bytes: u64) -> Result<(), Failure> {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw);
        let bound = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        prlimit(pid, Resource::Data, bound).map_err(Failure::of(NAME))?;
        Ok(())
    }

    /// Ends it as an operator would.
    pub(crate) fn stop(self) -> Result<(), Failure> {
        let status = self.process.stop()?;
        if status.success() { Ok(()) } else { Err(Failure::of(NAME)(format!("stopped with {status}"))) }
    }
}
