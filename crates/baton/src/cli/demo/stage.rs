//! The stage: a hub, a network, three agents with a worker each. Every process has a group of its own that a guard
//! ends with the demo, even if the demo is killed; the folder goes with the stage.

use baton_core::limits;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

use super::hub_process::{HubProcess, USERNAME};
use super::narrator::Narrator;
use crate::cli::failure::Failure;
use crate::cli::work::{Group, Guard, GuardedGroup};
use crate::client::{Client, HubAddress, Options, Token};
use crate::service::accounts::{sessions, tokens};

/// The shortest the hub gives, so that nobody waits long for a worker that died.
const LEASE_SECONDS: &str = "5";

/// What the three agents run. Any program would do; these are a few lines of shell.
const COMMANDS: [(&str, &str); 3] = [
    (
        "planner",
        r#"task=$(cat)
code=$("$BATON" send coder "write: $task" --wait=15) || exit 1
verdict=$("$BATON" send reviewer "review: $code" --wait=15) || exit 1
echo "$code   # $verdict""#,
    ),
    (
        "coder",
        r#"read -r task
case "$task" in
write:*) echo 'fn health() -> &str { "ok" }' ;;
*) echo $$ > "$STAGE/coder.group"
   # The first try takes forever, with two children of its own; a second one is quick.
   [ "$BATON_ATTEMPT" = 1 ] && { sleep 60 & sleep 60 & wait; }
   echo "done, at attempt $BATON_ATTEMPT" ;;
esac"#,
    ),
    ("reviewer", r#"read -r task; echo "looks fine to me""#),
];

/// Everything that runs. Dropping it ends everything.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) you: Client,
    pub(super) network_id: String,
    agents: Vec<(&'static str, Token)>,
    workers: Vec<Worker>,
    hub: HubProcess,
    _guarded_hub: Option<GuardedGroup>,
    guard: Guard,
    folder: TempDir,
}

#[derive(Debug)]
struct Worker {
    alias: &'static str,
    process: Child,
    _guarded: Option<GuardedGroup>,
}

impl Stage {
    /// Starts the hub, makes the agents, starts their workers.
    pub(super) async fn set(narrator: &Narrator) -> Result<Self, Failure> {
        narrator.step("A hub, and three agents whose work is a shell command each")?;
        let failed = |error| Failure::Write { name: "the demo's folder".into(), error };
        let folder = tempfile::Builder::new().prefix("baton-demo-").tempdir().map_err(failed)?;
        let guard = Guard::start(limits::DEMO_GRACE).map_err(Failure::System)?;
        let hub = HubProcess::start(folder.path(), log(folder.path(), "hub")?)?;
        let guarded_hub = Group::led_by(hub.pid()).map(|group| guard.watch(group));
        narrator.line(&format!("hub         listens on {}", hub.url))?;
        let address: HubAddress = hub.url.parse().map_err(Failure::usage)?;
        let nobody = Client::new(address.clone(), None, &Options::default())?;
        let login = sessions::Login {
            username: USERNAME.into(),
            password: hub.password.clone(),
            expires_in_seconds: None,
        };
        let signed_in = nobody.login(&login).await?.into_value();
        let you = Client::new(address, Token::parse(&signed_in.token), &Options::default())?;
        let networks = you.me().await?.into_value().networks;
        let network = networks.into_iter().next().ok_or_else(|| Failure::usage("the hub made no network"))?;
        let network_id = network.network_id;
        let (agents, workers) = (Vec::new(), Vec::new());
        let mut stage =
            Self { you, network_id, agents, workers, hub, _guarded_hub: guarded_hub, guard, folder };
        for (alias, _) in COMMANDS {
            let token = stage.mint(alias).await?;
            stage.agents.push((alias, token));
            stage.start_worker(alias)?;
            narrator.line(&format!("{alias:<11} baton work --alias {alias} -- sh -c '…'"))?;
        }
        Ok(stage)
    }

    async fn mint(&self, alias: &str) -> Result<Token, Failure> {
        let network_id = Some(self.network_id.clone());
        let args = tokens::NewNodeToken {
            network_id,
            node_name: Some(alias.into()),
            scope: None,
            expires_in_seconds: None,
        };
        let minted = self.you.mint_node_token(&args).await?.into_value();
        Token::parse(&minted.token).ok_or_else(|| Failure::usage("the hub minted no token"))
    }

    /// Starts one more worker of an agent.
    pub(super) fn start_worker(&mut self, alias: &'static str) -> Result<(), Failure> {
        use std::os::unix::process::CommandExt;
        let script = COMMANDS.iter().find(|(other, _)| *other == alias).map_or("", |(_, script)| script);
        let token =
            self.agents.iter().find(|(other, _)| *other == alias).map_or("", |(_, token)| token.expose());
        let this = std::env::current_exe().map_err(Failure::System)?;
        let mut command = Command::new(&this);
        command
            .args([
                "work",
                "--alias",
                alias,
                "--lease",
                LEASE_SECONDS,
                "--grace",
                "1",
                "--",
                "sh",
                "-c",
                script,
            ])
            .envs([
                ("BATON_HUB", self.hub.url.as_str()),
                ("BATON_TOKEN", token),
                ("BATON_NETWORK", &self.network_id),
            ])
            .env("BATON", this)
            .env("STAGE", self.folder.path())
            // Nothing of the user's own is read or written.
            .env("HOME", self.folder.path())
            .env_remove("BATON_PROFILE")
            .env_remove("BATON_CA")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log(self.folder.path(), alias)?)
            .process_group(0);
        let process = command.spawn().map_err(Failure::System)?;
        let guarded = Group::led_by(process.id()).map(|group| self.guard.watch(group));
        self.workers.push(Worker { alias, process, _guarded: guarded });
        Ok(())
    }

    /// What a command needs to know to reach the hub as you.
    pub(super) fn surroundings(&self) -> [(&'static str, String); 3] {
        let token = self.you.token().map_or_else(String::new, |token| token.expose().to_owned());
        [
            ("BATON_HUB", self.hub.url.clone()),
            ("BATON_TOKEN", token),
            ("BATON_NETWORK", self.network_id.clone()),
        ]
    }

    /// `kill -9` for an agent's worker.
    pub(super) fn kill_worker(&mut self, alias: &str) -> Result<u32, Failure> {
        let at = self.workers.iter().position(|worker| worker.alias == alias);
        let mut worker =
            at.map(|at| self.workers.remove(at)).ok_or_else(|| Failure::usage("no such worker"))?;
        worker.process.kill().and_then(|()| worker.process.wait()).map_err(Failure::System)?;
        Ok(worker.process.id())
    }

    /// The process group of the command that the coder runs, once it has begun.
    pub(super) fn coders_group(&self) -> Option<Group> {
        let number = std::fs::read_to_string(self.folder.path().join("coder.group")).ok()?;
        Group::led_by(number.trim().parse().ok()?)
    }

    /// Forgets the group that was noted.
    pub(super) fn forget_group(&self) {
        // It may not be there, which is what is wanted.
        let _ = std::fs::remove_file(self.folder.path().join("coder.group"));
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            // The worker's guard ends what it runs.
            let _ = worker.process.kill();
            let _ = worker.process.wait();
        }
    }
}

fn log(folder: &Path, name: &str) -> Result<Stdio, Failure> {
    let path = folder.join(format!("{name}.log"));
    let file = File::options().create(true).append(true).open(path);
    file.map(Into::into).map_err(|error| Failure::Write { name: format!("{name}.log"), error })
}
