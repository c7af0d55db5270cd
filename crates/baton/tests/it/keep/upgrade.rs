//! Folders of earlier releases: each schema there ever was is opened by today's hub, agrees, and goes on.

use refinery::Target;
use rusqlite::{Connection, params};
use serde_json::json;
use std::path::Path;

use super::{assert_agrees, back_up, restore};
use crate::it::hub::{Hub, baton};
use crate::it::program::names;
use crate::it::tenant::{Tenant, act, claim, events, refused, succeed, task, text};
use crate::it::triggers::without_triggers;

mod migrations {
    refinery::embed_migrations!("../baton-store/migrations");
}

const NETWORK: &str = "net_0123456789ab";
const OPEN: &str = "018bcfe5-6800-7000-8000-000000000001";
const ENDED: &str = "018bcfe5-6800-7000-8000-000000000002";
/// In 2023.
const THEN: i64 = 1_700_000_000_000;

/// Every version but the newest.
fn earlier_versions() -> Vec<i64> {
    let mut versions: Vec<i64> = migrations::migrations::runner()
        .get_migrations()
        .iter()
        .map(|one| i64::from(one.version()))
        .collect();
    versions.sort_unstable();
    versions.pop();
    versions
}

/// A folder as the release with this schema left it: a user, a network, a task that is open and one that has ended.
fn make(folder: &Path, version: i64) {
    std::fs::create_dir(folder).unwrap();
    let mut db = Connection::open(folder.join("hub.db")).unwrap();
    let target = Target::Version(version.try_into().unwrap());
    migrations::migrations::runner().set_target(target).run(&mut db).unwrap();
    db.execute_batch(&format!(
        "INSERT INTO users (user_id, username, role, password_hash, created_at)
            VALUES ('u_0123456789ab', 'admin', 'admin', 'unknown', {THEN});
         INSERT INTO networks (network_id, name, owner_id, created_at, updated_at)
            VALUES ('{NETWORK}', 'default', 'u_0123456789ab', {THEN}, {THEN});
         INSERT INTO members (network_id, user_id, role, joined_at)
            VALUES ('{NETWORK}', 'u_0123456789ab', 'owner', {THEN});
         INSERT INTO aliases (network_id, alias) VALUES ('{NETWORK}', 'lead'), ('{NETWORK}', 'coder');
         INSERT INTO task_counts (network_id, status, count)
            VALUES ('{NETWORK}', 'delivered', 1), ('{NETWORK}', 'replied', 1);
         INSERT INTO inbox_counts (network_id, to_kind, to_name, count) VALUES ('{NETWORK}', 'node', 'coder', 1);"
    ))
    .unwrap();
    // The open one's time is not over yet.
    let later = THEN + 100 * 365 * 86_400_000;
    for (task_id, status, completed_at, result) in
        [(OPEN, "delivered", None, None), (ENDED, "replied", Some(THEN), Some("done"))]
    {
        db.execute(
            "INSERT INTO tasks (task_id, network_id, from_kind, from_name, to_name, kind, priority, status, content,
                result, attempt, max_attempts, ttl_seconds, created_at, delivered_at, completed_at, expires_at)
             VALUES (?1, ?2, 'node', 'lead', 'coder', 'request', 'normal', ?3, 'text', ?4, 1, 3, 3600, ?5, ?5, ?6, ?7)",
            params![task_id, NETWORK, status, result, THEN, completed_at, later],
        )
        .unwrap();
        db.execute(
            "INSERT INTO deliveries (message_id, network_id, to_kind, to_name, from_kind, from_name, type, priority,
                task_id, created_at, state) VALUES (?1, ?2, 'node', 'coder', 'node', 'lead', 'task', 1, ?1, ?3, ?4)",
            params![task_id, NETWORK, THEN, if completed_at.is_some() { 2 } else { 0 }],
        )
        .unwrap();
        event(&db, task_id, 1, None, "delivered");
    }
    event(&db, ENDED, 2, Some("delivered"), "replied");
    if version >= 16 {
        db.execute("UPDATE task_events SET number = id", []).unwrap(); // as that release wrote them
    }
}

fn event(db: &Connection, task_id: &str, n: i64, from: Option<&str>, to: &str) {
    db.execute(
        "INSERT INTO task_events (network_id, task_id, n, from_status, to_status, actor_kind, actor, detail, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 'node', 'lead', '', ?6)",
        params![NETWORK, task_id, n, from, to, THEN],
    )
    .unwrap();
}

/// The admin's way in, and the network.
fn tenant(hub: &Hub) -> Tenant {
    let reset = hub.baton(&["hub", "admin", "reset-user", "--username", "admin"]);
    let said = String::from_utf8(reset.stdout).unwrap();
    let token = said.lines().find_map(|line| line.strip_prefix("new token: ")).unwrap().to_owned();
    Tenant { user: hub.client().with_token(&token), network_id: NETWORK.into() }
}

#[test]
fn a_folder_of_every_earlier_schema_is_migrated_agrees_and_its_open_task_comes_to_its_end() {
    let versions = earlier_versions();
    assert_eq!(versions.first(), Some(&1));
    for version in versions {
        println!("schema {version}");
        let hub = Hub::start_on(|folder| make(folder, version));
        assert_agrees(&hub.data_dir());
        let network = tenant(&hub);
        let coder = network.agent("coder");
        let claimed = claim(&coder, 0, 60);
        assert_eq!(claimed["task"]["task_id"], json!(OPEN), "{claimed}");
        let reply = json!({"text": "done", "status": "replied", "lease_id": claimed["lease_id"]});
        succeed(&act(&coder, OPEN, "reply", &reply));
        for task_id in [OPEN, ENDED] {
            let row = task(&network.user, task_id);
            assert_eq!((text(&row["status"]), text(&row["result"])), ("replied".into(), "done".into()));
        }
        let tokens: Vec<_> =
            events(&network.user, OPEN).iter().map(|event| event["actor_token"].is_string()).collect();
        assert_eq!(tokens, [false, true, true], "what happened before tokens were recorded names none");
        let said = assert_agrees(&hub.data_dir());
        assert!(said.contains("3 events happened before there was a log"), "{said}");
    }
}

#[test]
fn an_alias_from_before_ownership_belongs_to_the_user_of_its_oldest_token() {
    let hub = Hub::start_on(|folder| {
        make(folder, 12);
        let db = Connection::open(folder.join("hub.db")).unwrap();
        db.execute_batch(&format!(
            "INSERT INTO users (user_id, username, role, password_hash, created_at)
                VALUES ('u_00000000000b', 'bob', 'user', 'unknown', {THEN});
             INSERT INTO members (network_id, user_id, role, joined_at)
                VALUES ('{NETWORK}', 'u_00000000000b', 'member', {THEN});
             INSERT INTO tokens (token_id, hash, user_id, network_id, alias, name, scope, created_at, revoked_at) VALUES
                ('tok_000000000001', randomblob(32), 'u_00000000000b', '{NETWORK}', 'coder', 'node:coder', 'node', {THEN}, {THEN}),
                ('tok_000000000002', randomblob(32), 'u_0123456789ab', '{NETWORK}', 'coder', 'node:coder', 'node', {THEN}, NULL);"
        ))
        .unwrap();
    });
    let network = tenant(&hub);
    let listed = succeed(&network.user.get(&format!("/api/networks/{NETWORK}/aliases")));
    let owners: Vec<_> =
        listed["aliases"].as_array().unwrap().iter().map(|row| row["owner"].clone()).collect();
    assert_eq!(owners, [json!("bob"), json!(null)], "{listed}");
    let body = json!({"network_id": NETWORK, "node_name": "coder"});
    refused(&network.user.post("/api/auth/node-token", &body), 409, "alias_in_use");
    // An alias that no token ever held belongs to whoever takes it first.
    network.agent("lead");
}

/// A minute as earlier releases counted it: so many replies, each of so many bits of milliseconds.
fn put_minute(db: &Connection, minute: i64, bits: usize, replied: u8) {
    let mut latencies = [0; 128];
    latencies[bits * 4] = replied;
    db.execute(
        "INSERT INTO minutes (network_id, minute, sent, replied, failed, cancelled, expired, handoffs, latencies)
         VALUES (?1, ?2, 0, ?3, 0, 0, 0, 0, ?4)",
        params![NETWORK, minute, replied, &latencies[..]],
    )
    .unwrap();
}

#[test]
fn minutes_of_an_earlier_release_are_still_shown_and_the_graph_begins_with_the_tasks_there_are() {
    let now = i64::try_from(std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let hub = Hub::start_on(|folder| {
        make(folder, 18);
        let db = Connection::open(folder.join("hub.db")).unwrap();
        // 30 replies of 1 to 2 s, and 20 of 32 to 65 s.
        put_minute(&db, now / 60_000 - 20, 11, 30);
        put_minute(&db, now / 60_000 - 10, 16, 20);
        // Both tasks were made two hours ago; another one a year ago, of which nothing is counted.
        without_triggers(&db, |db| {
            let sql = "UPDATE tasks SET created_at = ?1 WHERE task_id IN (?2, ?3)";
            db.execute(sql, params![now - 2 * 3_600_000, OPEN, ENDED]).unwrap();
        });
        db.execute_batch(&format!(
            "INSERT INTO tasks (task_id, network_id, from_kind, from_name, to_name, kind, priority, status, content,
                attempt, max_attempts, ttl_seconds, created_at, delivered_at, completed_at, expires_at)
             SELECT '018bcfe5-6800-7000-8000-0000000000ff', network_id, from_kind, from_name, to_name, kind, priority,
                status, content, attempt, max_attempts, ttl_seconds, {THEN}, {THEN}, {THEN}, {THEN}
             FROM tasks WHERE task_id = '{ENDED}';
             UPDATE task_counts SET count = count + 1 WHERE status = 'replied';"
        ))
        .unwrap();
        let old = "018bcfe5-6800-7000-8000-0000000000ff";
        event(&db, old, 1, None, "delivered");
        event(&db, old, 2, Some("delivered"), "replied");
        db.execute("UPDATE task_events SET number = id", []).unwrap();
    });
    assert_agrees(&hub.data_dir());
    let network = tenant(&hub);
    let coder = network.agent("coder");
    let overview =
        |network: &Tenant| succeed(&network.user.get(&format!("/api/overview?network_id={NETWORK}")));
    let last_hour = overview(&network)["last_hour"].clone();
    // The geometric middles: 1,448 and 46,340 ms.
    let near = |shown: &serde_json::Value, middle: f64| {
        let shown = shown.as_f64().unwrap();
        assert!((shown - middle).abs() <= 0.05 * middle, "{shown}");
    };
    near(&last_hour["p50_ms"], 1_448.0);
    near(&last_hour["p95_ms"], 46_340.0);
    let graph = |network: &Tenant| {
        let graph = succeed(
            &network.user.get(&format!("/api/work-graph?network_id={NETWORK}&since=2020-01-01T00:00:00Z")),
        );
        assert_eq!(graph["edges"].as_array().unwrap().len(), 1, "{graph}");
        let edge = &graph["edges"][0];
        (edge["open"].as_u64().unwrap(), edge["replied"].as_u64().unwrap(), text(&graph["since"]))
    };
    let (open, replied, since) = graph(&network);
    assert_eq!((open, replied), (1, 1));
    assert!(since.as_str() > "2023", "what is counted begins 31 days before the upgrade: {since}");
    // What ends now is added to what was taken over.
    succeed(&act(&coder, OPEN, "reply", &json!({"text": "done"})));
    assert_eq!((graph(&network).0, graph(&network).1), (0, 2));
    near(&overview(&network)["last_hour"]["p50_ms"], 1_448.0);
    assert_agrees(&hub.data_dir());
}

#[test]
fn an_upgrade_counts_the_tasks_of_further_edges_of_an_hour_together() {
    let made = "(unixepoch() - 5 * 3600) / 3600 * 3600000 + 1000";
    let hub = Hub::start_on(|folder| {
        make(folder, 18);
        let db = Connection::open(folder.join("hub.db")).unwrap();
        db.execute_batch(&format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1005)
             INSERT INTO tasks (task_id, network_id, from_kind, from_name, to_name, kind, priority, status, content,
                attempt, max_attempts, ttl_seconds, created_at, delivered_at, completed_at, expires_at)
             SELECT printf('018bcfe5-6800-7000-8000-%012x', 4096 + i), '{NETWORK}', 'node', 'sender' || i, 'coder',
                'request', 'normal', 'cancelled', 'text', 1, 3, 3600, {made}, {made}, {made}, {made} FROM n;
             INSERT INTO task_events (network_id, task_id, n, from_status, to_status, actor_kind, actor, detail, created_at)
             SELECT network_id, task_id, step.n, step.left, step.reached, 'node', from_name, '', created_at
             FROM tasks, (SELECT 1 AS n, NULL AS left, 'delivered' AS reached
                          UNION ALL SELECT 2, 'delivered', 'cancelled') AS step
             WHERE status = 'cancelled';
             UPDATE task_events SET number = id;
             INSERT INTO task_counts (network_id, status, count) VALUES ('{NETWORK}', 'cancelled', 1005);"
        ))
        .unwrap();
    });
    assert_agrees(&hub.data_dir());
    let graph = succeed(&tenant(&hub).user.get(&format!("/api/work-graph?network_id={NETWORK}")));
    let said = (graph["tasks_read"].clone(), graph["truncated"].clone(), graph["edges_left_out"].clone());
    assert_eq!(said, (json!(1005), json!(true), json!(500)));
    let edges = graph["edges"].as_array().unwrap();
    assert!(edges.len() == 500 && edges.iter().all(|edge| edge["cancelled"] == 1 && edge["total"] == 1));
}

#[test]
fn a_folder_is_backed_up_as_it_is_before_it_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("backup"));
    make(&data, 1);
    let ran = baton().args(["hub", "backup", "--data-dir"]).arg(&data).arg("-o").arg(&file).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    assert!(String::from_utf8(ran.stdout).unwrap().contains("schema 1,"));
    let hub = Hub::start_on(|into| {
        restore(&file, into).exited(0);
        assert_eq!(names(into), ["hub.db", "hub.lock"], "there was no key yet");
    });
    assert_eq!(task(&tenant(&hub).user, ENDED)["status"], "replied");
    back_up(&hub.data_dir(), &folder.path().join("again")).exited(0);
}

#[test]
fn a_folder_of_a_newer_schema_is_refused_in_a_sentence() {
    let mut hub = Hub::start();
    assert!(hub.stop().success());
    hub.was_damaged = true;
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) VALUES (999, 'x', '', '1')";
    Connection::open(hub.data_dir().join("hub.db")).unwrap().execute(newer, []).unwrap();
    for (command, code) in [(&["hub", "start", "--port", "0"][..], 1), (&["hub", "check"], 2)] {
        let ran = hub.baton(command);
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(code), "{error}");
        assert!(error.contains("it was written by a newer baton: it has schema 999"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
