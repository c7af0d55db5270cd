//! Folders of earlier releases: each schema there ever was is opened by today's hub, agrees, and goes on.

use baton_evidence::log::{Hash, check_consistency, check_inclusion};
use baton_evidence::note::{Checkpoint, VerifierKey};
use refinery::Target;
use rusqlite::{Connection, params};
use serde_json::json;
use std::path::Path;

use super::{assert_agrees, back_up, restore};
use crate::it::entry_bundles::{entries, wait_until_bundled};
use crate::it::evidence::storage::hand_in;
use crate::it::hub::{Hub, baton};
use crate::it::program::names;
use crate::it::tenant::{Tenant, act, claim, events, refused, succeed, task, text};

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

/// The tables that a log and its readers need; each release since the second schema has them.
const OF_A_LOG: [&str; 10] = [
    "users",
    "networks",
    "members",
    "tokens",
    "aliases",
    "logs",
    "tiles",
    "checkpoints",
    "reported_packets",
    "evidence_key",
];

/// The folder of a stopped hub as the release with this schema would have left it: all entries in the tail.
fn earlier_release_of(folder: &Path, into: &Path, version: i64) {
    std::fs::create_dir(into).unwrap();
    std::fs::copy(folder.join("evidence.key"), into.join("evidence.key")).unwrap();
    let mut db = Connection::open(into.join("hub.db")).unwrap();
    let target = Target::Version(version.try_into().unwrap());
    migrations::migrations::runner().set_target(target).run(&mut db).unwrap();
    db.execute("ATTACH ?1 AS today", [folder.join("hub.db").to_str().unwrap()]).unwrap();
    let columns = |table: &str, of: &str| -> Vec<String> {
        let mut query =
            db.prepare(&format!("SELECT name FROM pragma_table_info('{table}', '{of}')")).unwrap();
        query.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    };
    for table in OF_A_LOG {
        let today = columns(table, "today");
        let shared: Vec<_> = columns(table, "main").into_iter().filter(|name| today.contains(name)).collect();
        let shared = shared.join(", ");
        let copy = format!("INSERT INTO main.{table} ({shared}) SELECT {shared} FROM today.{table}");
        db.execute(&copy, []).unwrap();
    }
    db.execute("INSERT INTO main.evidence SELECT * FROM today.evidence", []).unwrap();
    let log: i64 = db.query_row("SELECT log FROM main.logs", [], |row| row.get(0)).unwrap();
    let today = Connection::open(folder.join("hub.db")).unwrap();
    for first in [0, 256] {
        let first = log << 36 | first;
        for (number, entry) in entries(&today, first).into_iter().enumerate() {
            let entry = entry.unwrap();
            let put = "INSERT INTO main.evidence (place, event, packet) VALUES (?1, ?2, ?3)";
            db.execute(put, params![first | number as i64, entry.event, entry.packet]).unwrap();
        }
    }
}

#[test]
fn the_long_tail_of_an_earlier_release_is_bundled_and_its_checkpoint_still_holds() {
    const COUNT: usize = 600;
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    hand_in(&network, 0, COUNT);
    wait_until_bundled(&hub.data_dir(), &network.network_id, 512);
    let key = text(&succeed(&hub.client().get("/api/evidence/key"))["key"]);
    let key = VerifierKey::parse(&key).unwrap();
    let newest = |network: &Tenant| {
        let path = format!("/api/evidence/checkpoint?network_id={}", network.network_id);
        Checkpoint::open(&network.user.get(&path).text(), &key).unwrap()
    };
    let earlier = newest(&network);
    assert_eq!(earlier.size, COUNT as u64);
    assert!(hub.stop().success());
    for version in [2, 9, 18] {
        println!("schema {version}");
        let upgraded = Hub::start_on(|folder| earlier_release_of(&hub.data_dir(), folder, version));
        let user = upgraded.client().with_token(network.user.token.as_deref().unwrap());
        let now = Tenant { user, network_id: network.network_id.clone() };
        // Nothing waits for it.
        hand_in(&now, COUNT, 1);
        wait_until_bundled(&upgraded.data_dir(), &now.network_id, 512);
        assert_agrees(&upgraded.data_dir());
        hand_in(&now, COUNT + 1, 9);
        let path = format!("/api/evidence/consistency?network_id={}&from={COUNT}&to=610", now.network_id);
        let proof = hashes(&succeed(&now.user.get(&path)));
        let later = newest(&now);
        assert_eq!(later.size, 610);
        check_consistency(earlier.size, &earlier.root, later.size, &later.root, &proof).unwrap();
        for index in [0, 255, 256, 511, 512, 599] {
            let path =
                format!("/api/evidence/proof?network_id={}&index={index}&size={COUNT}", now.network_id);
            let answer = succeed(&now.user.get(&path));
            let leaf: Hash = serde_json::from_value(answer["leaf_hash"].clone()).unwrap();
            check_inclusion(&leaf, index, earlier.size, &hashes(&answer), &earlier.root).unwrap();
        }
    }
}

fn hashes(answer: &serde_json::Value) -> Vec<Hash> {
    serde_json::from_value(answer["hashes"].clone()).unwrap()
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
