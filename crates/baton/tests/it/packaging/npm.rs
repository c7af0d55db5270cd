//! The npm package, installed by npm into an empty prefix.

use serde_json::Value;
use std::process::Command;

use super::packages::{Packages, VERSION, clean, done, works};

#[test]
fn the_npm_package_installs_into_a_prefix_and_its_demo_runs() {
    let packages = Packages::make(&["npm"]);
    let folder = tempfile::tempdir().unwrap();
    let (prefix, cache) = (folder.path().join("prefix"), folder.path().join("cache"));
    std::fs::create_dir(&prefix).unwrap();
    let npm = |program: &str| {
        let mut command = Command::new(program);
        command.args(["--offline", "--loglevel=error", "--cache"]).arg(&cache).current_dir(&prefix);
        command
    };
    done(npm("npm").args(["install", "--no-audit", "--no-fund"]).arg(packages.one(".tgz")));
    works(&prefix.join("node_modules/.bin/baton"));
    assert_eq!(done(npm("npx").args(["baton-hub", "--version"])), format!("baton {VERSION}\n"));
    assert_eq!(
        done(clean(prefix.join("node_modules/.bin/baton-hub")).arg("--version")),
        format!("baton {VERSION}\n")
    );

    // Where the program could not run npm refuses the package.
    let manifest = std::fs::read(prefix.join("node_modules/baton-hub/package.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let machine = if std::env::consts::ARCH == "aarch64" { "arm64" } else { "x64" };
    assert_eq!((&manifest["os"], &manifest["cpu"]), (&["linux"].into(), &[machine].into()));
    assert_eq!((&manifest["name"], &manifest["version"]), (&"baton-hub".into(), &VERSION.into()));
}
