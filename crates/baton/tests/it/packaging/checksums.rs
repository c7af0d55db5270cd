//! SHA256SUMS and its signature, checked by the programs that a user has, with a key that is made for the test.

use std::path::Path;
use std::process::Command;

use super::packages::{done, release};
use super::stand_in::program;
use crate::it::program::run;

#[test]
fn the_checksums_are_signed_and_a_changed_package_or_list_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (key, public) = (folder.path().join("release.key"), folder.path().join("release.pub"));
    let made = Command::new("minisign").args(["-G", "-W", "-s"]).arg(&key).arg("-p").arg(&public).output();
    let made =
        made.unwrap_or_else(|error| panic!("no minisign ({error}); on Debian: apt-get install minisign"));
    assert!(made.status.success(), "{made:?}");
    let (program, out) = (program(folder.path()), folder.path().join("out"));
    done(release(&program, &out).args(["--only", "server-json", "wheel"]).env("BATON_RELEASE_KEY", &key));

    check_signature(&out, &public, Some(0));
    check_sums(&out, Some(0));
    let description = out.join("server.json");
    let text = std::fs::read_to_string(&description).unwrap();
    std::fs::write(&description, text.replace("stdio", "sse")).unwrap();
    check_sums(&out, Some(1));
    let sums = out.join("SHA256SUMS");
    let text = std::fs::read_to_string(&sums).unwrap();
    std::fs::write(&sums, text.replacen(|digit: char| digit.is_ascii_hexdigit(), "g", 1)).unwrap();
    check_signature(&out, &public, Some(1));

    // Sums without a key have no signature of older ones beside them.
    done(release(&program, &out).args(["--only", "server-json"]));
    assert!(!out.join("SHA256SUMS.minisig").exists());
    let absent = run(
        release(&program, &out).args(["--only", "server-json"]).env("BATON_RELEASE_KEY", "/nowhere"),
        |_| Ok(()),
    );
    assert!(absent.code == Some(1) && absent.stderr.contains("/nowhere, which is no file"), "{absent:?}");
}

#[track_caller]
fn check_signature(out: &Path, public: &Path, code: Option<i32>) {
    let mut command = Command::new("minisign");
    command.args(["-V", "-m", "SHA256SUMS", "-p"]).arg(public).current_dir(out);
    let ran = run(&mut command, |_| Ok(()));
    assert_eq!(ran.code, code, "{ran:?}");
}

#[track_caller]
fn check_sums(out: &Path, code: Option<i32>) {
    let ran = run(Command::new("sha256sum").args(["--check", "SHA256SUMS"]).current_dir(out), |_| Ok(()));
    assert_eq!(ran.code, code, "{ran:?}");
}
