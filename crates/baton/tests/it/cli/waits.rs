//! `baton wait`, and what `baton send` does beside the task: one request, keys, files, and questions.

use serde_json::{Value, json};

use super::super::http::Client;
use super::super::hub::Hub;
use super::super::tenant::{act, claim, send, succeed, task, text};
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
fn a_quiet_send_that_waits_is_one_request_and_prints_the_result_alone() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (admin, coder) = (hub.admin(), ada.agent("coder"));
    let before = requests(&admin);
    let network = ada.tenant.network_id.clone();
    let sending = ada.start(&["send", "coder", "work", "--wait", "--quiet", "--network", &network]);
    end(&coder, "replied", "the words");
    let ran = sending.end().exited(0);
    assert_eq!((&*ran.stdout, &*ran.stderr), ("the words\n", ""));
    assert_eq!(requests(&admin) - before, 2.0, "the send, and the agent's reply");
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
