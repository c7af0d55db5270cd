//! Runs a page: bash in a home of its own, with the binary under test as `baton`. Whatever the page leaves running ends
//! with it.

use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use super::page::Page;
use super::script::{Step, script, steps};
use super::shown::missing;
use crate::it::clients::stage::installed;
use crate::it::program::binary;

const PATIENCE_SECONDS: &str = "90";
/// Below the ports a system gives out by itself, so that nobody is given one before the page takes it.
const FIRST_PORT: u16 = 10_000;
const PORTS_OF_A_PROCESS: u16 = 50;

/// What is wrong with the page, if anything is.
pub(super) fn run(page: &Page) -> Result<(), String> {
    let home = tempfile::tempdir().unwrap();
    let [bin, log, work] = ["bin", "log", "work"].map(|name| home.path().join(name));
    for folder in [&bin, &log, &work] {
        std::fs::create_dir(folder).unwrap();
    }
    symlink(binary(), bin.join("baton")).unwrap();
    if page.needs_python_sdk() {
        stand_in(&bin.join("python3"), &installed("a2a-python/bin/python"));
    }
    let steps = steps(page, free_ports());
    let file = home.path().join("page.sh");
    std::fs::write(&file, script(&steps)).unwrap();

    let mut bash = Terminal(bash(&file, home.path()).spawn().unwrap());
    let status = bash.0.wait().unwrap();
    drop(bash);
    let said = |number: usize| std::fs::read_to_string(log.join(number.to_string())).unwrap_or_default();
    if !status.success() {
        let at = std::fs::read_to_string(log.join("at")).ok().and_then(|at| at.trim().parse().ok());
        let Some(at): Option<usize> = at else {
            return Err(std::fs::read_to_string(log.join("stderr")).unwrap());
        };
        let code = status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"));
        return Err(told(&steps[at], &code, &said(at)));
    }
    for (number, step) in steps.iter().enumerate() {
        if let Some(line) = missing(&step.shown, &said(number)) {
            return Err(told(step, &format!("{line:?} is not said"), &said(number)));
        }
    }
    Ok(())
}

fn told(step: &Step, what: &str, said: &str) -> String {
    format!("line {}: {what}\n--- typed\n{}\n--- said\n{said}", step.line, step.text)
}

fn bash(file: &Path, home: &Path) -> Command {
    let path = format!("{}:{}", home.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", PATIENCE_SECONDS, "bash"]).arg(file);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BATON_") || name == "CODEX_HOME") {
        command.env_remove(name);
    }
    command.env("HOME", home).env("PATH", path).env("LOG", home.join("log")).env("no_proxy", "127.0.0.1");
    command.current_dir(home.join("work")).process_group(0);
    let stderr = File::create(home.join("log/stderr")).unwrap();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    command
}

/// A script that runs another program in place of the one it is named for.
fn stand_in(file: &Path, program: &Path) {
    std::fs::write(file, format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.display())).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Two ports nobody listens on, and that no other page is given.
fn free_ports() -> [u16; 2] {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    // Tests run in processes of their own, whose numbers follow each other.
    let slot = u16::try_from(std::process::id() % 190).unwrap();
    let first = FIRST_PORT + slot * PORTS_OF_A_PROCESS;
    [(); 2].map(|()| {
        loop {
            let port = first + TAKEN.fetch_add(1, Ordering::Relaxed);
            if TcpListener::bind(("127.0.0.1", port)).is_ok() {
                return port;
            }
        }
    })
}

/// A shell with everything started in it.
struct Terminal(Child);

impl Drop for Terminal {
    fn drop(&mut self) {
        // Nobody is left if the page left nothing running.
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}
