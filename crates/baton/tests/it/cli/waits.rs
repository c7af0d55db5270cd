//! `baton wait`, and what `baton send` does beside the task: one request, keys, files, and questions.

use serde_json::{Value, json};

use super::super::http::Client;
use super::super::hub::Hub;
use super::super::tenant::{act, claim, send, send_with, succeed, task, text};
use super::cli_user::CliUser;

/// Takes the next task and ends it so.
fn end(worker: &Client, status: &str, result: &str) -> String {
    let held = claim(worker, 50, 60);
    let id = text(&held["task"]["task_id"]);
    let body = json!({"text": result, "status": status, "lease_id": held["lease_id"]});
    succeed(&act(worker, &id, "reply", &body));
    id
}

/// Takes the next task and asks about it.
fn ask(worker: &Client, question: &str) -> String {
    let held = claim(worker, 50, 60);
    let id = text(&held["task"]["task_id"]);
    succeed(&act(worker, &id, "ask", &json!({"question": question, "lease_id": held["lease_id"]})));
    id
}

#[test]
fn a_wait_for_several_prints_all_results_in_their_order_and_ends_with_the_highest_code() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let ids: Vec<_> = (0..2).map(|n| send(&ada.tenant.user, "coder", &format!("task {n}"))).collect();
    let waiting = ada.start(&["wait", &ids[1], &ids[0]]);
    assert_eq!(end(&coder, "replied", "one"), ids[0]);
    end(&coder, "failed", "two");
    let ran = waiting.end().exited(1);
    assert_eq!(ran.stdout, format!("{} failed\ntwo\n{} replied\none\n", ids[1], ids[0]));
    // What has ended is there at once, alone without its id.
    assert_eq!(ada.baton(&["wait", &ids[0][..20]]).exited(0).stdout, "one\n");
    let documents = ada.baton(&["wait", &ids[0], &ids[1], "--json"]).exited(1).lines();
    let results: Vec<&Value> = documents.iter().map(|document| &document["task"]["result"]).collect();
    assert_eq!(results, ["one", "two"]);
}

#[test]
fn a_wait_for_any_ends_with_the_first() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (coder, _other) = (ada.agent("coder"), ada.agent("other"));
    let never = send(&ada.tenant.user, "other", "never");
    let failing = send(&ada.tenant.user, "coder", "fails");
    let waiting = ada.start(&["wait", &never, &failing, "--any"]);
    end(&coder, "failed", "no");
    assert_eq!(waiting.end().exited(1).stdout, format!("{failing} failed\nno\n"));
    ada.baton(&["wait", &never, "--timeout", "1"]).exited(7);
    ada.baton(&["wait"]).exited(2);
    ada.baton(&["wait", "018f0000-0000-7000-8000-000000000000"]).exited(6);
}

#[test]
fn of_several_tasks_the_highest_code_counts_and_a_hub_that_is_away_is_5() {
    let mut hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (coder, _idle) = (ada.agent("coder"), ada.agent("idle"));
    let user = &ada.tenant.user;
    let cancelled = send(user, "idle", "no longer wanted");
    succeed(&act(user, &cancelled, "cancel", &json!({})));
    let expired = send_with(user, &json!({"alias": "idle", "task": "too late", "ttl_seconds": 1}));
    send(user, "coder", "with a question");
    let asked = ask(&coder, "which one?");
    let replied = send(user, "coder", "easy");
    end(&coder, "replied", "done");
    for (ids, code) in [
        (&[&cancelled][..], 3),
        (&[&expired], 4),
        (&[&cancelled, &replied], 3),
        (&[&expired, &cancelled, &replied], 4),
        (&[&replied, &asked, &expired, &cancelled], 8),
    ] {
        let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
        let ran = ada.baton(&[&["wait"], &*ids].concat()).exited(code);
        assert_eq!(ran.stderr.contains("coder asks: which one?"), code == 8, "{}", ran.stderr);
        let printed = ran.stdout.lines().filter(|line| ids.iter().any(|id| line.starts_with(id))).count();
        assert_eq!(
            printed,
            if ids.len() == 1 { 0 } else { ids.len() },
            "each with its result: {}",
            ran.stdout
        );
    }
    let open = send(user, "idle", "stays open");
    ada.baton(&["wait", &replied, &open, "--timeout", "1"]).exited(7);
    let waiting = ada.start(&["wait", &open, &open, "--timeout", "3"]);
    super::super::handoff::waiting(&hub.admin(), 2);
    hub.kill9();
    let ran = waiting.end().exited(5);
    assert_eq!(ran.stderr.matches("baton: ").count(), 1, "said once: {}", ran.stderr);
}

#[test]
fn a_task_that_asks_for_input_is_8_with_the_question_on_stderr() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let sending = ada.start(&["send", "coder", "work", "--wait=60", "--quiet"]);
    let id = ask(&coder, "which file?");
    let ran = sending.end().exited(8);
    assert_eq!((&*ran.stdout, &*ran.stderr), ("", "coder asks: which file?\n"));
    let ran = ada.baton(&["wait", &id]).exited(8);
    assert!(ran.stderr.contains("coder asks: which file?"), "{}", ran.stderr);
    ada.says(&["task", "answer", &id, "this one"]);
    let waiting = ada.start(&["wait", &id]);
    end(&coder, "replied", "done");
    assert_eq!(waiting.end().exited(0).stdout, "done\n");
}

/// Requests over REST that were answered.
fn requests(admin: &Client) -> f64 {
    let page = admin.get("/metrics").text();
    let lines = page.lines().filter(|line| line.starts_with(r#"baton_requests_total{door="rest""#));
    lines.map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap()).sum()
}

#[test]
fn a_send_that_waits_without_a_terminal_is_one_request_and_a_quiet_one_prints_the_result_alone() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (admin, coder) = (hub.admin(), ada.agent("coder"));
    let network = ada.tenant.network_id.clone();
    for is_quiet in [true, false] {
        let before = requests(&admin);
        let mut call = vec!["send", "coder", "work", "--wait", "--network", &network];
        call.extend(is_quiet.then_some("--quiet"));
        let sending = ada.start(&call);
        end(&coder, "replied", "the words");
        let ran = sending.end().exited(0);
        assert_eq!(ran.stdout, "the words\n");
        assert_eq!(ran.stderr.is_empty(), is_quiet, "{}", ran.stderr);
        assert_eq!(requests(&admin) - before, 2.0, "the send, and the agent's reply");
    }
}

#[test]
fn a_key_makes_one_task_and_a_text_comes_from_a_file() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let first = ada.says(&["send", "coder", "once", "--key", "k-1"]);
    assert_eq!(ada.says(&["send", "coder", "once", "--key", "k-1", "--quiet"]), first);
    ada.baton(&["send", "coder", "other words", "--key", "k-1"]).exited(6);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("task.txt");
    std::fs::write(&file, "from a\nfile\n").unwrap();
    let file = file.display().to_string();
    let id = ada.says(&["send", "coder", "--input", &file]);
    assert_eq!(task(&ada.tenant.user, &id)["content"], "from a\nfile");
    let id = ada.fed(&["send", "coder", "--input", "-"], "from standard input\n").exited(0).stdout;
    assert_eq!(task(&ada.tenant.user, id.trim())["content"], "from standard input");
    ada.baton(&["send", "coder", "--input", "/nowhere/at/all"]).exited(2);
    ada.baton(&["send", "coder", "text", "--input", &file]).exited(2);
    ada.baton(&["send", "coder"]).exited(2);
}

#[test]
fn a_batch_is_a_line_of_json_a_task_one_commit_and_a_line_for_each_in_order() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let lines = concat!(
        r#"{"alias": "coder", "task": "one", "priority": "high"}"#,
        "\n\n",
        r#"{"alias": "nobody", "task": "two"}"#,
        "\n",
        r#"{"alias": "coder", "task": "three", "idempotency_key": "k-3"}"#,
        "\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.ndjson").display().to_string();
    std::fs::write(&file, lines).unwrap();
    let ran = ada.baton(&["send", "--batch", &file]).exited(6);
    let printed: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!((printed.len(), printed[1]), (3, "refused alias_not_found"));
    assert!(ran.stderr.contains(&format!("{file} line 3: ")), "{}", ran.stderr);
    for (id, content, priority) in [(printed[0], "one", "high"), (printed[2], "three", "normal")] {
        let row = task(&ada.tenant.user, id);
        assert_eq!((&row["content"], &row["priority"]), (&json!(content), &json!(priority)));
    }
    // From standard input; the key of the third line is known.
    let again = ada.fed(&["send", "--batch", "-", "--parent", printed[0], "--allow-cycle"], lines).exited(2);
    assert!(again.stderr.contains("--allow-cycle"), "{}", again.stderr);
    let third = lines.lines().last().unwrap();
    let again = ada.fed(&["send", "--batch", "-", "--json"], third).exited(0);
    assert_eq!(again.lines()[0]["results"][0]["task_id"], printed[2]);
    let child = ada.fed(
        &["send", "--batch", "-", "--parent", printed[0]],
        r#"{"alias":"coder","task":"four","allow_cycle":true}"#,
    );
    assert_eq!(task(&ada.tenant.user, child.exited(0).stdout.trim())["parent_task_id"], printed[0]);
}

#[test]
fn a_batch_with_a_line_that_is_no_task_sends_nothing_and_names_the_line() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    let good = r#"{"alias": "coder", "task": "one"}"#;
    let many = format!("{good}\n").repeat(101);
    for (lines, said) in [
        (format!("{good}\nnot json\n"), "standard input line 2: this is not a JSON object of a task"),
        (
            format!(r#"{good}{}{{"alias": "coder", "task": 7}}"#, "\n"),
            "standard input line 2: invalid type: integer `7`",
        ),
        (String::new(), "has 0 tasks; one call takes 1 to 100"),
        (many, "has 101 tasks; one call takes 1 to 100"),
    ] {
        let ran = ada.fed(&["send", "--batch", "-"], &lines).exited(2);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    for words in [&["--wait"][..], &["--key", "k"], &["--ttl", "9"], &["coder", "text"]] {
        ada.baton(&[&["send", "--batch", "-"], words].concat()).exited(2);
    }
    let listed = succeed(&ada.tenant.user.get(&format!("/api/tasks?network_id={}", ada.tenant.network_id)));
    assert_eq!(listed["tasks"], json!([]));
}
