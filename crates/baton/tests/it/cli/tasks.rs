//! Looking at tasks and changing their course.

use serde_json::json;

use super::super::hub::Hub;
use super::super::tenant::{act, claim, report, send, succeed, task, text};
use super::cli_user::CliUser;

#[test]
fn tasks_are_listed_newest_first_and_filtered() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (coder, _) = (ada.agent("coder"), ada.agent("writer"));
    let first = send(&ada.tenant.user, "coder", "one");
    let second = send(&coder, "writer", "two");
    let list = ada.says(&["tasks"]);
    let rows: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["ID", "STATUS", "FROM", "TO", "SENT", "TASK"]);
    assert_eq!((rows[1][0], rows[1][1], rows[1][2], rows[1][3]), (&*second, "delivered", "coder", "writer"));
    assert_eq!((rows[2][0], rows[2].last()), (&*first, Some(&"one")));
    let ids = |options: &[&str]| -> Vec<String> {
        let page = ada.json(&[&["tasks"], options].concat());
        page["tasks"].as_array().unwrap().iter().map(|row| text(&row["task_id"])).collect()
    };
    assert_eq!(ids(&["--to", "coder"]), [&*first]);
    assert_eq!(ids(&["--from", "coder"]), [&*second]);
    assert_eq!(ids(&["--status", "replied"]), [""; 0]);
    assert_eq!(ids(&["--limit", "1"]), [&*second]);
    let cursor = text(&ada.json(&["tasks", "--limit", "1"])["next_cursor"]);
    assert_eq!(ids(&["--cursor", &cursor]), [&*first]);
    ada.baton(&["tasks", "--status", "done"]).exited(2);
    assert_eq!(ada.says(&["tasks", "--to", "nobody"]), "");
}

#[test]
fn a_task_is_shown_with_its_texts_and_who_did_what_when() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let id = ada.says(&["send", "coder", "first line\nsecond line", "--context", "mind the gap"]);
    claim(&coder, 0, 60);
    succeed(&act(&coder, &id, "reply", &json!({"text": "the answer"})));
    let shown = ada.says(&["task", "show", &id]);
    for line in [
        &*format!("{id}  replied"),
        "  from      ada to coder",
        "  kind      request, normal priority",
        "  first line",
        "  second line",
        "  mind the gap",
        "  the answer",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "no {line:?} in\n{shown}");
    }
    let steps: Vec<Vec<&str>> = shown.lines().rev().take(3).map(|line| line.split("  ").collect()).collect();
    let is_step = |step: &[&str], status: &str, actor: &str| {
        step.contains(&status) && step.iter().any(|cell| cell.trim() == actor)
    };
    assert!(is_step(&steps[2], "delivered", "ada"), "{shown}");
    assert!(steps[1].iter().any(|cell| cell.trim() == "running"), "{shown}");
    assert!(steps[0].iter().any(|cell| cell.trim() == "replied"), "{shown}");
    assert!(shown.contains("claimed, attempt 1"), "{shown}");

    let shown = ada.json(&["task", "show", &id]);
    assert_eq!(
        (&shown["task"]["result"], shown["events"].as_array().unwrap().len()),
        (&json!("the answer"), 3)
    );
}

#[test]
fn an_id_may_be_shortened_as_long_as_one_task_is_meant() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let ids: Vec<String> =
        (0..2).map(|number| send(&ada.tenant.user, "coder", &format!("task {number}"))).collect();
    let shortest = (4..=36).find(|length| ids[0][..*length] != ids[1][..*length]).unwrap();
    assert!(ada.says(&["task", "show", &ids[0][..shortest].to_uppercase()]).starts_with(&*ids[0]));
    let ran = ada.baton(&["task", "show", &ids[0][..4]]).exited(2);
    assert!(ran.stderr.contains("pass more of the id"), "{}", ran.stderr);
    for (short, words) in
        [("ffff", "pass the whole id"), ("xyzw", "is not a task id"), ("01", "is not a task id")]
    {
        let ran = ada.baton(&["task", "show", short]).exited(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    let unknown = "00000000-0000-7000-8000-000000000000";
    let ran = ada.baton(&["task", "show", unknown]).exited(6);
    assert!(ran.stderr.contains("task_not_found") && ran.stderr.contains("baton tasks"), "{}", ran.stderr);
}

#[test]
fn a_task_is_cancelled_once_and_retried_as_a_new_one() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let [first, second] = ["one", "two"].map(|text| send(&ada.tenant.user, "coder", text));
    assert_eq!(ada.says(&["cancel", &first, "--reason", "no"]), format!("{first} is cancelled."));
    assert_eq!(ada.json(&["cancel", &second])["cancelled"], true);
    let ran = ada.baton(&["cancel", &first]).exited(6);
    assert!(ran.stderr.contains("has already ended"), "{}", ran.stderr);
    let again = ada.says(&["retry", &first]);
    assert_eq!(task(&ada.tenant.user, &again)["retry_of"], json!(first));
    assert_eq!(ada.json(&["retry", &first])["task_id"], json!(again), "a second retry is the first");
    ada.baton(&["retry", &again]).exited(6);
}

#[test]
fn a_task_goes_to_another_agent() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    ada.agent("writer");
    let id = send(&ada.tenant.user, "coder", "one");
    assert_eq!(ada.says(&["reassign", &id, "writer"]), format!("{id} went from coder to writer."));
    assert_eq!(ada.json(&["reassign", &id, "coder"])["reassigned_to"], "coder");
    ada.baton(&["reassign", &id, "nobody"]).exited(6);
}

#[test]
fn an_agent_reads_acks_and_answers_its_inbox_and_the_sender_acks_the_reply() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let token = ada.agent("coder").token.unwrap();
    let as_coder = |arguments: &[&str]| ada.says(&[arguments, &["--token", &token]].concat());
    let id = send(&ada.tenant.user, "coder", "one");
    let inbox = as_coder(&["inbox"]);
    assert!(inbox.starts_with("ID") && inbox.contains(&id) && inbox.contains("task"), "{inbox}");
    assert_eq!(as_coder(&["ack", &id]), format!("{id} was seen."));
    assert_eq!(task(&ada.tenant.user, &id)["status"], "acked");
    assert_eq!(
        ada.fed(&["reply", &id, "-", "--token", &token], "here\n").exited(0).stdout,
        format!("{id} is replied.\n")
    );
    assert_eq!(task(&ada.tenant.user, &id)["result"], "here");
    let ran = ada.baton(&["reply", &id, "again", "--token", &token]).exited(6);
    assert!(ran.stderr.contains("reply_task_terminal"), "{}", ran.stderr);

    let inbox = ada.json(&["inbox"]);
    let reply = &inbox["messages"][0];
    assert_eq!((&reply["type"], &reply["content"]), (&json!("reply"), &json!("here")));
    assert_eq!(ada.json(&["ack", reply["id"].as_str().unwrap()]), json!({"ok": true}));
    assert_eq!(ada.says(&["inbox"]), "");
    ada.baton(&["ack", reply["id"].as_str().unwrap()]).exited(6);
    let other = send(&ada.tenant.user, "coder", "two");
    let failed = ada.json(&["reply", &other, "cannot", "--status", "failed", "--token", &token]);
    assert_eq!(failed["status"], "failed");
}

#[test]
fn the_status_names_the_hub_the_counts_and_the_agents() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    report(&coder, "coder", "working");
    send(&ada.tenant.user, "coder", "one");
    let status = ada.says(&["status"]);
    for part in
        [&*ada.url, "you      ada in", "tasks    1 delivered", "1 with a token, 1 online", "coder  working"]
    {
        assert!(status.contains(part), "no {part:?} in\n{status}");
    }
    let status = ada.json(&["status"]);
    assert_eq!(status["status"]["sessions"][0]["alias"], "coder");
    assert_eq!((&status["hub"]["ok"], &status["me"]["user"]["username"]), (&json!(true), &json!("ada")));
}

#[test]
fn an_agent_asks_and_its_sender_answers_in_words() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let id = ada.says(&["send", "coder", "paint it"]);
    let lease = text(&claim(&coder, 0, 60)["lease_id"]);
    let as_coder = ["--token", coder.token.as_ref().unwrap()];
    let ask = ["task", "ask", &id, "which colour?", "--lease", &lease, "--no-wait"];
    let asked = ada.says(&[&ask, &as_coder[..]].concat());
    assert_eq!(asked, format!("{id} waits for its sender's answer."));
    assert_eq!(task(&ada.tenant.user, &id)["status"], "waiting_input");
    ada.baton(&[&["task", "ask", &id, "and?"], &as_coder[..]].concat()).exited(6);
    ada.baton(&[&["task", "ask", "which task?"], &as_coder[..]].concat()).exited(2);
    assert_eq!(ada.says(&["task", "answer", &id, "blue"]), format!("{id} is delivered."));
    let answered = ada.json(&["task", "answer", &id, "or green"]);
    assert_eq!((&answered["ok"], &answered["status"]), (&json!(true), &json!("delivered")));
}

#[test]
fn a_question_waits_for_its_answer_and_a_task_shows_what_was_said() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let id = ada.says(&["send", "coder", "paint it"]);
    let lease = text(&claim(&coder, 0, 60)["lease_id"]);
    let options = ["--option", "red", "--option", "dark blue", "--lease", &lease, "--json", "--token"];
    let ask =
        [&["task", "ask", &id, "which colour?"], &options[..], &[coder.token.as_ref().unwrap()]].concat();
    let asking = ada.start(&ask);
    succeed(&coder.get(&format!("/api/tasks/{id}?wait_seconds=30&after=2")));
    let ran = ada.baton(&["wait", &id]).exited(8);
    assert_eq!(ran.stderr, "coder asks: which colour?\n  1. red\n  2. dark blue\n");
    let ran = ada.baton(&["task", "answer", &id, "green"]).exited(6);
    assert!(ran.stderr.contains(r#""red", "dark blue" [not_an_option]"#), "{}", ran.stderr);
    assert_eq!(ada.says(&["task", "answer", &id, "dark blue"]), format!("{id} is running."));
    let answered = &asking.end().exited(0).lines()[0];
    assert_eq!((&answered["answer"], &answered["task_id"]), (&json!("dark blue"), &json!(id)));
    let shown = ada.says(&["task", "show", &id]);
    for part in
        ["question by coder\n    which colour?\n    - red\n    - dark blue", "answer by ada\n    dark blue"]
    {
        assert!(shown.contains(part), "no {part:?} in\n{shown}");
    }
    let shown = ada.json(&["task", "show", &id]);
    assert_eq!(shown["messages"][0]["options"], json!(["red", "dark blue"]));
    assert_eq!(shown["messages"][1]["kind"], "answer");
}

#[test]
fn a_task_is_declined_and_a_question_requires_authentication_by_command() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let id = ada.says(&["send", "coder", "deploy"]);
    ada.baton(&["task", "reply", &id, "no", "--status", "replied", "--rejected"]).exited(6);
    assert_eq!(ada.says(&["task", "reply", &id, "not mine", "--rejected"]), format!("{id} is failed."));
    assert_eq!(task(&ada.tenant.user, &id)["rejected"], true);
    assert!(ada.says(&["task", "show", &id]).starts_with(&format!("{id}  failed (rejected)")));
    let id = ada.says(&["send", "coder", "deploy again"]);
    let lease = text(&claim(&coder, 0, 60)["lease_id"]);
    let as_coder = ["--token", coder.token.as_ref().unwrap()];
    let ask = ["task", "ask", &id, "log in first", "--auth-required", "--no-wait", "--lease", &lease];
    ada.says(&[&ask, &as_coder[..]].concat());
    let shown = ada.says(&["task", "show", &id]);
    assert!(shown.contains("question (authentication required) by coder"), "{shown}");
}
