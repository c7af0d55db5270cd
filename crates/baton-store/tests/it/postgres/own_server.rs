//! A PostgreSQL server of one test's own, for what the shared one cannot be: with TLS, full, a replica. It listens on loopback
//! and ends with the test.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub struct OwnServer {
    pub folder: TempDir,
    pub port: u16,
    process: Child,
}

/// Where the programs of PostgreSQL are.
fn programs() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let places = [workspace.join("target/tools/postgres-15/bin"), "/usr/lib/postgresql/15/bin".into()];
    let found = places.into_iter().find(|place| place.join("postgres").exists());
    found.expect("PostgreSQL 15; `make postgres` installs it")
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A program of PostgreSQL, run as a user that it accepts, and ended with this test.
pub fn program(name: &str) -> Command {
    let programs = programs();
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "QUIT"]);
    if is_root() {
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    let own = programs.join("../lib-own");
    if own.is_dir() {
        command.env("LD_LIBRARY_PATH", own);
    }
    command.arg(programs.join(name)).current_dir("/").stdin(Stdio::null());
    command
}

/// Gives a file or folder to the user the server runs as.
pub fn give(path: &Path) {
    if is_root() {
        std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
    }
}

pub fn run(command: &mut Command) {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

impl OwnServer {
    /// Makes a database cluster and starts a server on it; `prepare` gets the cluster's folder first.
    pub fn start(options: &[&str], prepare: impl FnOnce(&Path)) -> Self {
        Self::start_on(new_cluster(prepare), options)
    }

    /// Starts a server on a cluster that is there.
    pub fn start_on(folder: TempDir, options: &[&str]) -> Self {
        let mut server = Self::launch(folder, options);
        server.wait();
        server
    }

    /// The same, and does not wait until it accepts connections.
    pub fn launch(folder: TempDir, options: &[&str]) -> Self {
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let mut server = program("postgres");
        server.arg("-D").arg(folder.path().join("data")).args([
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "fsync=off",
            "-c",
            "shared_buffers=16MB",
            "-c",
            "autovacuum=off",
        ]);
        server.arg("-c").arg(format!("port={port}"));
        server.arg("-c").arg(format!("unix_socket_directories={}", folder.path().display()));
        for option in options {
            server.args(["-c", option]);
        }
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let process = server.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        Self { folder, port, process }
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn wait(&mut self) {
        let until = Instant::now() + Duration::from_secs(60);
        while !program("pg_isready")
            .args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()])
            .status()
            .unwrap()
            .success()
        {
            assert!(self.process.try_wait().unwrap().is_none(), "PostgreSQL ended: {}", self.log());
            assert!(Instant::now() < until, "PostgreSQL does not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn address(&self, database: &str) -> String {
        format!("host=127.0.0.1 port={} user=postgres dbname={database}", self.port)
    }

    pub fn socket_address(&self, database: &str) -> String {
        format!("host={} port={} user=postgres dbname={database}", self.folder.path().display(), self.port)
    }
}

/// A new database cluster in a folder of its own; `prepare` gets the cluster's folder.
pub fn new_cluster(prepare: impl FnOnce(&Path)) -> TempDir {
    let folder = new_folder();
    let data = folder.path().join("data");
    let mut initdb = program("initdb");
    run(initdb.arg("-D").arg(&data).args([
        "-U",
        "postgres",
        "--auth=trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
    ]));
    prepare(&data);
    folder
}

pub fn new_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    give(folder.path());
    folder
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-QUIT", &self.process.id().to_string()]).status();
        let _ = self.process.wait();
    }
}
