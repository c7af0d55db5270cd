//! A hub started for the run from this same binary, in a folder of its own, and stopped with it whatever happens.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

use super::trouble::Trouble;

pub(super) const USERNAME: &str = "bench";
const LISTENING: &str = "Baton hub listening on ";
const START_MAX: Duration = Duration::from_secs(10);
const STOP_MAX: Duration = Duration::from_secs(10);

/// The hub and its folder; both go when this does.
#[derive(Debug)]
pub(crate) struct HubProcess {
    child: Child,
    pub(crate) url: String,
    pub(crate) password: String,
    _folder: TempDir,
}

impl HubProcess {
    /// Starts a hub in a new folder inside `parent`, with these options beside the usual ones. What it logs goes to
    /// `log`. Ctrl-C in a terminal reaches it too.
    pub(super) fn start(parent: &Path, log: Stdio, options: &[&str]) -> Result<Self, Trouble> {
        Self::start_with(parent, |command| command.args(options).stderr(log))
    }

    /// The same in a process group of its own, for a caller that ends that group whatever happens.
    pub(crate) fn start_apart(parent: &Path, log: Stdio) -> Result<Self, Trouble> {
        Self::start_with(parent, |command| command.stderr(log).process_group(0))
    }

    fn start_with(parent: &Path, set: impl FnOnce(&mut Command) -> &mut Command) -> Result<Self, Trouble> {
        let failed = |error: std::io::Error| Trouble::NotStarted(error.to_string());
        let folder = tempfile::Builder::new().prefix("baton-bench-").tempdir_in(parent).map_err(failed)?;
        let password = format!("bench-{:032x}", u128::from_ne_bytes(random()?));
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command
            .args(["hub", "start", "--port", "0", "--username", USERNAME, "--data-dir"])
            .arg(folder.path())
            .env("BATON_ADMIN_PASSWORD", &password)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = set(&mut command).spawn().map_err(failed)?;
        let lines = child.stdout.take().map(|output| first_address(output, LISTENING));
        let mut hub = Self { child, url: String::new(), password, _folder: folder };
        let address = lines.and_then(|lines| lines.recv_timeout(START_MAX).ok());
        hub.url = address.ok_or_else(|| Trouble::NotStarted(format!("no line \"{LISTENING}…\" came")))?;
        Ok(hub)
    }

    /// The name of its admin.
    pub(crate) fn username(&self) -> &'static str {
        USERNAME
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Memory of the hub that is in use now, in MiB.
    pub(super) fn resident_mib(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
        Some(kib / 1024.0)
    }

    /// Asks the hub to stop; the drop below sees to it that it has.
    fn ask_to_stop(&mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let asked = pid.map(|pid| kill_process(pid, Signal::TERM));
        let waits_until = Instant::now() + STOP_MAX;
        while asked.is_some() && Instant::now() < waits_until && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for HubProcess {
    fn drop(&mut self) {
        self.ask_to_stop();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a server's output to its end, so that it never waits for a reader, and hands on the address it prints behind
/// these words.
pub(super) fn first_address(output: ChildStdout, words: &'static str) -> mpsc::Receiver<String> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some(url) = line.trim().strip_prefix(words) {
                // Only the first is waited for.
                let _ = tell.send(url.trim().to_owned());
            }
        }
    });
    told
}

fn random() -> Result<[u8; 16], Trouble> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Trouble::NotStarted(error.to_string()))?;
    Ok(bytes)
}
