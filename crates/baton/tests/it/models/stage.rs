//! A hub with a helper behind an alias, and a newcomer's machine: an empty home with a login, a project, the clients on the
//! path, and nothing that they can reach but loopback.

use serde_json::json;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

use super::model::Model;
use crate::it::clients::stage::repository;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::program::{Ran, binary, run};
use crate::it::tenant::Tenant;
use crate::it::work::worker::Worker;

/// Which client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Claude,
    Codex,
    Gemini,
}

pub(super) struct Stage {
    pub(super) network: Tenant,
    home: TempDir,
    _helper: Worker,
    pub(super) hub: Hub,
}

impl Stage {
    /// A hub, an agent `helper` that answers in capitals, and a user who is logged in.
    pub(super) fn set() -> Self {
        let hub = Hub::start();
        let network = Tenant::of_admin(&hub);
        let mut helper =
            Worker::start_command(&network.agent("helper"), "helper", &[], &["tr", "a-z", "A-Z"]);
        helper.says("waiting for tasks");
        let home = tempfile::tempdir().unwrap();
        for folder in ["bin", "project", ".codex"] {
            std::fs::create_dir(home.path().join(folder)).unwrap();
        }
        // A project is a repository. Codex runs in no other folder without being told to.
        let made = Command::new("git").args(["init", "--quiet"]).arg(home.path().join("project")).status();
        assert!(made.expect("git (on Debian: apt-get install git)").success());
        symlink(binary(), home.path().join("bin/baton")).unwrap();
        symlink(program("@anthropic-ai/claude-code-linux-x64/claude"), home.path().join("bin/claude"))
            .unwrap();
        symlink(codex(), home.path().join("bin/codex")).unwrap();
        write_script(&home.path().join("bin/gemini"), &program("@google/gemini-cli/bundle/gemini.js"));
        let stage = Self { network, home, _helper: helper, hub };
        let login = ["login", "--hub", &stage.hub.url(), "--username", ADMIN, "--password-stdin"];
        run(stage.baton().args(login), |stdin| stdin.write_all(PASSWORD.as_bytes())).exited(0);
        stage
    }

    pub(super) fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    /// `baton` on this machine.
    fn baton(&self) -> Command {
        self.on_machine(Command::new("baton"), None)
    }

    /// A command as it is run on this machine, in the project; a client is given its model.
    pub(super) fn on_machine(&self, mut command: Command, model: Option<&Model>) -> Command {
        let bin = self.home.path().join("bin");
        command.env_clear().current_dir(self.project()).env("HOME", self.home.path());
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        if let Some(model) = model {
            command
                .env("ANTHROPIC_BASE_URL", &model.url)
                .env("ANTHROPIC_API_KEY", "none")
                .env("GOOGLE_GEMINI_BASE_URL", &model.url)
                .env("GEMINI_API_KEY", "none")
                .env("MODEL_KEY", "none");
            for quiet in [
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                "DISABLE_AUTOUPDATER",
                "DISABLE_TELEMETRY",
                "DISABLE_ERROR_REPORTING",
            ] {
                command.env(quiet, "1");
            }
            // Whatever leaves loopback anyway comes to the model, which notes it.
            command.env("HTTPS_PROXY", &model.url).env("HTTP_PROXY", &model.url);
            command.env("NO_PROXY", "127.0.0.1,localhost");
        }
        command
    }

    /// What a client has to know of its model, if that is more than the environment says.
    pub(super) fn configure(&self, whose: Whose, model: &Model) {
        match whose {
            Whose::Claude => {}
            Whose::Codex => self.configure_codex(model),
            Whose::Gemini => self.configure_gemini(),
        }
    }

    /// Which model to call, so that none is asked which one that should be, and nothing else.
    fn configure_gemini(&self) {
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "model": {"name": "scripted"},
            "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false},
        });
        let folder = self.home.path().join(".gemini");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    }

    /// What Codex has to know of its model. `baton init` adds to it.
    fn configure_codex(&self, model: &Model) {
        let text = format!(
            "model = \"scripted\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\n\
             [features]\nplugins = false\n\n[analytics]\nenabled = false\n\n[model_providers.scripted]\nname = \"scripted\"\n\
             base_url = \"{}/v1\"\nwire_api = \"responses\"\nenv_key = \"MODEL_KEY\"\n",
            model.url
        );
        std::fs::write(self.home.path().join(".codex/config.toml"), text).unwrap();
    }

    /// `baton init` for a client, and what it says.
    pub(super) fn init(&self, whose: Whose, options: &[&str]) -> String {
        let name = match whose {
            Whose::Claude => "claude",
            Whose::Codex => "codex",
            Whose::Gemini => "gemini",
        };
        run(self.baton().args(["init", name, "--write"]).args(options), |_| Ok(())).exited(0).stdout
    }

    /// Types the line that `baton init` printed, with a task in it.
    pub(super) fn type_next(&self, said: &str, model: &Model) -> Ran {
        let line = said.lines().find_map(|line| line.strip_prefix("next: ")).unwrap();
        let words = line.replace("YOUR TASK", "have it shouted");
        let mut shell = self.on_machine(Command::new("/bin/sh"), Some(model));
        run(shell.arg("-c").arg(format!("{words} </dev/null")), |_| Ok(()))
    }
}

/// A program inside an installed package.
pub(super) fn program(path: &str) -> PathBuf {
    let path = repository().join("target/tools/mcp/node_modules").join(path);
    assert!(
        path.exists(),
        "{} is not there: `make mcp-clients` installs the MCP clients, from the npm registry, which must be reachable for it",
        path.display()
    );
    path
}

/// A command that runs a program by node, as npm would have installed it.
fn write_script(place: &Path, program: &Path) {
    std::fs::write(place, format!("#!/bin/sh\nexec '{}' '{}' \"$@\"\n", node().display(), program.display()))
        .unwrap();
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The system's node, unless it is too old for the suites.
pub(super) fn node() -> PathBuf {
    let own = repository().join("target/tools/mcp-node/node_modules/.bin/node");
    if own.exists() { own } else { "node".into() }
}

fn codex() -> PathBuf {
    let vendor = program("@openai/codex-linux-x64/vendor");
    let mut builds = std::fs::read_dir(vendor).unwrap().map(|entry| entry.unwrap().path().join("bin/codex"));
    builds.find(|path: &PathBuf| Path::exists(path)).expect("codex is in its package")
}
