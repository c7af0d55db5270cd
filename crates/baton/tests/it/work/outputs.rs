//! Commands that print without end.

use serde_json::json;

use super::worker::{Worker, ended, tenant_with};
use crate::it::cli::cli_user::CliUser;
use crate::it::hub::Hub;
use crate::it::tenant::send;

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
    assert_eq!(row.get("artifacts"), None, "nothing of it is kept");
}

#[test]
fn what_a_command_prints_is_followed_live_to_its_end() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let agent = ada.agent("loud");
    let script =
        "echo one; echo err >&2; while [ ! -e \"$WHERE/go\" ]; do sleep 0.05; done; printf 'twö'; exit 3";
    let worker = Worker::start(&agent, "loud", &[], script);
    let task_id = send(&ada.tenant.user, "loud", "go");
    let following = ada.start(&["task", "follow", &task_id]);
    // Two streams of a command are in no order.
    let mut begun = [following.stdout.wait_for(""), following.stdout.wait_for("")];
    begun.sort_unstable();
    assert_eq!(begun, ["err", "one"]);
    std::fs::write(worker.home.path().join("go"), "").unwrap();
    let ran = following.end().exited(1);
    let mut lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines.pop(), Some("twö"), "{ran:?}");
    lines.sort_unstable();
    assert_eq!(lines, ["err", "one"], "everything once: {ran:?}");
    assert!(ran.stderr.ends_with("failed\n"), "{}", ran.stderr);
    let again = ada.baton(&["task", "follow", &task_id]).exited(1);
    assert_eq!(again.stdout.trim_end(), ran.stdout.trim_end(), "what is kept is there afterwards too");
}

#[test]
fn a_command_reports_its_own_progress() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let agent = ada.agent("tidy");
    let program = env!("CARGO_BIN_EXE_baton");
    let script = format!(
        "{program} task progress --percent 40 --message 'half way' || exit 9; \
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
