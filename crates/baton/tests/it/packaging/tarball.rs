//! The tarball, unpacked by tar; and the formula and the manifest's lines that have it fetched.

use sha2::{Digest, Sha256};
use std::process::Command;

use super::files::read;
use super::packages::{Packages, REPOSITORY, VERSION, done, target, works};

#[test]
fn the_tarball_is_unpacked_and_its_demo_runs_and_the_formula_knows_its_checksum() {
    let packages = Packages::make(&["tarball", "homebrew"]);
    let tarball = packages.one(".tar.gz");
    let name = tarball.file_name().unwrap().to_str().unwrap();
    assert_eq!(name, format!("baton-hub-{VERSION}-{}.tar.gz", target()));
    let folder = tempfile::tempdir().unwrap();
    done(Command::new("tar").arg("-C").arg(folder.path()).arg("-xzf").arg(&tarball));
    works(&folder.path().join("bin/baton"));

    let formula = std::fs::read_to_string(packages.one(".rb")).unwrap();
    let sum = format!("{:x}", Sha256::digest(std::fs::read(&tarball).unwrap()));
    for line in
        [format!("url \"{REPOSITORY}/releases/download/v{VERSION}/{name}\""), format!("sha256 \"{sum}\"")]
    {
        assert!(formula.contains(&line), "{line} in:\n{formula}");
    }
    // What it installs is in the tarball.
    for path in formula.lines().filter(|line| line.contains(".install \"")) {
        let path = path.split('"').nth(1).unwrap();
        assert!(folder.path().join(path).is_file(), "{path}");
    }
}

/// cargo-binstall fills in the repository, the version and the target.
#[test]
fn cargo_binstall_looks_for_the_tarball_that_is_made() {
    let manifest: toml::Table = read("crates/baton/Cargo.toml").parse().unwrap();
    let wanted = &manifest["package"]["metadata"]["binstall"];
    let url = wanted["pkg-url"].as_str().unwrap();
    let filled =
        url.replace("{ repo }", REPOSITORY).replace("{ version }", VERSION).replace("{ target }", "TARGET");
    assert_eq!(
        filled,
        format!("{REPOSITORY}/releases/download/v{VERSION}/baton-hub-{VERSION}-TARGET.tar.gz")
    );
    assert_eq!((wanted["bin-dir"].as_str(), wanted["pkg-fmt"].as_str()), (Some("bin/{ bin }"), Some("tgz")));
}
