//! A PostgreSQL 15 of a run's own, on loopback, that can be killed and started again on what it left.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

use super::stage::free_port;

const PATIENCE: Duration = Duration::from_secs(60);
/// PostgreSQL does not run as root: `nobody` runs it then.
const NOBODY: &str = "65534";

pub(super) struct Server {
    folder: TempDir,
    port: u16,
    child: Child,
}

impl Server {
    /// A new server with an empty database `baton`.
    pub(super) fn start(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
        let data = folder.path().join("data");
        let mut initdb = as_nobody("initdb");
        initdb.arg("-D").arg(&data).args(["-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-sync"]);
        let made = initdb.args(["--locale", "C.UTF-8"]).output().unwrap();
        assert!(
            made.status.success(),
            "{}; `make postgres` installs it",
            String::from_utf8_lossy(&made.stderr)
        );
        let port = free_port(seed.wrapping_add(7_001));
        let child = launch(folder.path(), port);
        let mut server = Self { folder, port, child };
        server.wait();
        server.query("postgres", "CREATE DATABASE baton");
        server
    }

    pub(super) fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// SIGKILL of the postmaster, and a start as soon as the processes it left have gone.
    pub(super) fn kill9(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.child = launch(self.folder.path(), self.port);
        self.wait();
    }

    /// What a statement answers; nothing if the connection is lost meanwhile.
    pub(super) fn query(&self, database: &str, sql: &str) -> Option<String> {
        psql(self.port, database, sql)
    }

    /// Until it answers. One that finds processes of the server before it ends again, and is started again.
    pub(super) fn wait(&mut self) {
        let until = Instant::now() + PATIENCE;
        while self.query("postgres", "SELECT 1").is_none() {
            if self.child.try_wait().unwrap().is_some() {
                self.child = launch(self.folder.path(), self.port);
            }
            let log = || std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(Instant::now() < until, "PostgreSQL does not start: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn launch(folder: &Path, port: u16) -> Child {
    let log = std::fs::File::options().create(true).append(true).open(folder.join("log")).unwrap();
    let mut postgres = as_nobody("postgres");
    postgres.arg("-D").arg(folder.join("data")).args(["-p", &port.to_string()]);
    postgres.arg("-c").arg(format!("unix_socket_directories={}", folder.display()));
    postgres.args(["-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=64MB", "-c", "jit=off"]);
    postgres.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

/// What a statement answers on the server at this port of loopback; none if it cannot be asked.
pub(super) fn psql(port: u16, database: &str, sql: &str) -> Option<String> {
    let mut command = Command::new(programs().join("psql"));
    command.args(["-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-U", "postgres", "-p", &port.to_string()]);
    command.args(["-d", database, "-c", sql]).env("PGCONNECT_TIMEOUT", "2");
    own_libraries(&mut command);
    let ran = command.stderr(Stdio::null()).output().unwrap();
    ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).trim().to_owned())
}

/// One of PostgreSQL's programs, without root's rights. It ends with this process.
fn as_nobody(program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]);
    if rustix::process::geteuid().is_root() {
        command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]);
    }
    command.arg(programs().join(program)).current_dir("/").env("LANG", "C.UTF-8");
    own_libraries(&mut command);
    command
}

fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("target/tools/postgres-15")
}

fn programs() -> PathBuf {
    let places = [tools().join("bin"), PathBuf::from("/usr/lib/postgresql/15/bin")];
    let found = places.into_iter().find(|place| place.join("postgres").exists());
    found.expect("no PostgreSQL 15; `make postgres` installs it")
}

fn own_libraries(command: &mut Command) {
    let libraries = tools().join("lib-own");
    if libraries.exists() {
        command.env("LD_LIBRARY_PATH", libraries);
    }
}
