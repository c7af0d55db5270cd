//! A hub of its own for each test: the real binary on a free port, in a folder that goes away with it.
//! Nothing sleeps: the hub's own output says when it is up, and the end of that output when it is gone.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

use super::http::Client;
use super::program::binary;

pub(crate) const ADMIN: &str = "admin";
pub(crate) const PASSWORD: &str = "a-password-for-tests";
const PATIENCE: Duration = Duration::from_secs(30);

/// A running hub, or one that was stopped and can be started again.
#[derive(Debug)]
pub(crate) struct Hub {
    child: Child,
    lines: Receiver<String>,
    address: SocketAddr,
    launch: Launch,
    folder: TempDir,
    /// The test changed the folder behind the hub's back.
    pub(crate) was_damaged: bool,
}

impl Hub {
    /// A hub on loopback with the admin `ADMIN`, `PASSWORD`.
    pub(crate) fn start() -> Self {
        Self::start_with(&["--username", ADMIN, "--password", PASSWORD])
    }

    /// A hub with these options beside the port and the data folder.
    pub(crate) fn start_with(options: &[&str]) -> Self {
        Self::start_with_env(options, &[])
    }

    /// A hub with these options and environment variables.
    pub(crate) fn start_with_env(options: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::launch(tempfile::tempdir().unwrap(), None, 0, options, environment)
    }

    /// The same on a disk of the test's own and on a port of its choice. The disk must outlive the hub.
    pub(crate) fn start_on_disk(
        disk: Option<&Path>,
        port: u16,
        options: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        Self::launch(tempfile::tempdir().unwrap(), disk, port, options, environment)
    }

    /// A hub on a folder that is made before it starts; it has its own users.
    pub(crate) fn start_on(make: impl FnOnce(&Path)) -> Self {
        Self::start_prepared(make, &[], &[])
    }

    /// A hub with these options and environment variables, on a folder that is prepared before it starts.
    pub(crate) fn start_prepared(
        prepare: impl FnOnce(&Path),
        options: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        prepare(&data_dir(folder.path()));
        Self::launch(folder, None, 0, options, environment)
    }

    /// Stops, and starts again with other options and environment on the same folder and port.
    pub(crate) fn relaunch(&mut self, options: &[&str], environment: &[(&str, &str)]) {
        assert!(self.stop().success());
        self.launch = Launch::new(self.launch.data.clone(), options, environment);
        self.restart();
    }

    fn launch(
        folder: TempDir,
        disk: Option<&Path>,
        port: u16,
        options: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let launch = Launch::new(data_dir(disk.unwrap_or(folder.path())), options, environment);
        let (child, lines, address) = launch.run(folder.path(), port);
        Self { child, lines, address, launch, folder, was_damaged: false }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A client without a token.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// A client with a new token of the admin.
    pub(crate) fn admin(&self) -> Client {
        self.login(ADMIN, PASSWORD)
    }

    /// A client with a new token of a user.
    pub(crate) fn login(&self, username: &str, password: &str) -> Client {
        let body = json!({"username": username, "password": password});
        let answer = self.client().post("/api/auth/login", &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        self.client().with_token(answer.json()["token"].as_str().unwrap())
    }

    /// Registers a user: a client with the user's token, and the whole answer.
    pub(crate) fn register(&self, username: &str) -> (Client, Value) {
        let body = json!({"username": username, "password": PASSWORD});
        let answer = self.client().post("/api/auth/register", &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let answer = answer.json();
        (self.client().with_token(answer["token"].as_str().unwrap()), answer)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Memory that is the hub's own now: not the pages of files, which the kernel may take back.
    pub(crate) fn own_memory_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.launch.data.clone()
    }

    /// What the hub has logged on stderr so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(log_file(self.folder.path())).unwrap_or_default()
    }

    /// The next line on stdout that begins like this.
    pub(crate) fn line_beginning(&self, beginning: &str) -> String {
        line_beginning(&self.lines, beginning).expect("the line")
    }

    /// Runs `baton` with these arguments and this hub's `--data-dir`.
    pub(crate) fn baton(&self, arguments: &[&str]) -> Output {
        baton().args(arguments).arg("--data-dir").arg(self.data_dir()).output().unwrap()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// SIGTERM, and waits until the process is gone.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        self.signal(rustix::process::Signal::TERM);
        self.wait()
    }

    /// SIGKILL: no time to write anything down.
    pub(crate) fn kill9(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops if it runs, and starts again on the same folder and port.
    pub(crate) fn restart(&mut self) {
        if self.is_running() {
            assert!(self.stop().success());
        }
        (self.child, self.lines, self.address) = self.launch.run(self.folder.path(), self.address.port());
    }

    /// The same with other options.
    pub(crate) fn restart_with(&mut self, options: &[&str]) {
        self.launch.options = options.iter().map(|option| (*option).to_owned()).collect();
        self.restart();
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits until the process is gone: then its output ends.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().unwrap(),
                Err(RecvTimeoutError::Timeout) => panic!("the hub did not end: {}", self.log()),
            }
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("the hub said:\n{}", self.log());
        } else if !self.was_damaged {
            // Whatever a test did, and however the hub ended: what it leaves agrees.
            let checked = self.baton(&["hub", "check"]);
            assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
        }
    }
}

/// The binary under test.
pub(crate) fn baton() -> Command {
    let mut command = Command::new(binary());
    // Whatever this machine has set for a hub of its own.
    command
        .env("BATON_CONFIG", "/dev/null")
        .env_remove("BATON_ADMIN_PASSWORD")
        .env_remove("BATON_STORE")
        .stdin(Stdio::null());
    command
}

fn data_dir(folder: &Path) -> PathBuf {
    folder.join("data")
}

fn log_file(folder: &Path) -> PathBuf {
    folder.join("stderr.log")
}

/// How a hub is started, and started again.
#[derive(Debug)]
struct Launch {
    data: PathBuf,
    options: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Launch {
    fn new(data: PathBuf, options: &[&str], environment: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self {
            data,
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            environment: environment.iter().map(owned).collect(),
        }
    }

    fn run(&self, folder: &Path, port: u16) -> (Child, Receiver<String>, SocketAddr) {
        let log = File::options().create(true).append(true).open(log_file(folder)).unwrap();
        let mut command = baton();
        command.args(["hub", "start", "--port", &port.to_string(), "--data-dir"]).arg(&self.data);
        command.args(&self.options).stdout(Stdio::piped()).stderr(log);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let Some(line) = line_beginning(&lines, "Baton hub listening on ") else {
            let _ = child.kill();
            let status = child.wait();
            let log = std::fs::read_to_string(log_file(folder)).unwrap();
            panic!("the hub did not start ({status:?}): {log}");
        };
        let address = line.rsplit_once("//").unwrap().1.parse().unwrap();
        (child, lines, address)
    }
}

fn line_beginning(lines: &Receiver<String>, beginning: &str) -> Option<String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let line = lines.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()?;
        if line.starts_with(beginning) {
            return Some(line);
        }
    }
}
