//! A release can be made again: the same program and sources give the same bytes, whoever makes the packages and where.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::files::root;
use super::packages::{REPOSITORY, done, release, stripped, target};
use crate::it::program::{names, run};

const KINDS: [&str; 6] = ["tarball", "wheel", "npm", "deb", "homebrew", "server-json"];

fn made(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder).into_iter().map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap())).collect()
}

#[test]
fn packages_that_are_made_twice_have_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let program = stripped(folder.path());
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    done(release(&program, &first).arg("--only").args(KINDS));
    // Another umask, time zone and working folder; and later, as the tarball's own files show.
    let script = "umask 077; cd /; exec \"$@\"";
    let mut again = Command::new("sh");
    again.args(["-c", script, "sh", "python3"]).arg(absolute("scripts/release")).env("TZ", "Asia/Tokyo");
    again.arg("--binary").arg(&program).arg("--out").arg(&second).args([
        "--target",
        &target(),
        "--level",
        "1",
    ]);
    again.args(["--repository", REPOSITORY, "--only"]).args(KINDS);
    again.env_remove("BATON_RELEASE_KEY").env_remove("BATON_MCP_NAME").env_remove("BATON_MAINTAINER");
    done(&mut again);
    let (first, second) = (made(&first), made(&second));
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    assert_eq!(first.len(), KINDS.len() + 1, "and SHA256SUMS");
    for (name, bytes) in &first {
        assert!(second[name] == *bytes, "{name} differs");
    }
}

#[test]
fn what_cannot_be_packed_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |program: &Path, target: &str, more: &[&str]| {
        let mut command = Command::new("python3");
        command.arg(absolute("scripts/release")).arg("--binary").arg(program).args(["--target", target]);
        command.arg("--out").arg(folder.path().join("out")).args(more).env_remove("BATON_MCP_NAME");
        let ran = run(&mut command, |_| Ok(()));
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.stderr
    };
    let program = stripped(folder.path());
    let no_program = folder.path().join("text");
    std::fs::write(&no_program, "").unwrap();
    assert!(refused(&no_program, &target(), &[]).contains("is no program; build it first"));
    assert!(
        refused("/bin/sh".as_ref(), "mips-unknown-linux-gnu", &[]).contains("not for mips-unknown-linux-gnu")
    );
    let said = refused(&program, &target(), &["--only", "server-json"]);
    assert!(said.contains("it names the repository; pass --repository"), "{said}");
    let said = refused(&program, &target(), &["--repository", "git@example.org:baton", "--only", "wheel"]);
    assert!(said.contains("the repository must be an https:// address"), "{said}");
    let said =
        refused(&program, &target(), &["--repository", "https://example.org/a/b", "--only", "server-json"]);
    assert!(said.contains("BATON_MCP_NAME"), "{said}");
}

fn absolute(path: &str) -> PathBuf {
    root().join(path).canonicalize().unwrap()
}
