//! The servers of a run: each on loopback, in a folder of its own, and ended with the run in any case.

pub(crate) mod hub;
pub(crate) mod nats;
pub(crate) mod patroni;
pub(crate) mod postgres;

use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// Longest a server may take to come up, and to end.
pub(crate) const START_MAX: Duration = Duration::from_secs(30);
const STOP_MAX: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A process that ends with this value, and also when this program is killed.
#[derive(Debug)]
pub(crate) struct Process {
    name: &'static str,
    child: Child,
    stop: Signal,
}

/// A command that the kernel asks to end when this program dies, by `setpriv` of util-linux. Words for `setpriv`
/// itself, such as another user, stand in `before`.
pub(crate) fn command(program: &OsStr, stop: Signal, before: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    let signal = if stop == Signal::INT { "INT" } else { "TERM" };
    command.args(before).args(["--pdeathsig", signal, "--"]).arg(program).stdin(Stdio::null());
    command
}

impl Process {
    pub(crate) fn start(name: &'static str, command: &mut Command, stop: Signal) -> Result<Self, Failure> {
        let child = command.spawn().map_err(Failure::of(name))?;
        Ok(Self { name, child, stop })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Looks again and again until the server is there, or has ended, or has taken too long.
    pub(crate) fn wait_until(&mut self, is_there: impl Fn() -> bool) -> Result<(), Failure> {
        let begun = Instant::now();
        while !is_there() {
            let ended = self.child.try_wait().map_err(Failure::of(self.name))?;
            if let Some(status) = ended {
                return Err(self.not_up(&format!("ended while starting, {status}")));
            }
            if begun.elapsed() > START_MAX {
                return Err(self.not_up(&format!("not up within {} s", START_MAX.as_secs())));
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// Asks it to end and waits until it has.
    pub(crate) fn stop(mut self) -> Result<ExitStatus, Failure> {
        self.ask_to_stop();
        self.child.wait().map_err(Failure::of(self.name))
    }

    fn not_up(&self, reason: &str) -> Failure {
        Failure::Server { server: self.name, reason: reason.to_owned() }
    }

    fn ask_to_stop(&mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let asked = pid.map(|pid| kill_process(pid, self.stop));
        let waits_until = Instant::now() + STOP_MAX;
        while asked.is_some() && Instant::now() < waits_until && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.ask_to_stop();
        }
        // A drop has nobody to tell; both fail only when the process is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a server's output to its end, so that it never waits for a reader, and passes on the address it prints behind
/// these words.
pub(crate) fn first_address(output: ChildStdout, words: &'static str) -> mpsc::Receiver<String> {
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

/// A port nobody listens on now.
pub(crate) fn free_port(server: &'static str) -> Result<u16, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Failure::of(server))?;
    Ok(listener.local_addr().map_err(Failure::of(server))?.port())
}

/// Lets `baton hub check` look at a folder.
pub(crate) fn check(baton: &Path, folder: &Path) -> Result<(), Failure> {
    let mut check = command(baton.as_os_str(), Signal::TERM, &[]);
    let checked =
        check.args(["hub", "check", "--data-dir"]).arg(folder).output().map_err(Failure::of("hub check"))?;
    if checked.status.success() {
        return Ok(());
    }
    Err(Failure::of("hub check")(String::from_utf8_lossy(&checked.stderr)))
}

/// A secret for one run.
pub(crate) fn secret() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(Failure::of("the system's randomness"))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
