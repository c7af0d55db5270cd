//! A data folder somebody else has had their hands in: its lock file removed, its mode opened.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::it::hub::{Hub, baton};
use crate::it::tenant::{Tenant, send};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn open_to(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_second_hub_does_not_start_after_the_lock_file_was_removed() {
    let mut hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let (sender, _worker) = (tenant.agent("sender"), tenant.agent("worker"));
    for file in ["hub.lock", "hub.sock"] {
        std::fs::remove_file(hub.data_dir().join(file)).unwrap();
        // Neither a hub nor a tool that changes or copies the database.
        let output = hub.data_dir().join("../backup.tar.gz");
        let commands = [
            vec!["hub", "start", "--port", "0"],
            vec!["hub", "admin", "reset-user", "--username", "admin"],
            vec!["hub", "backup", "-o", output.to_str().unwrap()],
        ];
        let refused = if file == "hub.lock" { &commands[..1] } else { &commands[..] };
        for command in refused {
            let ran = hub.baton(command);
            let said = String::from_utf8(ran.stderr).unwrap();
            assert!(
                !ran.status.success() && said.contains("in use by another process"),
                "{command:?}: {said}"
            );
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
    send(&sender, "worker", "the first hub goes on");
    hub.restart();
    send(&sender, "worker", "and so does the next");
}

#[test]
fn a_folder_that_others_can_read_is_closed_at_the_start_and_that_is_logged() {
    let mut hub = Hub::start();
    let folder = hub.data_dir();
    assert!(hub.stop().success());
    open_to(&folder, 0o755);
    open_to(&folder.join("hub.db"), 0o644);
    hub.restart();
    assert_eq!((mode(&folder), mode(&folder.join("hub.db"))), (0o700, 0o600));
    let log = hub.log();
    assert_eq!(log.matches("could be read by other users").count(), 2, "{log}");
    hub.restart();
    assert_eq!(hub.log().matches("could be read by other users").count(), 2, "logged once: {}", hub.log());
}

#[test]
fn a_folder_that_everybody_shares_is_not_closed_but_refused() {
    let shared = tempfile::tempdir().unwrap();
    open_to(shared.path(), 0o1777);
    let mut command = baton();
    let ran =
        command.args(["hub", "start", "--port", "0", "--data-dir"]).arg(shared.path()).output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(!ran.status.success() && said.contains("other users can write to it"), "{said}");
    assert_eq!(mode(shared.path()), 0o1777, "it is not the hub's to change");
    assert_eq!(std::fs::read_dir(shared.path()).unwrap().count(), 0, "nothing was written");
}
