//! The last step: the network's evidence is exported, the hub is stopped, and the files are checked without it.

use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

use super::narrator::Narrator;
use super::stage::Stage;
use crate::cli::failure::Failure;

const BUNDLE: &str = "evidence.tar.gz";

/// An export that outlives the stage, and the key its checkpoint is signed with.
pub(super) struct Exported {
    folder: TempDir,
    key: String,
}

/// Exports while the hub is there.
pub(super) async fn export(stage: &Stage, narrator: &Narrator) -> Result<Exported, Failure> {
    narrator.step("The evidence: every change left an event in the network's log")?;
    let failed = |error| Failure::Write { name: "the export's folder".into(), error };
    let folder = tempfile::Builder::new().prefix("baton-demo-").tempdir().map_err(failed)?;
    narrator.plain(&format!("$ baton evidence export -o {BUNDLE}"))?;
    let mut command = baton(folder.path(), &["evidence", "export", "-o", BUNDLE])?;
    command.envs(stage.surroundings());
    show(narrator, &run(command).await?, |_| true)?;
    Ok(Exported { folder, key: stage.you.evidence_key().await?.into_value().key })
}

/// Checks the files once the hub is gone.
pub(super) async fn check(exported: &Exported, narrator: &Narrator) -> Result<(), Failure> {
    narrator.step("The hub is gone. What it wrote can still be checked, offline")?;
    narrator.plain(&format!("$ baton evidence verify {BUNDLE} --key KEY"))?;
    let arguments = ["evidence", "verify", BUNDLE, "--key", &exported.key];
    let said = run(baton(exported.folder.path(), &arguments)?).await?;
    // The key and the root are long and say nothing to a user.
    show(narrator, &said, |line| !line.starts_with("signed by:") && !line.starts_with("log:"))
}

fn baton(folder: &Path, arguments: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new(std::env::current_exe().map_err(Failure::System)?);
    // Nothing of the user's own is read or written.
    command.args(arguments).current_dir(folder).env("HOME", folder);
    for name in ["BATON_HUB", "BATON_TOKEN", "BATON_NETWORK", "BATON_PROFILE", "BATON_CA"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

async fn run(mut command: Command) -> Result<String, Failure> {
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    let output = output.map_err(|error| Failure::System(error.into()))?.map_err(Failure::System)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    let trouble = String::from_utf8_lossy(&output.stderr);
    Err(Failure::usage(format!("the demo went wrong: {said}{trouble}")))
}

fn show(narrator: &Narrator, said: &str, is_shown: impl Fn(&str) -> bool) -> Result<(), Failure> {
    for line in said.lines().filter(|line| is_shown(line)) {
        narrator.plain(&format!("  {line}"))?;
    }
    Ok(())
}
