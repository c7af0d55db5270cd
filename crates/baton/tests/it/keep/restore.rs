//! `baton hub restore`: all or nothing, never over data, and seen by whoever audited what is gone.

use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use super::{assert_agrees, back_up, restore};
use crate::it::hub::{ADMIN, Hub, PASSWORD, baton};
use crate::it::program::{Ran, binary, names, run};
use crate::it::tenant::{Tenant, send};

/// A backup of a hub with a few tasks.
fn a_backup(folder: &Path) -> std::path::PathBuf {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (lead, _coder) = (network.agent("lead"), network.agent("coder"));
    for n in 0..10 {
        send(&lead, "coder", &format!("task {n} {}", "x".repeat(9_000)));
    }
    let file = folder.join("backup");
    back_up(&hub.data_dir(), &file).exited(0);
    file
}

/// Files by name, in their order.
type Files = Vec<(String, Vec<u8>)>;

/// The files in a backup.
fn unpacked(backup: &Path) -> Files {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(fs::File::open(backup).unwrap()));
    let read = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut entry = entry.unwrap();
        assert_eq!(entry.header().mode().unwrap(), 0o600);
        let mut bytes = Vec::new();
        Read::read_to_end(&mut entry, &mut bytes).unwrap();
        (entry.path().unwrap().to_str().unwrap().to_owned(), bytes)
    };
    archive.entries().unwrap().map(read).collect()
}

fn packed(files: &[(String, Vec<u8>)], to: &Path) {
    let gzip = flate2::write::GzEncoder::new(fs::File::create(to).unwrap(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        archive.append_data(&mut header, name, &**bytes).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
}

#[track_caller]
fn refused(backup: &Path, into: &Path, why: &str) {
    let ran = restore(backup, into).exited(2);
    assert!(ran.stderr.contains(why), "{why:?}: {ran:?}");
    let left = if into.exists() { names(into) } else { Vec::new() };
    assert!(left.iter().all(|name| name == "hub.lock"), "{why:?} left {left:?}");
}

#[test]
fn what_is_no_whole_backup_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad, into) = (a_backup(folder.path()), folder.path().join("bad"), folder.path().join("into"));
    let files = unpacked(&good);
    let listed: Vec<_> = files.iter().map(|(name, _)| &**name).collect();
    assert_eq!(listed, ["manifest.json", "hub.db", "evidence.key"]);
    let manifest: Value = serde_json::from_slice(&files[0].1).unwrap();
    assert_eq!(manifest["files"][0]["bytes"], json!(files[1].1.len()));

    fs::write(&bad, "hello").unwrap();
    refused(&bad, &into, "it is no backup of a hub");
    refused(&folder.path().join("absent"), &into, "cannot read");
    let whole = fs::read(&good).unwrap();
    fs::write(&bad, &whole[..whole.len() / 2]).unwrap();
    refused(&bad, &into, "it is damaged");

    let with = |change: &dyn Fn(&mut Files)| {
        let mut files = files.clone();
        change(&mut files);
        packed(&files, &bad);
    };
    let manifest_with = |name: &'static str, value: Value| {
        let mut changed = manifest.clone();
        changed[name] = value;
        move |files: &mut Files| files[0].1 = changed.to_string().into_bytes()
    };
    with(&|files| *files[1].1.last_mut().unwrap() ^= 1);
    refused(&bad, &into, "hub.db is not the file that was backed up");
    with(&|files| files[2].1[9] ^= 1);
    refused(&bad, &into, "evidence.key is not the file that was backed up");
    with(&|files| drop(files.pop()));
    refused(&bad, &into, "evidence.key is missing");
    with(&|files| files.swap(1, 2));
    refused(&bad, &into, "is not the file that was backed up");
    with(&|files| drop(files.remove(0)));
    refused(&bad, &into, "it does not begin with manifest.json");
    with(&manifest_with("format", json!("another/1")));
    refused(&bad, &into, "its format is");
    with(&manifest_with("files", json!([{"name": "../hub.db", "bytes": 0, "sha256": ""}])));
    refused(&bad, &into, "it names the files");
    with(&manifest_with("schema", json!(999)));
    refused(&bad, &into, "it was made by a newer baton");
    with(&manifest_with("schema", json!(1)));
    refused(&bad, &into, "its database has schema");

    restore(&good, &into).exited(0);
    assert_agrees(&into);
}

#[test]
fn a_folder_with_anything_in_it_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let (backup, into) = (a_backup(folder.path()), folder.path().join("into"));
    fs::create_dir(&into).unwrap();
    fs::write(into.join("a file"), "of somebody").unwrap();
    let ran = restore(&backup, &into).exited(2);
    assert!(ran.stderr.contains("is not empty, and a restore never overwrites data"), "{ran:?}");
    assert_eq!(names(&into), ["a file"]);
    // Nor that of a running hub, nor of one that was.
    let mut hub = Hub::start();
    let ran = restore(&backup, &hub.data_dir()).exited(2);
    assert!(ran.stderr.contains("is not empty"), "{ran:?}");
    assert!(hub.stop().success());
    restore(&backup, &hub.data_dir()).exited(2);
    hub.restart();
}

#[test]
fn a_restore_that_is_killed_leaves_no_folder_a_hub_would_start_on_and_can_be_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let backup = a_backup(folder.path());
    let moments = ["restoring", "restoring/hub.db", "restoring/evidence.key", "evidence.key", "hub.db"];
    let mut caught = 0;
    for (round, moment) in moments.iter().cycle().take(20).enumerate() {
        let into = folder.path().join(format!("into-{round}"));
        let mut command = baton();
        command.args(["hub", "restore"]).arg(&backup).arg("--data-dir").arg(&into);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !into.join(moment).exists() && child.try_wait().unwrap().is_none() {}
        child.kill().unwrap();
        child.wait().unwrap();
        if into.join("restoring").exists() {
            caught += 1;
            let start =
                baton().args(["hub", "start", "--port", "0", "--data-dir"]).arg(&into).output().unwrap();
            let error = String::from_utf8(start.stderr).unwrap();
            assert_eq!(start.status.code(), Some(2), "{moment}: {error}");
            assert!(error.contains("did not finish"), "{moment}: {error}");
            restore(&backup, &into).exited(0);
        }
        assert_agrees(&into);
        assert_eq!(names(&into), ["evidence.key", "hub.db", "hub.lock"]);
    }
    assert!(caught > 0, "no restore was killed in the middle");
}

fn audit(hub: &Hub, token: &str, network: &str, home: &Path) -> Ran {
    let mut command = std::process::Command::new(binary());
    command.args(["evidence", "audit"]).env("HOME", home).env("BATON_HUB", hub.url());
    command.env("BATON_TOKEN", token).env("BATON_NETWORK", network);
    run(&mut command, |_| Ok(()))
}

#[test]
fn whoever_audited_the_log_sees_that_it_was_cut_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backup");
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (lead, _coder) = (network.agent("lead"), network.agent("coder"));
    send(&lead, "coder", "before the backup");
    back_up(&hub.data_dir(), &file).exited(0);
    let token = network.user.token.clone().unwrap();
    send(&lead, "coder", "after the backup");
    let size = format!("/api/evidence/consistency?network_id={}&from=0", network.network_id);
    assert_eq!(network.user.get(&size).json()["to"], 2);
    audit(&hub, &token, &network.network_id, folder.path()).exited(0);

    // The folder is lost; the backup takes its place.
    assert!(hub.stop().success());
    fs::remove_dir_all(hub.data_dir()).unwrap();
    restore(&file, &hub.data_dir()).exited(0);
    hub.restart();
    assert_eq!(hub.login(ADMIN, PASSWORD).get("/api/tasks").json()["tasks"].as_array().unwrap().len(), 1);
    let ran = audit(&hub, &token, &network.network_id, folder.path()).exited(1);
    assert!(ran.stderr.contains("this machine saw 2 events signed for, now it is 1"), "{ran:?}");
}
