//! Results too long for a reply, and the folders a command of `baton work` reads from and writes to.

use baton_core::limits;
use serde_json::json;

use super::{command, files_below, output, peak_mib, run};
use crate::it::hub::Hub;
use crate::it::tenant::{send, succeed, task, text};
use crate::it::work::worker::{Worker, ended, tenant_with};

const FIVE_MB: &str = "seq 1 700000";

in_both_places!(
    a_result_of_5_mb_is_whole_on_standard_output_and_never_on_the_workers_disk_only,
    a_hundred_megabytes_of_output_reach_the_hub_and_are_not_in_memory,
    bytes_that_are_no_text_arrive_as_they_were_printed,
    a_command_finds_what_came_with_its_task_and_its_messages_and_leaves_files_for_its_reply,
    files_go_with_a_failure_too_and_too_many_make_one,
);

fn a_result_of_5_mb_is_whole_on_standard_output_and_never_on_the_workers_disk_only(hub: &Hub) {
    let (network, agent) = tenant_with(hub, "long");
    let worker = Worker::start(&agent, "long", &[], FIVE_MB);
    let sent = run(&network.user, &["send", "long", "go", "--quiet", "--wait=60"]);
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    let lines: Vec<_> = sent.stdout.split(|byte| *byte == b'\n').collect();
    assert_eq!((sent.stdout.len() > 4_700_000, lines.len()), (true, 700_001));
    assert_eq!((lines[0], lines[699_999]), (&b"1"[..], &b"700000"[..]));
    let tasks = succeed(&network.user.get("/api/tasks"));
    let id = text(&tasks["tasks"][0]["task_id"]);
    let waited = run(&network.user, &["wait", &id]);
    assert!(waited.stdout == sent.stdout, "and again");
    let row = task(&network.user, &id);
    let artifact = &row["artifacts"][0];
    assert_eq!(
        (&artifact["name"], &artifact["source"]),
        (&json!("result.txt"), &json!("reply")),
        "{artifact}"
    );
    assert!(text(&row["result"]).contains("is the artifact result.txt of this reply"));
    assert_eq!(text(&row["result"]).len(), limits::TEXT_MAX_BYTES);
    let kept: Vec<_> = files_below(&worker.home.path().join(".baton"));
    assert!(kept.iter().all(|file| file.metadata().is_ok_and(|file| file.len() < 1_000)), "{kept:?}");
}

#[test]
fn a_whole_result_that_cannot_be_had_is_no_success() {
    let mut hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "long");
    let _worker = Worker::start(&agent, "long", &[], FIVE_MB);
    let id = send(&network.user, "long", "go");
    ended(&network.user, &id);
    hub.was_damaged = true;
    for file in files_below(&hub.data_dir().join("artifacts")) {
        std::fs::remove_file(file).unwrap();
    }
    let waited = run(&network.user, &["wait", &id]);
    assert!(!waited.status.success());
    assert!(waited.stdout.is_empty(), "a beginning is not taken for the whole");
}

fn a_hundred_megabytes_of_output_reach_the_hub_and_are_not_in_memory(hub: &Hub) {
    let (network, agent) = tenant_with(hub, "loud");
    let mut worker = Worker::start(&agent, "loud", &[], "head -c 104857600 /dev/zero | tr '\\0' 'x'");
    let row = ended(&network.user, &send(&network.user, "loud", "go"));
    worker.says("replied");
    assert_eq!(
        (&row["status"], &row["artifacts"][0]["size"]),
        (&json!("replied"), &json!(104_857_600)),
        "{}",
        row["result"].as_str().unwrap_or_default().chars().take(200).collect::<String>()
    );
    let (worker, hub) = (peak_mib(worker.pid()), peak_mib(hub.pid()));
    assert!(worker < 100 && hub < 100, "{worker} MiB, {hub} MiB");
}

fn bytes_that_are_no_text_arrive_as_they_were_printed(hub: &Hub) {
    let (network, agent) = tenant_with(hub, "odd");
    let _worker = Worker::start(&agent, "odd", &[], "printf '\\377ok\\000'");
    let sent = run(&network.user, &["send", "odd", "go", "--quiet", "--wait=60"]);
    assert_eq!((sent.status.code(), sent.stdout), (Some(0), b"\xFFok\0".to_vec()));
}

fn a_command_finds_what_came_with_its_task_and_its_messages_and_leaves_files_for_its_reply(hub: &Hub) {
    let (network, agent) = tenant_with(hub, "files");
    let script = "cd \"$BATON_INPUT_DIR\" && ls > \"$BATON_OUTPUT_DIR/seen.txt\"
        test -e a-2.txt || exec baton task ask 'another?' --no-wait
        mkdir \"$BATON_OUTPUT_DIR/deep\" && cat a.txt a-2.txt > \"$BATON_OUTPUT_DIR/deep/both.txt\"
        ln -s /etc/passwd \"$BATON_OUTPUT_DIR/link\"";
    let path = std::path::Path::new(crate::it::program::binary()).parent().unwrap().display().to_string();
    let script = format!("PATH={path}:$PATH\n{script}");
    let _worker = Worker::start(&agent, "files", &[], &script);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    std::fs::write(&file, "first").unwrap();
    let id = output(&network.user, &["send", "files", "go", "--file", file.to_str().unwrap()]);
    let asked = command(&network.user).args(["wait", &id]).output().unwrap();
    assert_eq!(asked.status.code(), Some(8), "{}", String::from_utf8_lossy(&asked.stderr));
    std::fs::write(&file, "second").unwrap();
    output(&network.user, &["task", "answer", &id, "here", "--file", file.to_str().unwrap()]);
    let row = ended(&network.user, &id);
    assert_eq!(row["result"], "", "{row}");
    let reply: Vec<_> =
        row["artifacts"].as_array().unwrap().iter().filter(|one| one["source"] == "reply").collect();
    let names: Vec<_> = reply.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["deep-both.txt", "seen.txt"]);
    let got = |n: usize| output(&network.user, &["artifact", "get", reply[n]["sha256"].as_str().unwrap()]);
    assert_eq!((got(0), got(1)), ("firstsecond".into(), "a-2.txt\na.txt".into()));
}

fn files_go_with_a_failure_too_and_too_many_make_one(hub: &Hub) {
    let (network, agent) = tenant_with(hub, "failing");
    let script = "cd \"$BATON_OUTPUT_DIR\"; n=$(cat); i=0
        while [ $i -lt $n ]; do echo $i > f$i; i=$((i+1)); done; [ $n -gt 1 ] || { echo bad >&2; exit 3; }";
    let _worker = Worker::start(&agent, "failing", &[], script);
    let row = ended(&network.user, &send(&network.user, "failing", "1"));
    assert_eq!((&row["status"], &row["artifacts"][0]["name"]), (&json!("failed"), &json!("f0")), "{row}");
    let row = ended(&network.user, &send(&network.user, "failing", "101"));
    assert_eq!(row["status"], "failed");
    assert!(text(&row["result"]).contains("more than 100 files"), "{row}");
}
