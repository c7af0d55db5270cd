//! Somebody at a command line: a home folder of their own, and a hub they are logged in to.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;

use super::super::http::Client;
use super::super::hub::{Hub, PASSWORD};
use super::super::program::{Ran, binary, run};
use super::super::tenant::Tenant;

const PATIENCE: Duration = Duration::from_secs(60);

/// What the commands read from the environment, and a test must not inherit.
const VARIABLES: [&str; 8] = [
    "BATON_HUB",
    "BATON_TOKEN",
    "BATON_NETWORK",
    "BATON_PROFILE",
    "BATON_CA",
    "NO_COLOR",
    "http_proxy",
    "HTTP_PROXY",
];

pub(crate) struct CliUser {
    home: TempDir,
    pub(crate) url: String,
    /// The same user over plain HTTP, for what is not under test.
    pub(crate) tenant: Tenant,
}

impl CliUser {
    /// Somebody new on this hub, not logged in.
    pub(crate) fn register(hub: &Hub, username: &str) -> Self {
        let tenant = Tenant::register(hub, username);
        Self { home: tempfile::tempdir().unwrap(), url: hub.url(), tenant }
    }

    /// Somebody new who is logged in.
    pub(crate) fn logged_in(hub: &Hub, username: &str) -> Self {
        let person = Self::register(hub, username);
        person.log_in(&["--username", username]).exited(0);
        person
    }

    /// Logs in with the password every test has.
    pub(crate) fn log_in(&self, options: &[&str]) -> Ran {
        let arguments = [&["login", "--hub", &self.url, "--password-stdin"], options].concat();
        self.fed(&arguments, &format!("{PASSWORD}\n"))
    }

    /// An agent of this person, over plain HTTP.
    pub(crate) fn agent(&self, alias: &str) -> Client {
        self.tenant.agent(alias)
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.home.path().join(".baton/config.toml")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        self.at_home(command.args(arguments));
        command
    }

    /// Runs a command at this user's home, with nothing of whoever runs the tests.
    pub(crate) fn at_home<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        for variable in VARIABLES {
            command.env_remove(variable);
        }
        command.env("HOME", self.home.path()).env("TZ", "UTC")
    }

    /// `baton` with these arguments, at this user's home.
    pub(crate) fn baton(&self, arguments: &[&str]) -> Ran {
        self.fed(arguments, "")
    }

    /// The same with something on standard input.
    pub(crate) fn fed(&self, arguments: &[&str], input: &str) -> Ran {
        let input = input.to_owned();
        run(&mut self.command(arguments), move |stdin| stdin.write_all(input.as_bytes()))
    }

    /// What a command prints, without its last line break.
    #[track_caller]
    pub(crate) fn says(&self, arguments: &[&str]) -> String {
        self.baton(arguments).exited(0).stdout.trim_end_matches('\n').to_owned()
    }

    /// The one JSON document a command prints.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.baton(&[arguments, &["--json"]].concat()).exited(0);
        let documents = ran.lines();
        assert_eq!(documents.len(), 1, "{ran:?}");
        documents[0].clone()
    }

    /// A command that continues while the test does.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        Running::start(&mut self.command(arguments))
    }
}

/// A running command; its lines can be waited for.
pub(crate) struct Running {
    child: Child,
    pub(crate) stdout: Lines,
    pub(crate) stderr: Lines,
}

/// The lines of an output, as they come.
pub(crate) struct Lines {
    lines: Receiver<String>,
    reader: Option<JoinHandle<String>>,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        Self { stdout: Lines::of(stdout), stderr: Lines::of(stderr), child }
    }

    /// Waits for its end; what it printed is given back whole.
    pub(crate) fn end(mut self) -> Ran {
        let [stdout, stderr] = [&mut self.stdout, &mut self.stderr].map(Lines::rest);
        Ran { code: self.child.wait().unwrap().code(), stdout, stderr }
    }

    /// Stops it as Ctrl-C does.
    pub(crate) fn interrupt(self) -> Ran {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        self.end()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Lines {
    fn of(output: impl std::io::Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        let reader = std::thread::spawn(move || {
            let mut all = String::new();
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                all.push_str(&line);
                all.push('\n');
                let _ = sender.send(line);
            }
            all
        });
        Self { lines, reader: Some(reader) }
    }

    /// Waits for a line that holds this.
    #[track_caller]
    pub(crate) fn wait_for(&self, part: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|error| panic!("no line with {part:?}: {error}"));
            if line.contains(part) {
                return line;
            }
        }
    }

    fn rest(&mut self) -> String {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("still running after {PATIENCE:?}"),
            }
        }
        let reader = self.reader.take().unwrap();
        reader.join().unwrap()
    }
}
