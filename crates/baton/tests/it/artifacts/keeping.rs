//! Artifacts in backups, and what `baton hub check` says of their files.

use super::{files_below, output, read};
use crate::it::hub::{ADMIN, Hub, PASSWORD, baton};
use crate::it::tenant::Tenant;

#[test]
fn a_backup_brings_the_bytes_back_and_a_restore_is_checked() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let folder = tempfile::tempdir().unwrap();
    let (file, backup) = (folder.path().join("a.bin"), folder.path().join("backup.tar.gz"));
    super::file_of(&file, 3_000_000);
    let sha = output(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    let made = hub.baton(&["hub", "backup", "-o", backup.to_str().unwrap()]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let restored = Hub::start_on(|into| {
        let ran = baton().args(["hub", "restore"]).arg(&backup).arg("--data-dir").arg(into).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    });
    let reader = restored.login(ADMIN, PASSWORD);
    let copy = folder.path().join("copy");
    output(&reader, &["artifact", "get", &sha, "-o", copy.to_str().unwrap()]);
    assert!(read(&copy) == read(&file));
    let deep = restored.baton(&["hub", "check", "--deep"]);
    assert!(deep.status.success(), "{}", String::from_utf8_lossy(&deep.stdout));
}

#[test]
fn a_file_that_is_missing_shorter_or_other_is_named_by_the_check() {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    std::fs::write(&file, "true bytes").unwrap();
    let sha = output(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    hub.was_damaged = true;
    let [stored] = &files_below(&hub.data_dir().join("artifacts"))[..] else { panic!("one file") };
    for (change, options, words) in [
        (Some("false byte"), &["hub", "check", "--deep"][..], "has other bytes"),
        (Some("short"), &["hub", "check"], "has 5 bytes and not 10"),
        (None, &["hub", "check"], "is missing"),
    ] {
        match change {
            Some(bytes) => std::fs::write(stored, bytes).unwrap(),
            None => std::fs::remove_file(stored).unwrap(),
        }
        let checked = hub.baton(options);
        let said = String::from_utf8(checked.stdout).unwrap();
        assert_eq!(checked.status.code(), Some(1), "{said}");
        assert!(said.contains("artifact_bytes") && said.contains(&sha) && said.contains(words), "{said}");
    }
}

#[test]
fn a_folder_of_artifacts_that_was_deleted_is_damage_and_not_a_bucket() {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    std::fs::write(&file, "true bytes").unwrap();
    let sha = output(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    hub.was_damaged = true;
    std::fs::remove_dir_all(hub.data_dir().join("artifacts")).unwrap();
    let checked = hub.baton(&["hub", "check"]);
    let said = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(checked.status.code(), Some(1), "{said}");
    assert!(said.contains(&sha) && said.contains("is missing"), "{said}");
    assert!(!said.contains("not checked: the bytes of artifacts"), "{said}");
}

#[test]
fn a_file_is_uploaded_again_to_a_network_that_has_no_room_for_it_twice() {
    let hub = Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--artifact-quota", "1MiB"]);
    let network = Tenant::of_admin(&hub);
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("a"), folder.path().join("b"));
    super::file_of(&file, 700_000);
    std::fs::write(&other, vec![0; 700_000]).unwrap();
    let sha = output(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    assert_eq!(output(&network.user, &["artifact", "put", file.to_str().unwrap()]), sha);
    let refused = super::run(&network.user, &["artifact", "put", other.to_str().unwrap()]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && said.contains("artifact_quota_exceeded"), "{said}");
}

#[test]
fn lost_bytes_are_named_by_a_backup_and_come_back_with_an_upload() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("a"), folder.path().join("copy"));
    std::fs::write(&file, "true bytes").unwrap();
    let put = || output(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    let sha = put();
    let [stored] = &files_below(&hub.data_dir().join("artifacts"))[..] else { panic!("one file") };
    std::fs::remove_file(stored).unwrap();
    let backup = folder.path().join("backup.tar.gz");
    let made = hub.baton(&["hub", "backup", "-o", backup.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success() && said.contains("1 of 1 artifacts are not in it"), "{said}");
    assert_eq!(put(), sha, "uploaded again");
    output(&network.user, &["artifact", "get", &sha, "-o", copy.to_str().unwrap()]);
    assert_eq!(std::fs::read(&copy).unwrap(), b"true bytes");
}
