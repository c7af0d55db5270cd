//! Folders of earlier releases: each schema there ever was is opened by today's hub, agrees, and continues.
//!
//! `real.rs` and `killed.rs` open what old programs really left: `tests/upgrade/schema-2.tar.gz` was made by the program of
//! schema 2 (commit cdd8a1b8) and `schema-12.tar.gz` by that of schema 12 (2f7b85ce), each through its own HTTP door. The
//! folders of all other schemas are derived from these two: 3 to 8 from that of schema 2, and 13 to the newest from that of
//! 12, by the migrations up to each, as in a folder that was upgraded release by release; 9 to 11 by copying the rows of
//! schema 12 into the tables and columns that each has, and 1 in the same way from schema 2, without a log and a key. So
//! features that came after schema 12 are in none of these folders. In all of them the times by which tasks, messages and
//! keys end are put forward to today. The tests in this file put rows by hand into the tables of one schema, for what a
//! certain migration does.

mod archive;
mod killed;
mod real;

use refinery_core::{Runner, Target};
use rusqlite::{Connection, params};
use serde_json::json;
use std::path::Path;

use super::{assert_agrees, back_up, restore};
use crate::it::hub::{Hub, baton};
use crate::it::program::names;
use crate::it::tenant::{Tenant, act, claim, refused, succeed, task, text};
use crate::it::triggers::without_triggers;

fn migrations() -> Runner {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../baton-store/migrations");
    Runner::new(&refinery_core::load_sql_migrations(folder).unwrap())
}

const NETWORK: &str = "net_0123456789ab";
const OPEN: &str = "018bcfe5-6800-7000-8000-000000000001";
const ENDED: &str = "018bcfe5-6800-7000-8000-000000000002";
const HELD: &str = "018bcfe5-6800-7000-8000-000000000003";
const HANDED_ON: &str = "018bcfe5-6800-7000-8000-000000000004";
const LEASE: &str = "lease_0123456789abcdef0123456789abcdef";
/// In 2023.
const THEN: i64 = 1_700_000_000_000;

fn versions() -> Vec<i64> {
    migrations().get_migrations().iter().map(|one| i64::from(one.version())).collect()
}

/// Every version but the newest.
fn earlier_versions() -> Vec<i64> {
    let mut versions = versions();
    versions.pop();
    versions
}

fn newest_version() -> i64 {
    versions().pop().unwrap()
}

/// The last schema whose tables named tasks and networks by their ids: what is put in here is put into that or an older
/// one, and brought to a newer one by its own migrations.
const LAST_WITH_IDS: i64 = 19;

/// A folder as the release with this schema left it: a user, a network, a task that is open, one that has ended and its
/// reply in an inbox, one that a worker holds, one that was handed on, and frames for streams.
fn make(folder: &Path, version: i64) {
    std::fs::create_dir(folder).unwrap();
    let mut db = Connection::open(folder.join("hub.db")).unwrap();
    let migrate = |db: &mut Connection, version: i64| {
        let target = Target::Version(version.try_into().unwrap());
        migrations().set_target(target).run(db).unwrap();
    };
    migrate(&mut db, version.min(LAST_WITH_IDS));
    db.execute_batch(&format!(
        "INSERT INTO users (user_id, username, role, password_hash, created_at)
            VALUES ('u_0123456789ab', 'admin', 'admin', 'unknown', {THEN});
         INSERT INTO networks (network_id, name, owner_id, created_at, updated_at)
            VALUES ('{NETWORK}', 'default', 'u_0123456789ab', {THEN}, {THEN});
         INSERT INTO members (network_id, user_id, role, joined_at)
            VALUES ('{NETWORK}', 'u_0123456789ab', 'owner', {THEN});
         INSERT INTO aliases (network_id, alias) VALUES ('{NETWORK}', 'lead'), ('{NETWORK}', 'coder');
         INSERT INTO task_counts (network_id, status, count)
            VALUES ('{NETWORK}', 'delivered', 2), ('{NETWORK}', 'replied', 1), ('{NETWORK}', 'running', 1);
         INSERT INTO inbox_counts (network_id, to_kind, to_name, count)
            VALUES ('{NETWORK}', 'node', 'coder', 2), ('{NETWORK}', 'node', 'lead', 1);
         INSERT INTO leases (lease_id, task_id, network_id, alias, lease_seconds, deadline, expires_at)
            VALUES ('{LEASE}', '{HELD}', '{NETWORK}', 'coder', 60, 5, {THEN});
         INSERT INTO feed (network_id, n, to_kind, to_name, body)
            VALUES ('{NETWORK}', 1, 'node', 'coder', '{{\"type\":\"new_task\"}}'),
                   ('{NETWORK}', 2, 'node', 'lead', '{{\"type\":\"new_reply\"}}');"
    ))
    .unwrap();
    old_task(&db, HANDED_ON, "delivered", 2);
    old_task(&db, OPEN, "delivered", 0);
    old_task(&db, ENDED, "replied", 2);
    old_task(&db, HELD, "running", 1);
    event(&db, HANDED_ON, 2, Some("delivered"), "delivered");
    event(&db, ENDED, 2, Some("delivered"), "replied");
    event(&db, HELD, 2, Some("delivered"), "running");
    delivery(&db, "018bcfe5-6800-7000-8000-0000000000a1", HANDED_ON, "coder", "task", None);
    delivery(&db, "018bcfe5-6800-7000-8000-0000000000a2", ENDED, "lead", "reply", Some("done"));
    if version >= 16 {
        db.execute("UPDATE task_events SET number = id", []).unwrap(); // as that release wrote them
    }
    migrate(&mut db, version);
}

/// A task from `lead` to `coder`, with its first event and its first delivery in this state.
fn old_task(db: &Connection, task_id: &str, status: &str, state: i64) {
    let is_ended = status == "replied";
    // The time of one that is open is not over yet.
    let later = THEN + 100 * 365 * 86_400_000;
    db.execute(
        "INSERT INTO tasks (task_id, network_id, from_kind, from_name, to_name, kind, priority, status, content,
            result, attempt, max_attempts, ttl_seconds, created_at, delivered_at, completed_at, expires_at)
         VALUES (?1, ?2, 'node', 'lead', 'coder', 'request', 'normal', ?3, 'text', ?4, 1, 3, 3600, ?5, ?5, ?6, ?7)",
        params![task_id, NETWORK, status, is_ended.then_some("done"), THEN, is_ended.then_some(THEN), later],
    )
    .unwrap();
    delivery(db, task_id, task_id, if task_id == HANDED_ON { "lead" } else { "coder" }, "task", None);
    let sql = "UPDATE deliveries SET state = ?2 WHERE message_id = ?1";
    db.execute(sql, params![task_id, state]).unwrap();
    event(db, task_id, 1, None, "delivered");
}

fn delivery(db: &Connection, id: &str, task_id: &str, to: &str, kind: &str, content: Option<&str>) {
    let from = if kind == "reply" { "coder" } else { "lead" };
    db.execute(
        "INSERT INTO deliveries (message_id, network_id, to_kind, to_name, from_kind, from_name, type, priority, task_id,
            content, created_at, state) VALUES (?1, ?2, 'node', ?4, 'node', ?5, ?6, 1, ?3, ?7, ?8, 0)",
        params![id, NETWORK, task_id, to, from, kind, content, THEN],
    )
    .unwrap();
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
        // Two tasks were made two hours ago; the others long ago, of which nothing is counted.
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
fn a_backup_of_an_earlier_schema_has_the_bytes_of_artifacts_and_brings_them_back() {
    /// The first schema that has any.
    const FIRST: i64 = 27;
    for version in earlier_versions().into_iter().filter(|version| *version >= FIRST) {
        let folder = tempfile::tempdir().unwrap();
        let (data, file) = (folder.path().join("data"), folder.path().join("backup"));
        make(&data, version);
        let object = format!("{NETWORK}/0123");
        let put = "INSERT INTO artifacts (network, sha256, size, object, name, media_type, created_at, touched_at)
                   SELECT key, unhex('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'), 3, ?1, 'a',
                       'text/plain', ?2, ?2 FROM network_keys";
        let put = Connection::open(data.join("hub.db")).unwrap().execute(put, params![object, THEN]);
        assert_eq!(put, Ok(1));
        std::fs::create_dir_all(data.join("artifacts").join(NETWORK)).unwrap();
        std::fs::write(data.join("artifacts").join(&object), "abc").unwrap();
        back_up(&data, &file).exited(0);
        let restored = folder.path().join("restored");
        restore(&file, &restored).exited(0);
        let bytes = std::fs::read(restored.join("artifacts").join(&object)).unwrap();
        assert_eq!(bytes, b"abc", "schema {version}");
    }
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

#[test]
fn a_conversation_of_an_earlier_schema_waits_on_for_a_week_from_its_question() {
    let said = |n: u8, author: &str, content: &str| {
        format!(
            "INSERT INTO task_messages (network_id, task_id, n, message_id, author_kind, author, content, created_at)
             VALUES ('{NETWORK}', '{HELD}', {n}, '018bcfe5-6800-7000-8000-0000000000b{n}', 'node', '{author}', '{content}', {THEN});"
        )
    };
    let hub = Hub::start_on(|folder| {
        make(folder, 24);
        let db = Connection::open(folder.join("hub.db")).unwrap();
        db.execute_batch(&format!(
            "{}{}{}{}
             UPDATE tasks SET status = 'waiting_input', lease_id = NULL, lease_seconds = NULL, lease_deadline = NULL,
                 lease_expires_at = NULL, expires_at = {THEN} WHERE task_id = '{HELD}';
             UPDATE task_events SET to_status = 'waiting_input', created_at = unixepoch() * 1000
                 WHERE place = (SELECT network << 40 | last_event FROM tasks WHERE task_id = '{HELD}');
             UPDATE inbox_counts SET leases = 0;
             UPDATE task_counts SET status = 'waiting_input' WHERE status = 'running';",
            said(1, "lead", "by the way"),
            said(2, "coder", "first?"),
            said(3, "lead", "yes"),
            said(4, "coder", "second?"),
        ))
        .unwrap();
    });
    assert_agrees(&hub.data_dir());
    let network = tenant(&hub);
    let (coder, lead) = (network.agent("coder"), network.agent("lead"));
    let seen = succeed(&lead.get(&format!("/api/tasks/{HELD}")));
    let kinds: Vec<_> = seen["messages"].as_array().unwrap().iter().map(|said| text(&said["kind"])).collect();
    assert_eq!(kinds, ["message", "question", "answer", "question"]);
    assert_eq!(seen["task"]["status"], "waiting_input", "the time of its send was over long ago");
    succeed(&act(&lead, HELD, "answer", &json!({"text": "no"})));
    let taken = [claim(&coder, 0, 60), claim(&coder, 0, 60), claim(&coder, 0, 60)];
    let again = taken.iter().find(|claimed| claimed["task"]["task_id"] == HELD).unwrap();
    assert_eq!(again["messages"][4]["kind"], "answer");
    assert_agrees(&hub.data_dir());
}
