//! `baton artifact`, and files that go along with tasks, questions, answers and replies.

use serde_json::json;

use super::{files_below, output, read, run, sha256sum};
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, claim, send_with, task};

in_both_places!(
    a_file_is_uploaded_listed_and_downloaded_and_another_is_never_overwritten,
    files_go_along_with_a_task_a_question_an_answer_and_a_reply,
);

fn a_file_is_uploaded_listed_and_downloaded_and_another_is_never_overwritten(hub: &Hub) {
    let network = Tenant::of_admin(hub);
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("été 1.txt"), folder.path().join("copy"));
    std::fs::write(&file, "some text").unwrap();
    let sha = output(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    assert_eq!(sha, sha256sum(&file));
    let listed = output(&network.user, &["artifact", "ls"]);
    assert!(listed.contains("été 1.txt") && listed.contains(&sha), "{listed}");
    let get = ["artifact", "get", &sha, "-o", copy.to_str().unwrap()];
    output(&network.user, &get);
    assert_eq!(read(&copy), b"some text");
    std::fs::write(&copy, "mine").unwrap();
    let again = run(&network.user, &get);
    assert_eq!((again.status.code(), read(&copy)), (Some(2), b"mine".to_vec()));
    output(&network.user, &[&get[..], &["--force"]].concat());
    assert_eq!(read(&copy), b"some text");
    assert_eq!(output(&network.user, &["artifact", "get", &sha]), "some text", "to standard output");
    let missing = run(&network.user, &["artifact", "get", &"0".repeat(64), "-o", "x"]);
    assert_eq!(missing.status.code(), Some(6));
    let left: Vec<_> =
        files_below(folder.path()).into_iter().filter(|path| path.ends_with(".baton-")).collect();
    assert!(left.is_empty() && files_below(folder.path()).len() == 2, "no temporary file stays");
}

#[test]
fn bytes_that_were_changed_on_the_hubs_disk_are_not_kept() {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("a"), folder.path().join("copy"));
    std::fs::write(&file, "true bytes").unwrap();
    let sha = output(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    hub.was_damaged = true;
    let [stored] = &files_below(&hub.data_dir().join("artifacts"))[..] else { panic!("one file") };
    std::fs::write(stored, "false byte").unwrap();
    let got = run(&network.user, &["artifact", "get", &sha, "-o", copy.to_str().unwrap()]);
    assert_eq!(got.status.code(), Some(2), "{}", String::from_utf8_lossy(&got.stderr));
    assert!(!copy.exists());
    assert!(String::from_utf8_lossy(&got.stderr).contains("not those of sha256"));
}

fn files_go_along_with_a_task_a_question_an_answer_and_a_reply(hub: &Hub) {
    let network = Tenant::of_admin(hub);
    let agent = network.agent("coder");
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, name).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let id = output(
        &network.user,
        &["send", "coder", "work", "--file", &file("one.txt"), "--file", &file("two.json")],
    );
    let claimed = claim(&agent, 5, 60);
    let names = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&claimed["artifacts"]), ["one.txt", "two.json"]);
    assert_eq!(claimed["artifacts"][1]["media_type"], "application/json");
    let lease = claimed["lease_id"].as_str().unwrap();
    output(&agent, &["task", "ask", &id, "which?", "--lease", lease, "--no-wait", "--file", &file("asked")]);
    output(&network.user, &["task", "answer", &id, "this", "--file", &file("answered")]);
    claim(&agent, 5, 60);
    output(&agent, &["reply", &id, "done", "--file", &file("result.pdf")]);
    let row = task(&network.user, &id);
    assert_eq!(names(&row["artifacts"]), ["one.txt", "two.json", "result.pdf"]);
    let shown = output(&network.user, &["task", "show", &id]);
    for part in ["task     one.txt", "reply    result.pdf", "+ asked", "+ answered"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let listed = output(&network.user, &["artifact", "ls", "--task", &id]);
    assert!(listed.contains("message") && listed.contains("answered"), "{listed}");
}

#[test]
fn a_file_that_is_missing_sends_nothing() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    network.agent("coder");
    let sent = run(&network.user, &["send", "coder", "work", "--file", "/nowhere/at all"]);
    assert_eq!(sent.status.code(), Some(2));
    assert_eq!(network.user.get("/api/tasks").json()["tasks"], json!([]));
    assert!(files_below(&hub.data_dir().join("artifacts")).is_empty());
    send_with(&network.user, &json!({"alias": "coder", "task": "plain"}));
}

#[test]
fn a_large_file_over_the_quota_is_refused_with_the_hubs_own_words() {
    let hub = Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--artifact-quota", "1MiB"]);
    let network = Tenant::of_admin(&hub);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("big");
    super::file_of(&file, 100 << 20);
    let put = run(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    let said = String::from_utf8(put.stderr).unwrap();
    assert_eq!(put.status.code(), Some(6), "{said}");
    assert!(said.contains("0 of 1,048,576 bytes") && said.contains("artifact_quota_exceeded"), "{said}");
}
