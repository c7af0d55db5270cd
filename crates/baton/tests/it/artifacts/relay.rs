//! One large file from a sender through two agents and back, byte for byte, while hub and workers are killed.

use std::process::Stdio;
use std::time::Duration;

use super::s3::S3;
use super::{command, file_of, files_below, output, peak_mib, read, run, sha256sum};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, text};
use crate::it::work::worker::{Worker, eventually_within};

/// Longer than the whole way may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// Far more than any process may have in memory.
const LARGE: usize = 300 << 20;

/// Bytes that lie in the hub's folder of artifacts, those that are being written included.
fn stored(hub: &Hub) -> u64 {
    let files = files_below(&hub.data_dir().join("artifacts"));
    files.iter().filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

#[test]
fn a_large_file_goes_through_two_agents_and_back_over_kills_within_100_mib() {
    relay(Hub::start(), LARGE, |hub| stored(hub) > LARGE as u64 / 3);
}

#[test]
fn a_large_file_goes_through_two_agents_and_back_over_kills_with_a_bucket_within_100_mib() {
    let s3 = S3::start();
    relay(s3.hub(), LARGE, |_| s3.counts().1 > 0);
}

/// Sends a file of so many bytes; the hub is killed for the first time once its upload is in progress.
fn relay(mut hub: Hub, bytes: usize, is_under_way: impl Fn(&Hub) -> bool) {
    let network = Tenant::of_admin(&hub);
    let (near, far) = (network.agent("near"), network.agent("far"));
    let binaries = std::path::Path::new(crate::it::program::binary()).parent().unwrap();
    // Each hands on what it got, with a byte of its own behind it.
    let near_script = format!(
        "PATH={}:$PATH; set -e
        id=$(baton send far go --key $BATON_TASK_ID --file \"$BATON_INPUT_DIR/big.bin\")
        baton wait $id >/dev/null
        sha=$(baton artifact ls --task $id --json | sed 's/.*\"sha256\":\"\\([0-9a-f]*\\)\",\"size\":[0-9]*,\"name\":\"back.bin\".*/\\1/')
        baton artifact get $sha -o \"$BATON_OUTPUT_DIR/back.bin\"
        printf n >> \"$BATON_OUTPUT_DIR/back.bin\"",
        binaries.display()
    );
    let far_script = "cp \"$BATON_INPUT_DIR/big.bin\" \"$BATON_OUTPUT_DIR/back.bin\" && printf f >> \"$BATON_OUTPUT_DIR/back.bin\"";
    let options = ["--lease", "5"];
    let near_worker = Worker::start(&near, "near", &options, &near_script);
    let mut far_worker = Worker::start(&far, "far", &options, far_script);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("big.bin");
    file_of(&file, bytes);

    let mut send = command(&network.user);
    send.args(["send", "near", "go", "--key", "relay", "--file", file.to_str().unwrap()]);
    let send = send.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // In the middle of the upload.
    eventually_within(PATIENCE, "the upload", || is_under_way(&hub).then_some(()));
    hub.kill9();
    hub.restart();
    let sent = send.wait_with_output().unwrap();
    assert!(sent.status.success());
    let id = String::from_utf8(sent.stdout).unwrap().trim().to_owned();
    // While the second agent has the task, or brings its file.
    far_worker.says("running");
    far_worker.kill9();
    let far_worker = Worker::start(&far, "far", &options, far_script);
    hub.kill9();
    hub.restart();
    let row = eventually_within(PATIENCE, "the end", || {
        let row = network.user.get(&format!("/api/tasks/{id}")).json()["task"].clone();
        row["completed_at"].is_string().then_some(row)
    });
    assert_eq!(row["status"], "replied", "{row}");
    let back = row["artifacts"].as_array().unwrap().iter().find(|one| one["name"] == "back.bin").unwrap();
    let copy = folder.path().join("back.bin");
    output(&network.user, &["artifact", "get", &text(&back["sha256"]), "-o", copy.to_str().unwrap()]);
    assert_eq!(sha256sum(&copy), text(&back["sha256"]));
    let (sent, got) = (read(&file), read(&copy));
    assert!(
        got.len() == sent.len() + 2 && got[..sent.len()] == sent[..] && got.ends_with(b"fn"),
        "other bytes"
    );
    let peaks = [hub.pid(), near_worker.pid(), far_worker.pid()].map(peak_mib);
    assert!(peaks.iter().all(|peak| *peak < 100), "{peaks:?} MiB");
    let bad = run(&network.user, &["artifact", "get", "nothing"]);
    assert_eq!(bad.status.code(), Some(2));
}
