//! A worker of its own for a test: the real binary, with what it says on stderr read line by line.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

use crate::it::http::Client;
use crate::it::hub::baton;
use crate::it::tenant::{Tenant, task};

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A running `baton work`.
#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    lines: Receiver<String>,
    said: Vec<String>,
    /// Its home, and where its commands may write.
    pub(crate) home: TempDir,
}

impl Worker {
    /// Starts a worker that runs this shell script for each task, with this agent's token.
    pub(crate) fn start(agent: &Client, alias: &str, options: &[&str], script: &str) -> Self {
        Self::start_command(agent, alias, options, &["sh", "-c", script])
    }

    pub(crate) fn start_command(agent: &Client, alias: &str, options: &[&str], command: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut work = baton();
        work.args(["work", "--alias", alias]).args(options).arg("--").args(command);
        work.env("HOME", home.path()).env("WHERE", home.path());
        work.env("BATON_HUB", format!("http://{}", agent.address));
        work.env("BATON_TOKEN", agent.token.as_deref().unwrap());
        let mut child = work.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        Self { child, lines, said: Vec::new(), home }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it says this, and gives the line.
    pub(crate) fn says(&mut self, words: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.said.push(line.clone());
                    if line.contains(words) {
                        return line;
                    }
                }
                Err(_) => panic!("it never said {words:?}, but: {:#?}", self.said),
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn kill9(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it has ended: how, and all its output.
    pub(crate) fn ends(&mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.said.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it did not end: {:#?}", self.said),
            }
        }
        (self.child.wait().unwrap(), self.said.join("\n"))
    }

    /// What a command wrote into a file of the worker's home, once it has.
    pub(crate) fn file(&self, name: &str) -> String {
        let path = self.home.path().join(name);
        eventually(name, || std::fs::read_to_string(&path).ok().filter(|text| text.ends_with('\n')))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            self.said.extend(self.lines.try_iter());
            eprintln!("the worker said:\n{}", self.said.join("\n"));
        }
    }
}

/// Waits until something is so. The system tells nobody when another's process ends or a file is written.
pub(crate) fn eventually<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    eventually_within(PATIENCE, what, look)
}

/// The same for what takes longer.
pub(crate) fn eventually_within<T>(patience: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The task's row when it has ended.
pub(crate) fn ended(reader: &Client, task_id: &str) -> Value {
    eventually("the task's end", || Some(task(reader, task_id)).filter(|row| row["completed_at"].is_string()))
}

/// Whether a process runs; one that nobody has waited for yet does not.
pub(crate) fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.trim_start().starts_with('Z'))
}

/// Process ids, one a line.
pub(crate) fn pids(text: &str) -> Vec<u32> {
    text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// The network's own user and an agent.
pub(crate) fn tenant_with(hub: &crate::it::hub::Hub, alias: &str) -> (Tenant, Client) {
    let tenant = Tenant::of_admin(hub);
    let agent = tenant.agent(alias);
    (tenant, agent)
}
