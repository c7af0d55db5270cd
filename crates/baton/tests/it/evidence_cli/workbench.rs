//! A user at a desk: a home folder of their own, a hub, a token and a network in the environment.

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

use crate::it::hub::Hub;
use crate::it::program::{Ran, binary, run};
use crate::it::tenant::{Tenant, claim, send, succeed, text};
use crate::it::tool;

pub(crate) struct Workbench {
    home: TempDir,
    hub: String,
    token: String,
    network: String,
}

impl Workbench {
    pub(crate) fn of(hub: &Hub, tenant: &Tenant) -> Self {
        Self::new(hub.url(), tenant.user.token.as_deref().unwrap(), &tenant.network_id)
    }

    pub(crate) fn new(hub: String, token: &str, network: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        Self { home, hub, token: token.into(), network: network.into() }
    }

    /// The same desk with another token.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = token.into();
        self
    }

    pub(crate) fn with_network(mut self, network: &str) -> Self {
        self.network = network.into();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn command<I: IntoIterator<Item: AsRef<OsStr>>>(&self, arguments: I) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(self.home.path()).env("HOME", self.home.path());
        command.env("BATON_HUB", &self.hub).env("BATON_TOKEN", &self.token);
        command.env("BATON_NETWORK", &self.network).env_remove("BATON_PROFILE").env_remove("BATON_CA");
        command
    }

    pub(crate) fn baton<I: IntoIterator<Item: AsRef<OsStr>>>(&self, arguments: I) -> Ran {
        self.fed(arguments, "")
    }

    pub(crate) fn fed<I: IntoIterator<Item: AsRef<OsStr>>>(&self, arguments: I, input: &str) -> Ran {
        let input = input.to_owned();
        run(&mut self.command(arguments), move |stdin| stdin.write_all(input.as_bytes()))
    }

    /// Files of the memory, without locks.
    pub(crate) fn remembered(&self) -> Vec<PathBuf> {
        let folder = self.path(".baton/checkpoints");
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending != "lock"));
        files.sort();
        files
    }

    /// The file that holds the last checkpoint that agreed.
    pub(crate) fn checkpoint_file(&self) -> PathBuf {
        let is_it = |file: &PathBuf| {
            let name = file.file_name().unwrap().to_str().unwrap();
            name.ends_with(".json") && !name.contains("conflict")
        };
        self.remembered().into_iter().find(is_it).unwrap()
    }
}

/// Has everything written so far signed for, and gives how much that is.
pub(crate) fn seal(tenant: &Tenant) -> u64 {
    let path = format!("/api/evidence/consistency?network_id={}&from=0", tenant.network_id);
    succeed(&tenant.user.get(&path))["to"].as_u64().unwrap()
}

/// The log's events.
pub(crate) fn events(tenant: &Tenant) -> Vec<Value> {
    let path = format!("/api/evidence?network_id={}&limit=1000", tenant.network_id);
    succeed(&tenant.user.get(&path))["events"].as_array().unwrap().clone()
}

/// One agent hands a task to another, which does it. Gives the task's id.
pub(crate) fn handoff(tenant: &Tenant) -> String {
    let (alice, bob) = (tenant.agent("alice"), tenant.agent("bob"));
    let task = send(&alice, "bob", "look into it");
    assert_eq!(text(&claim(&bob, 5, 60)["task"]["task_id"]), task);
    let report = json!({"alias": "bob", "task": task, "result": "done"});
    let done = tool::call(&bob, "report_completion", &report);
    assert_eq!(done["ok"], true, "{done}");
    task
}

/// The hub's public key.
pub(crate) fn key(tenant: &Tenant) -> String {
    text(&succeed(&tenant.user.get("/api/evidence/key"))["key"])
}
