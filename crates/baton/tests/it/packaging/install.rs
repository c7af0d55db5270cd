//! `make install` and `make uninstall`, in a folder of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::files::root;
use crate::it::program::binary;

fn make(word: &str, destination: &Path, prefix: &str) -> (bool, String) {
    let output = Command::new("make")
        .args(["--no-print-directory", word])
        .arg(format!("BINARY={}", binary().display()))
        .arg(format!("DESTDIR={}", destination.display()))
        .arg(format!("PREFIX={prefix}"))
        .current_dir(root())
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

/// Installs the binary under test.
pub(super) fn into(destination: &Path, prefix: &str) {
    let (done, said) = make("install", destination, prefix);
    assert!(done, "{said}");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn an_install_runs_from_where_it_lies_and_an_uninstall_takes_all_of_it_away() {
    let destination = tempfile::tempdir().unwrap();
    into(destination.path(), "/opt/baton");
    let installed = destination.path().join("opt/baton");
    let run = Command::new(installed.join("bin/baton")).arg("--version").output().unwrap();
    assert_eq!(run.stdout, format!("baton {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
    for (file, words) in [
        ("share/man/man1/baton.1", ".TH baton 1"),
        ("share/man/man1/baton-hub-start.1", "data\\-dir"),
        ("share/bash-completion/completions/baton", "-F _clap_complete_baton baton"),
        ("share/zsh/site-functions/_baton", "#compdef baton"),
        ("share/fish/vendor_completions.d/baton.fish", "--command baton"),
        ("lib/systemd/system/baton-hub.service", "ExecStart=/opt/baton/bin/baton hub start "),
        ("lib/sysusers.d/baton.conf", "u baton "),
        ("share/doc/baton/examples/tls.conf", "ExecStart=/opt/baton/bin/baton hub start "),
        ("share/doc/baton/examples/hub.env", "BATON_HUB_OPTIONS="),
    ] {
        let text = std::fs::read_to_string(installed.join(file)).unwrap();
        assert!(text.contains(words), "{words:?} in {file}");
    }

    // What is not ours stays.
    let other = installed.join("share/man/man1/baton-of-others.1");
    std::fs::write(&other, "").unwrap();
    let (done, said) = make("uninstall", destination.path(), "/opt/baton");
    assert!(done, "{said}");
    assert_eq!(files(destination.path()), [other]);
    let (done, said) = make("uninstall", destination.path(), "/opt/baton");
    assert!(!done && said.contains("another PREFIX"), "{said}");
}

#[test]
fn a_prefix_that_the_unit_could_not_name_is_refused() {
    let destination = tempfile::tempdir().unwrap();
    for prefix in ["/opt/my baton", "/opt/a|b", "/opt/a&b", "/opt/%S"] {
        let output = Command::new(root().join("scripts/install.sh"))
            .args(["install".as_ref(), binary().as_os_str()])
            .env("PREFIX", prefix)
            .env("DESTDIR", destination.path())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("PREFIX may hold"), "{said}");
    }
    assert!(files(destination.path()).is_empty());
}
