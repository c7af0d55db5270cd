//! Artifacts in backups, and what `baton hub check` says of their files.

use std::path::PathBuf;
use std::process::Output;
use tempfile::TempDir;

use super::{file_of, files_below, output, read, run};
use crate::it::hub::{ADMIN, Hub, PASSWORD, baton};
use crate::it::tenant::Tenant;

const BYTES: &str = "true bytes";

/// A hub, and a folder with a file that can be uploaded.
struct Stage {
    hub: Hub,
    network: Tenant,
    folder: TempDir,
}

impl Stage {
    fn new(hub: Hub) -> Self {
        let (network, folder) = (Tenant::of_admin(&hub), tempfile::tempdir().unwrap());
        let stage = Self { hub, network, folder };
        std::fs::write(stage.path("a"), BYTES).unwrap();
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Uploads the file and answers its hash.
    fn put(&self) -> String {
        output(&self.network.user, &["artifact", "put", self.path("a").to_str().unwrap()])
    }

    /// Where the hub keeps the one that was uploaded.
    fn stored(&self) -> PathBuf {
        let files = files_below(&self.hub.data_dir().join("artifacts"));
        let [stored] = &files[..] else { panic!("one file: {files:?}") };
        stored.clone()
    }

    fn back_up(&self) -> (PathBuf, Output) {
        let backup = self.path("backup.tar.gz");
        let made = self.hub.baton(&["hub", "backup", "-o", backup.to_str().unwrap()]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        (backup, made)
    }

    /// What a check says that finds something.
    fn found(&self, options: &[&str]) -> String {
        let checked = self.hub.baton(options);
        let said = String::from_utf8(checked.stdout).unwrap();
        assert_eq!(checked.status.code(), Some(1), "{said}");
        said
    }
}

#[test]
fn a_backup_brings_the_bytes_back_and_a_restore_is_checked() {
    let stage = Stage::new(Hub::start());
    file_of(&stage.path("a"), 3_000_000);
    let (sha, (backup, _)) = (stage.put(), stage.back_up());
    let restored = Hub::start_on(|into| {
        let ran = baton().args(["hub", "restore"]).arg(&backup).arg("--data-dir").arg(into).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    });
    let (reader, copy) = (restored.login(ADMIN, PASSWORD), stage.path("copy"));
    output(&reader, &["artifact", "get", &sha, "-o", copy.to_str().unwrap()]);
    assert!(read(&copy) == read(&stage.path("a")));
    let deep = restored.baton(&["hub", "check", "--deep"]);
    assert!(deep.status.success(), "{}", String::from_utf8_lossy(&deep.stdout));
}

#[test]
fn a_file_that_is_missing_shorter_or_other_is_named_by_the_check() {
    let mut stage = Stage::new(Hub::start());
    let (sha, stored) = (stage.put(), stage.stored());
    stage.hub.was_damaged = true;
    for (change, options, words) in [
        (Some("false byte"), &["hub", "check", "--deep"][..], "has other bytes"),
        (Some("short"), &["hub", "check"], "has 5 bytes and not 10"),
        (None, &["hub", "check"], "is missing"),
    ] {
        match change {
            Some(bytes) => std::fs::write(&stored, bytes).unwrap(),
            None => std::fs::remove_file(&stored).unwrap(),
        }
        let said = stage.found(options);
        assert!(said.contains("artifact_bytes") && said.contains(&sha) && said.contains(words), "{said}");
    }
}

#[test]
fn a_folder_of_artifacts_that_was_deleted_is_damage_and_not_a_bucket() {
    let mut stage = Stage::new(Hub::start());
    let sha = stage.put();
    stage.hub.was_damaged = true;
    std::fs::remove_dir_all(stage.hub.data_dir().join("artifacts")).unwrap();
    let said = stage.found(&["hub", "check"]);
    assert!(said.contains(&sha) && said.contains("is missing"), "{said}");
    assert!(!said.contains("not checked: the bytes of artifacts"), "{said}");
}

#[test]
fn a_file_is_uploaded_again_to_a_network_that_has_no_room_for_it_twice() {
    let options = ["--username", ADMIN, "--password", PASSWORD, "--artifact-quota", "1MiB"];
    let stage = Stage::new(Hub::start_with(&options));
    file_of(&stage.path("a"), 700_000);
    std::fs::write(stage.path("b"), vec![0; 700_000]).unwrap();
    let sha = stage.put();
    assert_eq!(stage.put(), sha);
    let refused = run(&stage.network.user, &["artifact", "put", stage.path("b").to_str().unwrap()]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && said.contains("artifact_quota_exceeded"), "{said}");
}

#[test]
fn lost_bytes_are_named_by_a_backup_and_come_back_with_an_upload() {
    let stage = Stage::new(Hub::start());
    let (sha, copy) = (stage.put(), stage.path("copy"));
    std::fs::remove_file(stage.stored()).unwrap();
    let (_, made) = stage.back_up();
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(said.contains("1 of 1 artifacts are not in it"), "{said}");
    assert_eq!(stage.put(), sha, "uploaded again");
    output(&stage.network.user, &["artifact", "get", &sha, "-o", copy.to_str().unwrap()]);
    assert_eq!(std::fs::read(&copy).unwrap(), BYTES.as_bytes());
}
