//! What every client meets: a hub, an agent behind an alias that `tests/clients/agent.py` plays under `baton work`, and
//! a token of somebody who may hand it work.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::program::{Ran, run};
use crate::it::tenant::Tenant;
use crate::it::work::worker::Worker;

pub(super) const ALIAS: &str = "helper";
/// Who hands it work.
pub(super) const CALLER: &str = "caller";

pub(super) struct Stage {
    /// The agent's base, with its slash.
    pub(super) base: String,
    pub(super) caller: Client,
    pub(super) network: Tenant,
    /// The one at work is the last. In this order: workers end before their hub.
    workers: Vec<Worker>,
    agent: Client,
    _hub: Hub,
}

impl Stage {
    pub(super) fn set() -> Self {
        let script = repository().join("tests/clients/agent.py");
        Self::with(&["--concurrency", "4"], &["python3", script.to_str().unwrap()])
    }

    /// The same with another agent.
    pub(super) fn with(options: &[&str], command: &[&str]) -> Self {
        let hub = Hub::start();
        let network = Tenant::of_admin(&hub);
        let agent = network.agent(ALIAS);
        let mut worker = Worker::start_command(&agent, ALIAS, options, command);
        worker.says("waiting for tasks");
        let base = format!("{}/a2a/{}/{ALIAS}/", hub.url(), network.network_id);
        Self { base, caller: network.agent(CALLER), network, workers: vec![worker], agent, _hub: hub }
    }

    pub(super) fn token(&self) -> String {
        self.caller.token.clone().unwrap()
    }

    pub(super) fn kill_worker(&mut self) {
        self.workers.last_mut().unwrap().kill9();
    }

    /// Starts another worker, with this command.
    pub(super) fn start_worker(&mut self, command: &[&str]) {
        self.workers.push(Worker::start_command(&self.agent, ALIAS, &[], command));
    }

    /// How often each worker ran its command, of a command that notes its runs.
    pub(super) fn runs(&self) -> Vec<usize> {
        self.workers.iter().map(|worker| worker.file("runs").lines().count()).collect()
    }

    /// Where a file ends the wait of the agent's `hold`.
    pub(super) fn release(&self) -> &Path {
        self.workers[0].home.path()
    }

    /// Tells a script which agent it has to do with, and how.
    pub(super) fn describe(&self, command: &mut Command, binding: &str) {
        command.env("A2A_BASE", &self.base).env("A2A_TOKEN", self.token());
        command.env("A2A_BINDING", binding).env("A2A_RELEASE", self.release());
    }

    /// Runs a driver script for one binding: the lines it printed.
    pub(super) fn drive(&self, command: &mut Command, binding: &str) -> Vec<serde_json::Value> {
        self.describe(command, binding);
        let ran: Ran = run(command, |_| Ok(()));
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
        ran.lines()
    }
}

/// What `make clients` installs, or a sentence that says how to get it.
pub(crate) fn installed(path: &str) -> PathBuf {
    let path = repository().join("target/tools").join(path);
    assert!(
        path.exists(),
        "{} is not there: `make clients` installs the official A2A clients, from the package registries of Python and \
         npm, which must be reachable for it",
        path.display()
    );
    path
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
