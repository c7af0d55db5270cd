//! Packages around the binary under test, made by the script that makes a release, and what every installed program does.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

use super::files::root;
use crate::it::program::{Ran, binary, run};

/// Where the packages of these tests would be downloaded from.
pub(super) const REPOSITORY: &str = "https://github.com/example/baton";
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A folder with the packages of one release.
pub(super) struct Packages(TempDir);

impl Packages {
    pub(super) fn make(kinds: &[&str]) -> Self {
        Self::around(stripped, kinds)
    }

    /// Around a program that `program` puts into a folder.
    pub(super) fn around(program: fn(&Path) -> PathBuf, kinds: &[&str]) -> Self {
        let out = tempfile::tempdir().unwrap();
        let program = program(out.path());
        done(release(&program, out.path()).arg("--only").args(kinds));
        Self(out)
    }

    pub(super) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The one with this ending.
    pub(super) fn one(&self, ending: &str) -> PathBuf {
        let mut found: Vec<PathBuf> =
            std::fs::read_dir(self.0.path()).unwrap().map(|file| file.unwrap().path()).collect();
        found.retain(|path| path.to_str().unwrap().ends_with(ending));
        let [path] = &found[..] else { panic!("{ending}: {found:?}") };
        path.clone()
    }
}

/// The script with what every run of it is given.
pub(super) fn release(program: &Path, out: &Path) -> Command {
    let mut command = script(program, &target(), out);
    // Not compressed: that is most of the work, and no part of what is tested.
    command.args(["--repository", REPOSITORY, "--level", "0"]);
    command
}

/// The script, without the settings that this process was started with.
pub(super) fn script(program: &Path, target: &str, out: &Path) -> Command {
    let mut command = clean("python3");
    command.arg(root().join("scripts/release").canonicalize().unwrap());
    command.arg("--binary").arg(program).arg("--out").arg(out).args(["--target", target]);
    command
}

pub(super) fn target() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// The binary under test without its symbols, half of its bytes, in a folder of its own below this one.
pub(super) fn stripped(folder: &Path) -> PathBuf {
    let program = folder.join("program/baton");
    std::fs::create_dir(program.parent().unwrap()).unwrap();
    done(Command::new("strip").arg("-o").arg(&program).arg(binary()));
    program
}

/// Runs a command that must succeed.
#[track_caller]
pub(super) fn done(command: &mut Command) -> String {
    let Ran { code, stdout, stderr } = run(command, |_| Ok(()));
    assert_eq!(code, Some(0), "{command:?}\n{stdout}{stderr}");
    stdout
}

/// The installed program says its version and shows its demo, whatever this machine has set for a hub of its own.
pub(super) fn works(program: &Path) {
    assert!(program.is_file(), "{}", program.display());
    assert_eq!(done(clean(program).arg("--version")), format!("baton {VERSION}\n"));
    let temporary = tempfile::tempdir().unwrap();
    let shown = done(clean(program).arg("demo").env("TMPDIR", temporary.path()));
    assert!(shown.contains("observed by the hub: 20 events"), "{shown}");
    assert_eq!(temporary.path().read_dir().unwrap().count(), 0, "files left behind");
}

/// A command without the settings of Baton that this process was started with.
pub(super) fn clean(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("BATON_")) {
        command.env_remove(name);
    }
    command.env("BATON_CONFIG", "/dev/null");
    command
}
