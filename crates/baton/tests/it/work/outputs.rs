//! Commands that print a lot.

use baton_core::limits;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::worker::{Worker, ended, tenant_with};
use crate::it::cli::person::Person;
use crate::it::hub::Hub;
use crate::it::tenant::{send, text};

/// The most memory a process has had, in MiB.
fn peak_mib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() / 1024
}

#[test]
fn a_hundred_megabytes_are_kept_whole_in_a_file_and_not_in_memory() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "loud");
    let mut worker = Worker::start(&agent, "loud", &[], "head -c 104857600 /dev/zero | tr '\\0' 'x'");
    let task_id = send(&network.user, "loud", "go");
    let row = ended(&network.user, &task_id);
    worker.says("replied");
    let result = text(&row["result"]);
    assert_eq!(row["status"], "replied");
    assert_eq!(result.len(), limits::TEXT_MAX_BYTES);
    let folder = worker.home.path().join(".baton/attachments");
    let files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap()).collect();
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let name = file.file_name().into_string().unwrap();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(file.metadata().unwrap().len(), 104_857_600);
    let summed = Command::new("sha256sum").arg(file.path()).output().unwrap();
    assert!(String::from_utf8(summed.stdout).unwrap().starts_with(&name));
    assert!(result.starts_with("xxxx"));
    for part in ["104857600 bytes", &name, &file.path().display().to_string()] {
        assert!(result.contains(part), "{part} in {}", &result[limits::TEXT_MAX_BYTES - 1_000..]);
    }
    let peak = peak_mib(worker.pid());
    assert!(peak < 64, "{peak} MiB");
}

#[test]
fn a_command_that_never_stops_printing_is_ended() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "endless");
    let mut worker = Worker::start_command(&agent, "endless", &["--max-output", "1"], &["yes"]);
    let row = ended(&network.user, &send(&network.user, "endless", "go"));
    assert_eq!(
        (&row["status"], &row["result"]),
        (&json!("failed"), &json!("the command was ended: it printed more than 1048576 bytes"))
    );
    worker.says("failed");
    let left = worker.home.path().join(".baton/attachments").read_dir().map_or(0, |files| files.count());
    assert_eq!(left, 0, "nothing of it is kept");
}

#[test]
fn a_result_just_over_the_limit_goes_where_it_is_asked_to() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "long");
    let kept = tempfile::tempdir().unwrap();
    let options = ["--attachments", kept.path().to_str().unwrap()];
    let _worker = Worker::start(&agent, "long", &options, "head -c \"$(cat)\" /dev/zero | tr '\\0' 'y'");
    let row = ended(&network.user, &send(&network.user, "long", "1048576"));
    assert_eq!(row["result"], json!("y".repeat(limits::TEXT_MAX_BYTES)));
    assert_eq!(kept.path().read_dir().unwrap().count(), 0);
    let row = ended(&network.user, &send(&network.user, "long", "1048577"));
    assert!(text(&row["result"]).contains("1048577 bytes"), "it names what there is");
    assert_eq!(kept.path().read_dir().unwrap().count(), 1);
}

#[test]
fn what_a_command_prints_is_followed_live_to_its_end() {
    let hub = Hub::start();
    let ada = Person::logged_in(&hub, "ada");
    let agent = ada.agent("loud");
    let script =
        "echo one; echo err >&2; while [ ! -e \"$WHERE/go\" ]; do sleep 0.05; done; printf 'twö'; exit 3";
    let worker = Worker::start(&agent, "loud", &[], script);
    let task_id = send(&ada.tenant.user, "loud", "go");
    let following = ada.start(&["task", "follow", &task_id]);
    following.stdout.wait_for("one");
    following.stdout.wait_for("err");
    std::fs::write(worker.home.path().join("go"), "").unwrap();
    let ran = following.end().exited(1);
    let mut lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines.pop(), Some("twö"), "{ran:?}");
    lines.sort_unstable(); // two streams of a command are in no order
    assert_eq!(lines, ["err", "one"], "everything once: {ran:?}");
    assert!(ran.stderr.ends_with("failed\n"), "{}", ran.stderr);
    let again = ada.baton(&["task", "follow", &task_id]).exited(1);
    assert_eq!(again.stdout.trim_end(), ran.stdout.trim_end(), "what is kept is there afterwards too");
}

#[test]
fn a_command_reports_its_own_progress() {
    let hub = Hub::start();
    let ada = Person::logged_in(&hub, "ada");
    let agent = ada.agent("tidy");
    let program = env!("CARGO_BIN_EXE_baton");
    let script = format!(
        "{program} task progress --percent 40 --message 'half way' >&2 || exit 9; \
        while [ ! -e \"$WHERE/go\" ]; do sleep 0.05; done; echo done"
    );
    let worker = Worker::start(&agent, "tidy", &[], &script);
    let task_id = send(&ada.tenant.user, "tidy", "go");
    let following = ada.start(&["task", "follow", &task_id]);
    following.stderr.wait_for("progress: 40 %: half way");
    assert!(ada.says(&["task", "show", &task_id]).contains("  progress  40 %: half way ("));
    std::fs::write(worker.home.path().join("go"), "").unwrap();
    following.end().exited(0);
}
