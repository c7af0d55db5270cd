//! The demo's hub: this same binary in a process group of its own, on a folder of its own. Both end with the value.

use baton_core::limits;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Instant;
use tempfile::TempDir;

use crate::cli::failure::Failure;
use crate::cli::settings;
use crate::random;

/// The name of the hub's admin.
pub(super) const USERNAME: &str = "demo";
const LISTENING: &str = "Baton hub listening on ";

/// A running hub.
#[derive(Debug)]
pub(super) struct HubProcess {
    child: Child,
    pub(super) url: String,
    pub(super) password: String,
    _folder: TempDir,
}

impl HubProcess {
    /// Starts a hub in a new folder inside `parent`; its log goes to `log`. The caller ends the process group if this
    /// process is killed.
    pub(super) fn start(parent: &Path, log: Stdio) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("hub-").tempdir_in(parent).map_err(Failure::System)?;
        let password = format!("demo-{:032x}", u128::from_ne_bytes(random::bytes()));
        let mut hub = Command::new(std::env::current_exe().map_err(Failure::System)?);
        // The settings of a hub on this machine are not the demo's.
        for name in settings::variables() {
            hub.env_remove(name);
        }
        let mut child = hub
            .env("BATON_CONFIG", "/dev/null")
            .args(["hub", "start", "--port", "0", "--username", USERNAME, "--data-dir"])
            .arg(folder.path())
            .env("BATON_ADMIN_PASSWORD", &password)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .process_group(0)
            .spawn()
            .map_err(Failure::System)?;
        let address = child.stdout.take().map(first_address);
        let mut hub = Self { child, url: String::new(), password, _folder: folder };
        let address = address.and_then(|address| address.recv_timeout(limits::DEMO_STEP_MAX).ok());
        let silent = || Failure::usage(format!("the hub did not start: it never printed \"{LISTENING}…\""));
        hub.url = address.ok_or_else(silent)?;
        Ok(hub)
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks the hub to stop and waits for it, for a bounded time.
    fn ask_to_stop(&mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let asked = pid.map(|pid| kill_process(pid, Signal::TERM));
        let waits_until = Instant::now() + limits::DEMO_STEP_MAX;
        while asked.is_some() && Instant::now() < waits_until && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(limits::DEMO_END_LOOK_EVERY);
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

/// Reads the hub's output to its end, so that it never waits for a reader, and passes on the address it prints.
fn first_address(output: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some(url) = line.trim().strip_prefix(LISTENING) {
                // Only the first is waited for.
                let _ = sender.send(url.trim().to_owned());
            }
        }
    });
    receiver
}
