//! The Debian package: unpacked by dpkg, and installed by it into a root of its own.

use std::path::Path;
use std::process::Command;

use super::packages::{Packages, done, works};

#[test]
fn the_debian_package_is_unpacked_and_its_demo_runs() {
    let packages = Packages::make(&["deb"]);
    let folder = tempfile::tempdir().unwrap();
    let deb = packages.one(".deb");
    done(Command::new("dpkg").arg("-x").arg(&deb).arg(folder.path()));
    works(&folder.path().join("usr/bin/baton"));
    for file in [
        "usr/share/man/man1/baton.1.gz",
        "usr/share/bash-completion/completions/baton",
        "usr/share/zsh/vendor-completions/_baton",
        "usr/share/fish/vendor_completions.d/baton.fish",
        "usr/lib/sysusers.d/baton.conf",
        "usr/share/doc/baton-hub/copyright",
        "etc/baton/hub.env",
    ] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
    let unit =
        std::fs::read_to_string(folder.path().join("usr/lib/systemd/system/baton-hub.service")).unwrap();
    assert!(unit.contains("ExecStart=/usr/bin/baton hub start "), "{unit}");
    installs_and_is_removed(&deb, &folder.path().join("root"));
}

/// With its own scripts. What an operator has written into /etc/baton stays.
fn installs_and_is_removed(deb: &Path, root: &Path) {
    if !rustix::process::geteuid().is_root() {
        println!("dpkg installs only as root");
        return;
    }
    std::fs::create_dir_all(root.join("etc")).unwrap();
    for folder in ["info", "updates", "triggers"] {
        std::fs::create_dir_all(root.join("var/lib/dpkg").join(folder)).unwrap();
    }
    std::fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = |arguments: &[&str]| {
        let mut command = Command::new("dpkg");
        // Nothing else is installed in this root: no libraries, and no shell to run the scripts in it.
        command.args(["--force-script-chrootless", "--force-depends", "--log=/dev/null", "--root"]).arg(root);
        command.args(arguments);
        command
    };
    done(dpkg(&["--install"]).arg(deb));
    let status = done(&mut dpkg(&["--status", "baton-hub"]));
    assert!(
        status.contains("Status: install ok installed") && status.contains(" /etc/baton/hub.env "),
        "{status}"
    );
    if Command::new("systemd-sysusers").arg("--version").output().is_ok() {
        let users = std::fs::read_to_string(root.join("etc/passwd")).unwrap();
        assert!(users.contains("baton:x:") && users.contains(":/var/lib/baton:"), "{users}");
    }
    std::fs::write(root.join("etc/baton/hub.env"), "BATON_HUB_OPTIONS=--behind-proxy\n").unwrap();
    done(&mut dpkg(&["--remove", "baton-hub"]));
    assert!(!root.join("usr/bin/baton").exists());
    assert!(root.join("etc/baton/hub.env").is_file());
    done(&mut dpkg(&["--purge", "baton-hub"]));
    assert!(!root.join("etc/baton/hub.env").exists());
}
