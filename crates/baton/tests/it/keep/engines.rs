//! From SQLite to PostgreSQL and back, by backup and restore: every task and every checkpoint is as it was. What does not work
//! leaves the database empty.

use rusqlite::Connection;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{assert_agrees, back_up, back_up_with, restore};
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::own_server::{OwnServer, program, run};
use crate::it::program::{self as tool, Ran, binary, names};
use crate::it::tenant::{Tenant, act, claim, send, task};

/// A server with an empty database of this name, and its URL.
fn server(database: &str) -> (OwnServer, String) {
    let server = OwnServer::start(&[], |_| {});
    let port = server.port.to_string();
    run(program("createdb").args(["-h", "127.0.0.1", "-U", "postgres", "-p", &port, database]));
    let url = format!("postgres://postgres@127.0.0.1:{port}/{database}");
    (server, url)
}

fn restore_to(backup: &Path, url: &str, into: &Path) -> Ran {
    let (backup, into) = (backup.to_str().unwrap(), into.to_str().unwrap());
    tool::baton(["hub", "restore", backup, "--store", url, "--data-dir", into])
}

fn check(url: &str, folder: &Path) -> Ran {
    tool::baton(["hub", "check", "--store", url, "--data-dir", folder.to_str().unwrap()])
}

/// What must be the same: tasks with their texts, the history, the events of the log and the signed checkpoints.
fn contents(folder: &Path) -> Vec<Vec<String>> {
    let database = Connection::open(folder.join("hub.db")).unwrap();
    let all = |sql: &str| {
        let mut statement = database.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>()
    };
    [
        "SELECT task_id || status || content || COALESCE(result, '') || seq FROM tasks ORDER BY seq",
        "SELECT task || ' ' || n || to_status || actor || created_at FROM task_events ORDER BY place",
        "SELECT hex(event) || hex(packet) || (place & 68719476735) FROM evidence ORDER BY hex(event)",
        "SELECT note FROM checkpoints ORDER BY note",
        "SELECT username || password_hash || rowid FROM users ORDER BY rowid",
        "SELECT token_id || COALESCE(alias, '') || rowid FROM tokens ORDER BY rowid",
        "SELECT subject || kind || used FROM quotas ORDER BY subject, kind",
    ]
    .map(all)
    .into()
}

/// A backup of a hub with tasks of every kind, and its folder.
fn a_hub(backup: &Path) -> (Hub, Vec<String>) {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (lead, coder) = (network.agent("lead"), network.agent("coder"));
    let other = Tenant::register(&hub, "other");
    let (asks, _answers) = (other.agent("asks"), other.agent("answers"));
    let mut sent: Vec<_> = (0..12).map(|n| send(&lead, "coder", &format!("task {n} \u{0} ü"))).collect();
    sent.extend((0..3).map(|n| send(&asks, "answers", &format!("task {n}"))));
    for _ in 0..4 {
        let claimed = claim(&coder, 0, 60);
        let id = claimed["task"]["task_id"].as_str().unwrap();
        let reply = serde_json::json!({"text": "done", "status": "replied", "lease_id": claimed["lease_id"]});
        assert_eq!(act(&coder, id, "reply", &reply).status, 200);
    }
    assert!(claim(&coder, 0, 60)["task"].is_object(), "one is being worked on");
    hub.stop();
    back_up(&hub.data_dir(), backup).exited(0);
    (hub, sent)
}

#[test]
fn a_hub_goes_from_sqlite_to_postgres_and_back_with_all_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let (hub, sent) = a_hub(&first);
    let (_server, url) = server("hub");

    // What is damaged is refused, and the database stays empty.
    let damaged = folder.path().join("damaged");
    let bytes = fs::read(&first).unwrap();
    fs::write(&damaged, &bytes[..bytes.len() / 2]).unwrap();
    let ran = restore_to(&damaged, &url, &folder.path().join("data")).exited(2);
    assert!(ran.stderr.contains("damaged"), "{ran:?}");
    let ran = check(&url, &hub.data_dir()).exited(2);
    assert!(ran.stderr.contains("there is no hub in the database"), "{ran:?}");

    let data = folder.path().join("data");
    let ran = restore_to(&first, &url, &data).exited(0);
    assert!(ran.stdout.contains(&url), "{ran:?}");
    assert_eq!(names(&data), ["evidence.key", "hub.lock"]);
    let ran = check(&url, &data).exited(0);
    assert!(ran.stdout.starts_with("agree: ") && !ran.stdout.contains(" 0 log events"), "{ran:?}");
    // The same state on both engines has the same findings.
    assert_eq!(ran.stdout, assert_agrees(&hub.data_dir()));

    // Never over data; the same backup again finds that it is there, and restores the files for a second hub.
    let ran = restore_to(&first, &url, &folder.path().join("another")).exited(0);
    assert!(ran.stderr.contains("has this backup already"), "{ran:?}");
    back_up_with(&data, &second, &["--store", &url]).exited(0);
    let ran = restore_to(&second, &url, &folder.path().join("third")).exited(2);
    assert!(ran.stderr.contains("the database is not empty"), "{ran:?}");

    let back = Hub::start_on(|into| {
        restore(&second, into).exited(0);
        assert_agrees(into);
        assert_eq!(contents(into), contents(&hub.data_dir()));
    });
    let reader = back.login(ADMIN, PASSWORD);
    assert_eq!(task(&reader, &sent[0])["status"], "replied");
    assert_eq!(task(&reader, &sent[11])["status"], "delivered");
}

#[test]
fn a_restore_that_is_killed_leaves_the_database_empty_and_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let backup = folder.path().join("backup");
    let (hub, _) = a_hub(&backup);
    let (server, url) = server("hub");
    // Whoever migrates holds a lock; the restore waits for it inside its transaction.
    let port = server.port.to_string();
    let psql = |sql: &str| {
        let mut psql = program("psql");
        psql.args(["-X", "-At", "-h", "127.0.0.1", "-U", "postgres", "-d", "hub", "-p", &port, "-c", sql]);
        psql
    };
    let mut holder = psql("BEGIN; SELECT pg_advisory_xact_lock(7085498); SELECT pg_sleep(120)")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let waits = |count: &str, of: &str| {
        let sql = format!("SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND {of}");
        let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while String::from_utf8_lossy(&psql(&sql).output().unwrap().stdout).trim() != count {
            assert!(std::time::Instant::now() < until, "{of}");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    };
    waits("1", "granted");
    let data = folder.path().join("data");
    let mut restoring = Command::new(binary())
        .args([
            "hub",
            "restore",
            backup.to_str().unwrap(),
            "--store",
            &url,
            "--data-dir",
            data.to_str().unwrap(),
        ])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    waits("1", "NOT granted");
    restoring.kill().unwrap();
    restoring.wait().unwrap();
    holder.kill().unwrap();
    holder.wait().unwrap();
    run(&mut psql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'hub'",
    ));
    let ran = check(&url, &hub.data_dir()).exited(2);
    assert!(ran.stderr.contains("there is no hub in the database"), "{ran:?}");
    restore_to(&backup, &url, &data).exited(0);
    check(&url, &data).exited(0);
}

#[test]
fn a_store_that_cannot_be_used_is_named_and_no_password_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let run = |store: &str| {
        let folder = folder.path().to_str().unwrap();
        tool::baton(["hub", "check", "--store", store, "--data-dir", folder]).exited(2).stderr
    };
    for (store, said) in [
        ("postgres://u:topsecret@127.0.0.1:1/hub", "list of processes"),
        ("mysql://topsecret", "begins with postgres://"),
        ("postgres://127.0.0.1:1/hub?topsecret=1&sslmode=no", "topsecret"),
        ("postgres://u@127.0.0.1:1/hub", "127.0.0.1:1"),
    ] {
        let stderr = run(store);
        assert!(stderr.contains(said), "{store}: {stderr}");
        assert!(said == "topsecret" || !stderr.contains("topsecret"), "{stderr}");
    }
}
