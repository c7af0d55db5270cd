//! PostgreSQL in a cluster of its own, durable as it comes: fsync on, every commit waits for the disk. It refuses to
//! run as root, so root hands it to the user `nobody`.

use rustix::process::{Signal, geteuid};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Process, command, free_port};
use crate::failure::Failure;

pub(crate) const NAME: &str = "PostgreSQL";
const USER: &str = "nobody";
const AS_USER: &[&str] = &["--reuid", USER, "--regid", "nogroup", "--clear-groups"];
/// What differs from the defaults: room for 256 clients, memory, and fewer checkpoints than its small default gives.
const SETTINGS: &[&str] = &[
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
    "max_connections=300",
    "shared_buffers=1GB",
    "max_wal_size=4GB",
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
];

/// A running server.
#[derive(Debug)]
pub(crate) struct Postgres {
    _process: Process,
    pub(crate) port: u16,
}

impl Postgres {
    /// Makes a cluster in `folder` and starts it with the programs in `programs`.
    pub(crate) fn start(programs: &Path, folder: &Path) -> Result<Self, Failure> {
        let before = if geteuid().is_root() { AS_USER } else { &[] };
        if geteuid().is_root() {
            give(folder)?;
        }
        let cluster = folder.join("cluster");
        let log = folder.join("postgres.log");
        let log = File::create(&log).map_err(Failure::file(log.display()))?;
        let again = |log: &File| log.try_clone().map_err(Failure::of(NAME));
        let mut make = command(programs.join("initdb").as_os_str(), Signal::TERM, before);
        make.args([
            "--username",
            "postgres",
            "--auth",
            "trust",
            "--encoding",
            "UTF8",
            "--no-locale",
            "--pgdata",
        ])
        .arg(&cluster);
        make.current_dir(folder).stdout(again(&log)?).stderr(again(&log)?);
        let made = make.status().map_err(Failure::of(NAME))?;
        if !made.success() {
            return Err(Failure::of(NAME)(format!("initdb ended with {made}")));
        }
        let port = free_port(NAME)?;
        // SIGINT: its "fast" way to stop, without waiting for clients.
        let mut start = command(programs.join("postgres").as_os_str(), Signal::INT, before);
        start.arg("-D").arg(&cluster).args(["-p", &port.to_string()]).current_dir(folder);
        for setting in SETTINGS {
            start.args(["-c", setting]);
        }
        start.stdout(Stdio::null()).stderr(log);
        let mut process = Process::start(NAME, &mut start, Signal::INT)?;
        let asks = programs.join("pg_isready");
        process.wait_until(|| is_ready(&asks, port))?;
        Ok(Self { _process: process, port })
    }
}

/// Whether it takes connections: it listens before it has started up.
fn is_ready(asks: &Path, port: u16) -> bool {
    let asked = Command::new(asks).args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]).status();
    asked.is_ok_and(|status| status.success())
}

/// Hands the folder to the server's user.
fn give(folder: &Path) -> Result<(), Failure> {
    let failed = Failure::file(folder.display());
    let id = Command::new("id").args(["-u", USER]).output().map_err(Failure::of(NAME))?;
    let id: u32 = String::from_utf8_lossy(&id.stdout)
        .trim()
        .parse()
        .map_err(|_| Failure::of(NAME)(format!("there is no user {USER}")))?;
    fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(&failed)?;
    chown(folder, Some(id), None).map_err(&failed)
}
