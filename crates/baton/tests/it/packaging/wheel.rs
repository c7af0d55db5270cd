//! The wheel for PyPI, installed by pip into an empty virtual environment.

use std::process::Command;

use super::packages::{Packages, VERSION, clean, done, works};

#[test]
fn the_wheel_installs_into_a_virtual_environment_and_its_demo_runs() {
    let packages = Packages::make(&["wheel"]);
    let folder = tempfile::tempdir().unwrap();
    let environment = folder.path().join("venv");
    done(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    let pip = environment.join("bin/pip");
    done(Command::new(&pip).args(["install", "--no-index", "--no-cache-dir"]).arg(packages.one(".whl")));
    works(&environment.join("bin/baton"));
    // The name that `uvx baton-hub` looks for; uv and pipx start it through a link.
    let link = folder.path().join("baton-hub");
    std::os::unix::fs::symlink(environment.join("bin/baton-hub"), &link).unwrap();
    assert_eq!(done(clean(link).arg("--version")), format!("baton {VERSION}\n"));
    // pip compares every file with its checksum in RECORD when it removes them.
    done(Command::new(&pip).args(["uninstall", "--yes", "baton-hub"]));
    assert!(!environment.join("bin/baton").exists() && !environment.join("bin/baton-hub").exists());
}
