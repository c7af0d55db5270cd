//! A release can be made again: the same program and sources give the same bytes, whoever makes the packages and where.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::packages::{clean, done, release, script, stripped, target};
use super::stand_in;
use crate::it::program::{names, run};

fn made(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder).into_iter().map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap())).collect()
}

/// Makes these packages of a program twice and compares them.
fn twice(program: fn(&Path) -> PathBuf, kinds: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path());
    let authorities = folder.path().join("ca.pem");
    std::fs::write(&authorities, "certificates\n").unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let command = |out: &Path| {
        let mut command = release(&program, out);
        command.arg("--ca-bundle").arg(&authorities).arg("--only").args(kinds);
        command
    };
    done(&mut command(&first));
    // Another umask, time zone and working folder; and later, as the times of the files it packs show.
    let (mut again, command) = (clean("sh"), command(&second));
    again
        .args(["-c", "umask 077; cd /; exec \"$@\"", "sh"])
        .arg(command.get_program())
        .args(command.get_args());
    done(again.env("TZ", "Asia/Tokyo"));
    let (first, second) = (made(&first), made(&second));
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    assert_eq!(first.len(), kinds.len() + 1, "and SHA256SUMS");
    for (name, bytes) in &first {
        assert!(second[name] == *bytes, "{name} differs");
    }
}

#[test]
fn what_an_installation_holds_is_packed_twice_into_the_same_bytes() {
    twice(stripped, &["tarball", "deb", "homebrew"]);
}

#[test]
fn what_holds_the_program_alone_is_packed_twice_into_the_same_bytes() {
    twice(stand_in::program, &["wheel", "npm", "image", "sbom", "server-json"]);
}

#[test]
fn what_cannot_be_packed_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |program: &Path, target: &str, more: &[&str]| {
        let mut command = script(program, target, &folder.path().join("out"));
        command.args(more);
        let ran = run(&mut command, |_| Ok(()));
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.stderr
    };
    let program = stand_in::program(folder.path());
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
