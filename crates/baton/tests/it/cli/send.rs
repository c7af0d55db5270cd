//! `baton send`: every way a task can end as an exit code, the result on stdout, the course on stderr.

use baton_core::limits;
use serde_json::json;

use super::super::hub::Hub;
use super::super::program::Ran;
use super::super::tenant::{act, claim, succeed, task, text};
use super::super::work::worker::eventually;
use super::cli_user::CliUser;

#[test]
fn without_a_wait_the_id_is_the_output() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let id =
        ada.says(&["send", "coder", "say hello", "--priority", "high", "--kind", "greeting", "--ttl", "60"]);
    let row = task(&ada.tenant.user, &id);
    assert_eq!(
        (&row["content"], &row["priority"], &row["kind"]),
        (&json!("say hello"), &json!("high"), &json!("greeting"))
    );
    let sent = ada.json(&["send", "coder", "more", "--context", "c", "--parent", &id, "--allow-cycle"]);
    let row = task(&ada.tenant.user, sent["task_id"].as_str().unwrap());
    assert_eq!((&row["context"], &row["parent_task_id"]), (&json!("c"), &json!(id)));
}

#[test]
fn a_dash_reads_the_text_from_standard_input() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let id = ada.fed(&["send", "coder", "-"], "two\nlines\n").exited(0).stdout;
    assert_eq!(task(&ada.tenant.user, id.trim())["content"], "two\nlines");
    ada.fed(&["send", "coder", "-"], &"x".repeat(limits::TEXT_MAX_BYTES + 1)).exited(2);
}

/// Sends with `--wait`, has the agent end the task so, and gives what the command came to.
fn ended(status: &str) -> Ran {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let waiting = ada.start(&["send", "coder", "work", "--wait"]);
    let id = text(&claim(&coder, 30, 60)["task"]["task_id"]);
    succeed(&act(&coder, &id, "reply", &json!({"text": "the words", "status": status})));
    waiting.end()
}

#[test]
fn a_reply_is_0_with_the_result_on_stdout_and_the_course_on_stderr() {
    let ran = ended("replied").exited(0);
    assert_eq!(ran.stdout, "the words\n");
    for part in
        ["sent; coder", "delivered by ada", "running by coder: claimed, attempt 1", "replied by coder"]
    {
        assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
    }
}

#[test]
fn a_failure_is_1_and_a_cancel_by_the_agent_is_3() {
    let failed = ended("failed").exited(1);
    assert_eq!(failed.stdout, "the words\n");
    let last = failed.stderr.lines().last().unwrap();
    assert!(last.starts_with("task ") && last.ends_with(" failed: the words"), "{last}");
    assert_eq!(ended("cancelled").exited(3).stdout, "the words\n");
}

#[test]
fn whoever_stops_waiting_reads_that_the_task_goes_on_and_how_to_cancel_it() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let waiting = ada.start(&["send", "coder", "work", "--wait"]);
    // Its one request waits in the hub, and it does not know the task's id yet.
    let id = the_task(&ada);
    let advice =
        format!("task {id} continues; `baton wait {id}` waits for it again, `baton cancel {id}` ends it");
    assert_eq!(waiting.interrupt().exited(130).stderr, advice + "\n");
    assert_eq!(the_task(&ada), id, "asking for the id made no second task");
    assert_eq!(task(&ada.tenant.user, &id)["status"], "delivered");
}

/// The id of the only task, once it is there.
fn the_task(ada: &CliUser) -> String {
    eventually("the task", || {
        let listed =
            succeed(&ada.tenant.user.get(&format!("/api/tasks?network_id={}", ada.tenant.network_id)));
        let tasks = listed["tasks"].as_array().unwrap();
        assert!(tasks.len() <= 1, "{listed}");
        tasks.first().map(|task| text(&task["task_id"]))
    })
}

#[test]
fn errors_name_the_value_that_is_wrong_and_the_next_step() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    for (arguments, code, said) in [
        (
            &["--token", "ntok_bad"][..],
            2,
            "ntok_ must be followed by at least 32 hex digits, and here it is followed by 3",
        ),
        (&["--token", "secret"], 2, "a token begins with utok_ or ntok_"),
        (
            &["--profile", "nosuch"],
            2,
            "there is no profile \"nosuch\" (--profile or BATON_PROFILE; profiles: default)",
        ),
        (&["--network", "nosuch"], 2, "you do not belong to a network named \"nosuch\""),
        // The word after --wait is the alias, not its seconds.
        (&["--wait"], 6, "no agent in this network has this alias"),
    ] {
        let ran = ada.baton(&[&["send"], arguments, &["shouter", "x"]].concat()).exited(code);
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn what_is_no_call_is_2() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    for arguments in [
        &["send"][..],
        &["send", "coder"],
        &["send", "coder", "x", "--ttl", "0"],
        &["send", "coder", "x", "--priority", "urgent"],
        &["send", "coder", "x", "--wait=soon"],
        &["send", "coder", "x", "--hub", "nowhere"],
        &["send", "coder", "x", "--token", "secret"],
    ] {
        ada.baton(arguments).exited(2);
    }
}

#[test]
fn a_cancel_while_somebody_waits_is_3() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let waiting = ada.start(&["send", "coder", "work", "--wait=60", "--json"]);
    ada.says(&["cancel", &the_task(&ada), "--reason", "changed my mind"]);
    let ran = waiting.end().exited(3);
    assert_eq!(ran.lines()[0]["task"]["result"], "changed my mind");
    assert!(
        ran.stderr.contains("  cancelled\n") && ran.stderr.contains(": changed my mind"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_task_nobody_takes_up_in_time_is_4() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let ran = ada.baton(&["send", "coder", "work", "--ttl", "1", "--wait"]).exited(4);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("expired by hub"), "{}", ran.stderr);
}

#[test]
fn a_hub_that_is_not_there_is_5_and_one_that_refuses_is_6() {
    let mut hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let ran = ada.baton(&["send", "nobody", "work", "--wait"]).exited(6);
    assert!(ran.stderr.contains("alias_not_found") && ran.stderr.contains("baton status"), "{}", ran.stderr);
    hub.stop();
    let ran = ada.baton(&["send", "coder", "work", "--wait"]).exited(5);
    assert!(ran.stderr.contains("`baton hub start`"), "{}", ran.stderr);
}

#[test]
fn a_task_still_open_when_the_wait_ends_is_7() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let ran = ada.baton(&["send", "coder", "work", "--wait=1"]).exited(7);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("still delivered; `baton task show "), "{}", ran.stderr);
    let ran = ada.baton(&["send", "coder", "work", "--wait=0", "--json"]).exited(7);
    assert_eq!(ran.lines()[0]["task"]["status"], "delivered");
}

#[test]
fn a_wait_survives_a_restart_of_the_hub() {
    let mut hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let waiting = ada.start(&["send", "coder", "work", "--wait=60"]);
    let id = text(&claim(&coder, 30, 60)["task"]["task_id"]);
    hub.kill9();
    waiting.stderr.wait_for("waiting for the hub");
    hub.restart();
    succeed(&act(&coder, &id, "reply", &json!({"text": "after all"})));
    let ran = waiting.end().exited(0);
    assert_eq!(ran.stdout, "after all\n");
    assert!(ran.stderr.contains("the hub is back"), "{}", ran.stderr);
}

#[test]
fn a_send_that_waits_prints_a_result_of_a_mebibyte_whole() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let most = "ä\n".repeat(limits::TEXT_MAX_BYTES / 3) + "x";
    let waiting = ada.start(&["send", "coder", "work", "--wait"]);
    let id = text(&claim(&coder, 30, 60)["task"]["task_id"]);
    succeed(&act(&coder, &id, "reply", &json!({"text": most})));
    let ran = waiting.end().exited(0);
    assert_eq!(ran.stdout.trim_end_matches('\n'), most);
}
