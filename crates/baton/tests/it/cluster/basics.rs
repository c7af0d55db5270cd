//! What any hub on PostgreSQL does, and what one hub does with what another wrote.

use serde_json::json;

use super::super::hub::{ADMIN, PASSWORD, baton};
use super::super::tenant::{Tenant, act, claim, events, refused, send, succeed, task, text};
use super::Cluster;

#[test]
fn a_task_sent_on_one_hub_is_claimed_on_another_and_its_reply_is_read_on_both() {
    let cluster = Cluster::start(2);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let (sender_there, worker_there) = (cluster.at(1, &sender), cluster.at(1, &worker));

    let sent = send(&sender, "worker", "say hello");
    let claimed = claim(&worker_there, 0, 60);
    assert_eq!(text(&claimed["task"]["task_id"]), sent);
    let lease = json!({"text": "hello", "status": "replied", "lease_id": claimed["lease_id"]});
    succeed(&act(&worker_there, &sent, "reply", &lease));
    for reader in [&sender, &sender_there] {
        let row = task(reader, &sent);
        assert_eq!((&row["status"], &row["result"]), (&json!("replied"), &json!("hello")), "{row}");
    }
    let late = act(&worker, &sent, "reply", &json!({"text": "again", "status": "replied"}));
    assert!(late.status >= 400, "{}", late.text());
    assert_eq!(events(&sender, &sent), events(&sender_there, &sent));
}

#[test]
fn a_hub_that_is_killed_loses_nothing_and_another_goes_on() {
    let mut cluster = Cluster::start(2);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let tasks: Vec<_> = (0..20).map(|n| send(&sender, "worker", &format!("task {n}"))).collect();
    cluster.hubs[0].kill9();
    let worker = cluster.at(1, &worker);
    for sent in &tasks {
        let claimed = claim(&worker, 0, 60);
        assert_eq!(&text(&claimed["task"]["task_id"]), sent);
        succeed(&act(&worker, sent, "reply", &json!({"text": "done", "status": "replied"})));
    }
    cluster.hubs[0].restart();
    let sender = cluster.at(0, &sender);
    tasks.iter().for_each(|sent| assert_eq!(task(&sender, sent)["status"], "replied"));
}

#[test]
fn the_first_admin_exists_once_and_the_hubs_share_users() {
    let cluster = Cluster::start(2);
    cluster.hubs[1].login(ADMIN, PASSWORD);
    let (_, registered) = cluster.hubs[0].register("ada");
    cluster.hubs[1].login("ada", PASSWORD);
    let again = json!({"username": "ada", "password": PASSWORD});
    refused(&cluster.hubs[1].client().post("/api/auth/register", &again), 400, "username already taken");
    assert!(registered["network_id"].is_string());
}

#[test]
fn a_hub_on_postgresql_is_ready_says_so_and_stops_in_order() {
    let mut cluster = Cluster::start(1);
    let hub = &mut cluster.hubs[0];
    assert_eq!(hub.client().get("/ready").status, 200);
    let status = hub.baton(&["hub", "status"]);
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
    let health = hub.baton(&["hub", "health"]);
    assert_eq!(String::from_utf8_lossy(&health.stdout), "ready\n");
    assert!(!hub.data_dir().join("hub.db").exists());
    let stopped = hub.baton(&["hub", "stop"]);
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert!(hub.wait().success());
}

#[test]
fn a_store_that_is_not_a_postgresql_url_is_refused_and_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let mut start = baton();
    start.args(["hub", "start", "--port", "0", "--store", "mysql://ada:secret@host/baton", "--data-dir"]);
    let said = start.arg(folder.path()).output().unwrap();
    let error = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(2), "{error}");
    assert!(error.contains("a URL begins with postgres://") && !error.contains("secret"), "{error}");
}

#[test]
fn a_second_hub_without_the_evidence_key_or_with_another_is_refused() {
    let cluster = Cluster::start(1);
    let url = cluster.url();
    let refuses = |folder: &std::path::Path, why: &str| {
        let mut start = baton();
        start.args(["hub", "start", "--port", "0", "--data-dir"]).arg(folder).env("BATON_STORE", &url);
        let said = start.output().unwrap();
        let error = String::from_utf8(said.stderr).unwrap();
        assert_eq!(said.status.code(), Some(2), "{error}");
        assert!(error.contains("evidence.key") && error.contains(why), "{error}");
        assert!(error.contains("copy it from another hub on the same database"), "{error}");
    };
    let empty = tempfile::tempdir().unwrap();
    refuses(empty.path(), "it is missing");
    assert!(!empty.path().join("evidence.key").exists(), "no other key was made");
    let other = Cluster::start(1);
    std::fs::copy(other.hubs[0].data_dir().join("evidence.key"), empty.path().join("evidence.key")).unwrap();
    refuses(empty.path(), "it is not the key");
}
