//! `baton hub check`: it agrees with what a hub leaves, names what was changed behind the hub's back, and changes
//! nothing itself. And a hub that finds its log rewritten does not sign it again.

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use super::entry_bundles::{COUNT, as_columns, column, entries, repack, wait_until_bundled};
use super::hub::{Hub, baton};
use super::program::{self, Ran, names};
use super::tenant::{Tenant, act, claim, report, send, succeed, text};
use super::tool;
use super::triggers::without_triggers;

fn check(folder: &Path, options: &[&str]) -> Ran {
    let mut arguments = vec!["hub", "check", "--data-dir", folder.to_str().unwrap()];
    arguments.extend(options);
    program::baton(arguments)
}

/// A folder a hub has left, with a network of everything and one with a log longer than a tile.
struct Left {
    hub: Hub,
    /// Of everything.
    network: String,
    /// Of many tasks.
    long: String,
    /// A task of the first network that was completed with artifacts, in three events.
    completed: String,
    /// One that is being worked on.
    running: String,
    /// The first network's first checkpoint: size, root, note.
    earlier: (i64, Vec<u8>, String),
    /// Where the long log has an artifact, and where a packet too long for an entry bundle.
    artifact: i64,
    long_packet: i64,
}

const MANY: u64 = 600;
/// What of its log is in entry bundles.
const BUNDLED: i64 = 512;

impl Left {
    fn make() -> Self {
        let mut hub = Hub::start();
        let tenant = Tenant::of_admin(&hub);
        let (lead, coder) = (tenant.agent("lead"), tenant.agent("coder"));
        report(&coder, "coder", "idle");
        let completed = send(&lead, "coder", "the first task");
        let claimed = claim(&coder, 0, 600);
        let completion = json!({"alias": "coder", "task": completed, "result": "done", "lease_id": claimed["lease_id"],
            "artifacts": ["a.txt", {"name": "b.txt"}]});
        assert_eq!(tool::call(&coder, "report_completion", &completion)["ok"], true);
        let path = format!("/api/evidence/checkpoint?network_id={}", tenant.network_id);
        assert_eq!(tenant.user.get(&path).status, 200);
        let earlier = database(&hub.data_dir())
            .query_row("SELECT size, root, note FROM checkpoints", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        let cancelled = send(&lead, "coder", "the second");
        succeed(&act(&lead, &cancelled, "cancel", &json!({"reason": "no longer needed"})));
        let running = send(&lead, "coder", "the third");
        assert_eq!(claim(&coder, 0, 600)["task"]["task_id"], json!(running));
        send(&lead, "coder", "the fourth");
        let packets = format!("/api/evidence/packets?network_id={}", tenant.network_id);
        let packet: Value = serde_json::from_str(&program::packet(7)).unwrap();
        assert_eq!(succeed(&lead.post(&packets, &packet))["recorded"], 1);

        let other = Tenant::register(&hub, "other");
        let (sender, worker) = (other.agent("sender"), other.agent("worker"));
        let done = send(&sender, "worker", "the first of many");
        let claimed = claim(&worker, 0, 600);
        let completion = json!({"alias": "worker", "task": done, "result": "done", "lease_id": claimed["lease_id"],
            "artifacts": ["a.txt"]});
        assert_eq!(tool::call(&worker, "report_completion", &completion)["ok"], true);
        let packets = format!("/api/evidence/packets?network_id={}", other.network_id);
        let mut packet: Value = serde_json::from_str(&program::packet(8)).unwrap();
        packet["attributes"] = json!({"text": "x".repeat(20_000)});
        assert_eq!(succeed(&sender.post(&packets, &packet))["recorded"], 1);
        for number in 1..MANY {
            send(&sender, "worker", &format!("task {number}"));
        }
        wait_until_bundled(&hub.data_dir(), &other.network_id, BUNDLED);
        assert!(hub.stop().success());
        Self {
            hub,
            network: tenant.network_id,
            long: other.network_id,
            completed,
            running,
            earlier,
            artifact: 3,
            long_packet: 4,
        }
    }

    /// A copy of it to damage.
    fn copy(&self) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        for name in ["hub.db", "evidence.key"] {
            std::fs::copy(self.hub.data_dir().join(name), copy.path().join(name)).unwrap();
        }
        copy
    }

    /// The place of an event of a network's log.
    fn place(&self, network: &str, index: i64) -> i64 {
        let log: i64 = database(&self.hub.data_dir())
            .query_row("SELECT log FROM logs WHERE network_id = ?1", [network], |row| row.get(0))
            .unwrap();
        log << 36 | index
    }

    /// The log's index of an event of a task.
    fn index(&self, task: &str, n: i64) -> i64 {
        database(&self.hub.data_dir())
            .query_row(
                "SELECT log_index FROM task_events WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = ?2",
                params![task, n],
                |row| row.get(0),
            )
            .unwrap()
    }

    fn log_size(&self, network: &str) -> i64 {
        let sql = "SELECT size FROM checkpoints c JOIN logs l ON l.log = c.log WHERE network_id = ?1";
        database(&self.hub.data_dir()).query_row(sql, [network], |row| row.get(0)).unwrap()
    }

    /// Damages a copy and answers what the check says of it.
    fn damaged(&self, damage: impl FnOnce(&Connection)) -> Found {
        let copy = self.copy();
        let connection = database(copy.path());
        without_triggers(&connection, damage);
        drop(connection);
        Found::by(copy.path())
    }
}

fn database(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join("hub.db")).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection
}

/// One statement that changes exactly this many rows.
#[track_caller]
fn change(connection: &Connection, rows: usize, sql: &str, parameters: impl rusqlite::Params) {
    assert_eq!(connection.execute(sql, parameters).unwrap(), rows, "{sql}");
}

/// What a check that differs printed.
struct Found {
    differences: Vec<Value>,
}

impl Found {
    #[track_caller]
    fn by(folder: &Path) -> Self {
        let answer: Value = serde_json::from_str(&check(folder, &["--json"]).exited(1).stdout).unwrap();
        assert_eq!(answer["ok"], false, "{answer}");
        let lines = check(folder, &[]).exited(1).stdout;
        let differences = answer["differences"].as_array().unwrap().clone();
        for (difference, line) in differences.iter().zip(lines.lines()) {
            assert!(line.starts_with(&format!("{}: ", text(&difference["name"]))), "{line} {difference}");
        }
        Self { differences }
    }

    /// Somewhere it says this of that network and event of its log.
    #[track_caller]
    fn names(&self, name: &str, network: &str, index: Option<i64>) -> &Self {
        let found = self.differences.iter().any(|difference| {
            difference["name"] == name
                && difference["network_id"] == network
                && (index.is_none() || difference["index"] == json!(index))
        });
        assert!(found, "no {name} of {network} {index:?} in {:#?}", self.differences);
        self
    }

    #[track_caller]
    fn names_somewhere(&self, name: &str) -> &Self {
        let found = self.differences.iter().any(|difference| difference["name"] == name);
        assert!(found, "no {name} in {:#?}", self.differences);
        self
    }

    /// And nothing else.
    #[track_caller]
    fn only(&self, names: &[&str]) {
        for difference in &self.differences {
            assert!(names.contains(&difference["name"].as_str().unwrap()), "{:#?}", self.differences);
        }
    }
}

/// Every file of a folder with its bytes.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    names(folder).into_iter().map(|name| (name.clone(), std::fs::read(folder.join(&name)).unwrap())).collect()
}

#[test]
fn what_a_hub_leaves_agrees_and_the_check_changes_nothing() {
    let left = Left::make();
    let copy = left.copy();
    let before = contents(copy.path());
    let said = check(copy.path(), &[]).exited(0).stdout;
    assert!(said.starts_with("agree: 2 networks, 604 tasks, "), "{said}");
    assert!(said.contains("2 checkpoints") && said.contains("2 log events were reported"), "{said}");
    assert!(!said.contains("not under a checkpoint"), "a stopped hub has sealed everything: {said}");
    for word in ["verified", "valid", "trusted", "successful"] {
        assert!(!said.contains(word), "{said}");
    }
    let answer: Value = serde_json::from_str(&check(copy.path(), &["--json"]).exited(0).stdout).unwrap();
    assert_eq!(
        (&answer["ok"], &answer["tasks"], &answer["differences"]),
        (&json!(true), &json!(604), &json!([]))
    );
    assert_eq!(answer["log_events"], json!(left.log_size(&left.network) + left.log_size(&left.long)));
    assert!(contents(copy.path()) == before, "{:?}", names(copy.path()));
}

#[test]
fn a_check_beside_a_running_hub_agrees_and_changes_neither_database_nor_lock() {
    let mut hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let (lead, _coder) = (tenant.agent("lead"), tenant.agent("coder"));
    for number in 0..20 {
        send(&lead, "coder", &format!("task {number}"));
        check(&hub.data_dir(), &[]).exited(0);
    }
    hub.kill9();
    let kept = |folder: PathBuf| {
        ["hub.db", "hub.db-wal", "hub.lock"].map(|name| std::fs::read(folder.join(name)).unwrap())
    };
    let before = kept(hub.data_dir());
    check(&hub.data_dir(), &[]).exited(0);
    assert!(kept(hub.data_dir()) == before);
    hub.restart();
    send(&lead, "coder", "one more");
    check(&hub.data_dir(), &[]).exited(0);
}

#[test]
fn a_log_that_was_changed_is_named_with_its_network_and_index() {
    let left = Left::make();
    let (net, long) = (&*left.network, &*left.long);
    let at = |index| left.place(net, index);
    let (requested, started) = (left.index(&left.completed, 1), left.index(&left.completed, 2));
    let size = left.log_size(net);

    // Cut short.
    let cut = "DELETE FROM evidence WHERE place >= ?1 AND place < ?1 + 1000";
    let found = left.damaged(|db| change(db, 2, cut, [at(size - 2)]));
    found.names("log_cut_short", net, Some(size - 2)).names("evidence_missing", net, None);
    // A hole.
    let found = left.damaged(|db| change(db, 1, "DELETE FROM evidence WHERE place = ?1", [at(started)]));
    found.names("log_gap", net, Some(started)).names("evidence_missing", net, None);
    // One byte.
    let byte = "UPDATE evidence SET event = CAST(replace(CAST(event AS TEXT), '\"status\":\"running\"',
                '\"status\":\"runninG\"') AS BLOB) WHERE place = ?1";
    let found = left.damaged(|db| change(db, 1, byte, [at(started)]));
    for name in ["content_hash", "packet_differs", "change_differs", "leaf_hash"] {
        found.names(name, net, Some(started));
    }
    found.names("root", net, None);
    // Another form of the same.
    let form = "UPDATE evidence SET event = CAST(CAST(event AS TEXT) || ' ' AS BLOB) WHERE place = ?1";
    let found = left.damaged(|db| change(db, 1, form, [at(started)]));
    found.names("event_form", net, Some(started)).names("leaf_hash", net, Some(started));
    // Not an event at all.
    let found =
        left.damaged(|db| change(db, 1, "UPDATE evidence SET event = x'ff00' WHERE place = ?1", [at(0)]));
    found.names("event_form", net, Some(0)).names("leaf_hash", net, Some(0));
    // Swapped.
    let found = left.damaged(|db| {
        for (from, to) in [(at(requested), -1), (at(started), at(requested)), (-1, at(started))] {
            change(db, 1, "UPDATE evidence SET place = ?2 WHERE place = ?1", [from, to]);
        }
    });
    found.names("event_place", net, Some(requested)).names("event_place", net, Some(started));
    found.names("leaf_hash", net, Some(requested)).names("no_such_change", net, Some(started));
    // Another packet.
    let packet = "UPDATE evidence SET packet = CAST(replace(CAST(packet AS TEXT), 'coder', 'codeR') AS BLOB) WHERE place = ?1";
    let found = left.damaged(|db| change(db, 1, packet, [at(started)]));
    found.names("packet_differs", net, Some(started)).only(&["packet_differs"]);
    // An event told again at the end, with the right numbers.
    let replay = format!(
        "INSERT INTO evidence (place, event, packet) SELECT ?2, CAST(replace(replace(CAST(event AS TEXT),
         '\"assayseq\":{started}', '\"assayseq\":{size}'), '{net}:{started}\"', '{net}:{size}\"') AS BLOB), packet
         FROM evidence WHERE place = ?1"
    );
    let found = left.damaged(|db| change(db, 1, &replay, [at(started), at(size)]));
    found.names("no_such_change", net, Some(size)).only(&["no_such_change"]);
    // When it happened, changed wherever it stands but in the tree: the content hash does not bind it.
    let found = left.damaged(|db| {
        change(
            db,
            1,
            "UPDATE task_events SET created_at = created_at + 1000 WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 2",
            [&left.completed],
        );
        let time = "strftime('%Y-%m-%dT%H:%M:%fZ', (created_at + ?2) / 1000.0, 'unixepoch')";
        let sql = format!("SELECT {time} FROM task_events WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 2");
        let read = |shift: i64| -> String {
            db.query_row(&sql, params![left.completed, shift], |row| row.get(0)).unwrap()
        };
        let whole = |time: String| time.replace(".000Z", "Z");
        let (old, new) = (whole(read(-1000)), whole(read(0)));
        let sql = "UPDATE evidence SET event = CAST(replace(CAST(event AS TEXT), ?2, ?3) AS BLOB),
                   packet = CAST(replace(CAST(packet AS TEXT), ?2, ?3) AS BLOB) WHERE place = ?1";
        change(db, 1, sql, params![at(started), old, new]);
    });
    found.names("leaf_hash", net, Some(started)).only(&["leaf_hash", "root"]);
    // Everything, so that not each can be listed.
    let copy = left.copy();
    let db = database(copy.path());
    without_triggers(&db, |db| {
        db.execute("UPDATE evidence SET packet = x'7b7d'", []).unwrap();
        for first in [0, 256] {
            repack(db, left.place(long, first), |entries| {
                entries.iter_mut().flatten().for_each(|entry| entry.packet = b"{}".to_vec());
            });
        }
    });
    drop(db);
    let said = check(copy.path(), &[]).exited(1).stdout;
    let more = u64::try_from(left.log_size(net) + left.log_size(long)).unwrap() - 100;
    assert_eq!(said.lines().filter(|line| line.starts_with("packet_differs: ")).count(), 100);
    let end = format!("and {more} more; in all {0} packet_differs\n{0} differences: ", more + 100);
    assert!(said.contains(&end), "{said}");
}

#[test]
fn entry_bundles_that_were_changed_are_named() {
    let left = Left::make();
    let long = &*left.long;
    let at = |index| left.place(long, index);
    let log = at(0) >> 36;
    let named = |db: &Connection, sql: &str, index: i64| change(db, 1, sql, [at(index)]);
    let only = |found: &Found, index: i64, names: &[&str]| {
        found.names("entry_bundle", long, Some(index)).only(names);
    };
    // Missing, the first and the last.
    let gone = "DELETE FROM entry_bundles WHERE first = ?1";
    for index in [0, 256] {
        let found = left.damaged(|db| named(db, gone, index));
        only(&found, index, &["entry_bundle"]);
    }
    // Cannot be unpacked, cut, followed by more, without end.
    let noise = "UPDATE entry_bundles SET events = x'0011223344' WHERE first = ?1";
    let cut = "UPDATE entry_bundles SET events = substr(events, 1, length(events) / 2) WHERE first = ?1";
    let more = "UPDATE entry_bundles SET events = CAST(events || x'00' AS BLOB) WHERE first = ?1";
    let beside = "UPDATE entry_bundles SET packets = x'00' WHERE first = ?1";
    for sql in [noise, cut, more, beside] {
        let found = left.damaged(|db| named(db, sql, 256));
        only(&found, 256, &["entry_bundle"]);
    }
    // The same of one that an older hub packed.
    for column in ["events", "packets"] {
        let cut = format!(
            "UPDATE entry_bundles SET {column} = substr({column}, 1, length({column}) / 2) WHERE first = ?1"
        );
        let found = left.damaged(|db| {
            as_columns(db, at(256));
            named(db, &cut, 256);
        });
        only(&found, 256, &["entry_bundle"]);
    }
    let bomb = column(vec![&[b'x'; 60_000][..]; 2_000]);
    let replace = "UPDATE entry_bundles SET events = ?2 WHERE first = ?1";
    let found = left.damaged(|db| change(db, 1, replace, params![at(0), bomb]));
    only(&found, 0, &["entry_bundle"]);
    // One entry fewer, one more.
    for count in [COUNT - 1, COUNT + 1] {
        let found = left.damaged(|db| {
            let entries: Vec<_> =
                entries(db, at(256)).into_iter().map(|entry| entry.unwrap().event).collect();
            let parts = entries.iter().chain([&entries[0]]).take(count);
            change(db, 1, replace, params![at(256), column(parts.map(Vec::as_slice))]);
        });
        only(&found, 256, &["entry_bundle"]);
    }
    // Swapped.
    let found = left.damaged(|db| {
        for (from, to) in [(at(0), -1), (at(256), at(0)), (-1, at(256))] {
            change(db, 1, "UPDATE entry_bundles SET first = ?2 WHERE first = ?1", [from, to]);
        }
    });
    found.names("event_place", long, Some(0));
    // Two of its entries swapped, one of them changed, its packet changed.
    let found = left.damaged(|db| repack(db, at(256), |entries| entries.swap(10, 11)));
    found.names("event_place", long, Some(266)).names("leaf_hash", long, Some(267)).names("root", long, None);
    let found = left.damaged(|db| {
        repack(db, at(256), |entries| {
            let event = &mut entries[10].as_mut().unwrap().event;
            *event = String::from_utf8(event.clone()).unwrap().replace("delivered", "deliverer").into_bytes();
        });
    });
    for name in ["content_hash", "packet_differs", "change_differs", "leaf_hash"] {
        found.names(name, long, Some(266));
    }
    let found = left.damaged(|db| {
        repack(db, at(256), |entries| {
            let packet = &mut entries[10].as_mut().unwrap().packet;
            *packet = String::from_utf8(packet.clone()).unwrap().replace("sender", "sendeR").into_bytes();
        });
    });
    found.names("packet_differs", long, Some(266)).only(&["packet_differs"]);
    // In the tail too; in neither; a hole where the tail begins.
    let found = left.damaged(|db| {
        let entry = entries(db, at(256)).swap_remove(10).unwrap();
        let sql = "INSERT INTO evidence (place, event, packet) VALUES (?1, ?2, ?3)";
        change(db, 1, sql, params![at(266), entry.event, entry.packet]);
    });
    only(&found, 266, &["entry_bundle"]);
    let found = left.damaged(|db| repack(db, at(256), |entries| entries[10] = None));
    only(&found, 266, &["entry_bundle"]);
    let found = left.damaged(|db| named(db, "DELETE FROM evidence WHERE place = ?1", left.long_packet));
    only(&found, left.long_packet, &["entry_bundle"]);
    let found = left.damaged(|db| named(db, "DELETE FROM evidence WHERE place = ?1", BUNDLED));
    found.names("log_gap", long, Some(BUNDLED)).only(&["log_gap", "evidence_missing"]);
    // Counted wrong.
    for (counted, index) in [(0, 0), (256, 256), (BUNDLED + 256, BUNDLED), (BUNDLED + 1, BUNDLED + 1)] {
        let sql = "UPDATE logs SET bundled = ?2 WHERE log = ?1";
        left.damaged(|db| change(db, 1, sql, [log, counted])).names("entry_bundle", long, Some(index));
    }
    // The task beside an entry: another, none, one of an entry that has its own row for it.
    for sql in [
        "UPDATE entry_tasks SET about = 'another' WHERE place = ?1",
        "DELETE FROM entry_tasks WHERE place = ?1",
    ] {
        let found = left.damaged(|db| named(db, sql, left.artifact));
        found.names("change_differs", long, Some(left.artifact)).only(&["change_differs"]);
    }
    let found = left.damaged(|db| named(db, "INSERT INTO entry_tasks VALUES (?1, 'another')", BUNDLED));
    only(&found, BUNDLED, &["entry_bundle"]);
    // Of a log that is not there.
    let found = left.damaged(|db| {
        let sql =
            "INSERT INTO entry_bundles SELECT 99 << 36, events, packets FROM entry_bundles WHERE first = ?1";
        named(db, sql, 0);
    });
    found.names_somewhere("stray").only(&["stray"]);
}

#[test]
fn a_tree_or_checkpoint_or_key_that_was_changed_is_named() {
    let left = Left::make();
    let (net, long) = (&*left.network, &*left.long);
    let log = left.place(long, 0) >> 36;
    // Tiles: a full one of the leaves, one above, one that is gone, one too many.
    let flip = "UPDATE tiles SET hashes = CAST(CASE substr(hashes, 1, 1) WHEN x'00' THEN x'01' ELSE x'00' END || substr(hashes, 2) AS BLOB) WHERE log = ?1 AND level = ?2 AND n = ?3";
    let found = left.damaged(|db| change(db, 1, flip, [log, 0, 0]));
    found.names("leaf_hash", long, Some(0)).only(&["leaf_hash"]);
    let found = left.damaged(|db| change(db, 1, flip, [log, 1, 0]));
    found.names("tile", long, None).only(&["tile"]);
    let found =
        left.damaged(|db| change(db, 1, "DELETE FROM tiles WHERE log = ?1 AND level = 0 AND n = 1", [log]));
    found.names("tile", long, None);
    let found = left.damaged(|db| change(db, 1, "INSERT INTO tiles VALUES (?1, 0, 9, x'00')", [log]));
    found.names("tile", long, None).only(&["tile"]);
    // Checkpoints: another size, that of another network, an earlier one that was signed, none.
    let found =
        left.damaged(|db| change(db, 1, "UPDATE checkpoints SET size = size - 1 WHERE log = ?1", [log]));
    found.names("checkpoint", long, None).names("root", long, None).names("tile", long, None);
    let found =
        left.damaged(|db| change(db, 1, "UPDATE checkpoints SET size = size + 1 WHERE log = ?1", [log]));
    found.names("checkpoint", long, None).names("log_cut_short", long, None);
    let found = left.damaged(|db| {
        let sql = "UPDATE checkpoints SET (size, root, note) = (SELECT size, root, note FROM checkpoints WHERE log = ?1)
                   WHERE log <> ?1";
        change(db, 1, sql, [log]);
    });
    found.names("checkpoint", net, None);
    let (size, root, note) = &left.earlier;
    assert!(*size < left.log_size(net));
    let found = left.damaged(|db| {
        let sql = "UPDATE checkpoints SET size = ?2, root = ?3, note = ?4 WHERE log <> ?1";
        change(db, 1, sql, params![log, size, root, note]);
    });
    found.names("tile", net, None).only(&["tile"]);
    let found = left.damaged(|db| change(db, 1, "DELETE FROM checkpoints WHERE log = ?1", [log]));
    found.names("tile", long, None).only(&["tile"]);
    let found = left.damaged(|db| change(db, 1, "UPDATE checkpoints SET root = x'00' WHERE log = ?1", [log]));
    found.names("checkpoint", long, None);
    // A log that is gone, and what it leaves.
    let found = left.damaged(|db| change(db, 1, "DELETE FROM logs WHERE log = ?1", [log]));
    found.names_somewhere("stray").names("evidence_missing", long, None).only(&["stray", "evidence_missing"]);

    // The key: another one in the database, in the file, none, one for everybody to read.
    let another = Hub::start();
    let others = succeed(&another.client().get("/api/evidence/key"));
    let found = left.damaged(|db| change(db, 1, "UPDATE evidence_key SET key = ?1", [text(&others["key"])]));
    found.names_somewhere("key").names("checkpoint", net, None).names("checkpoint", long, None);
    let copy = left.copy();
    let file = copy.path().join("evidence.key");
    std::fs::copy(another.data_dir().join("evidence.key"), &file).unwrap();
    Found::by(copy.path()).names_somewhere("key").only(&["key"]);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    Found::by(copy.path()).names_somewhere("key").only(&["key"]);
    std::fs::remove_file(&file).unwrap();
    Found::by(copy.path()).names_somewhere("key").only(&["key"]);
    let secret = std::fs::read_to_string(another.data_dir().join("evidence.key")).unwrap();
    std::fs::write(&file, secret.trim_end().to_owned() + "x").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let said = check(copy.path(), &[]).exited(1);
    assert!(!said.stdout.contains(secret.trim_end()) && !said.stderr.contains(secret.trim_end()), "{said:?}");
}

#[test]
fn tables_that_were_changed_are_named() {
    let left = Left::make();
    let (net, completed, running) = (&*left.network, &*left.completed, &*left.running);
    let ended = left.index(completed, 3);
    /// A statement, what it is given, how many rows it changes, and what is named: a name and an event of the log.
    type Case<'a> = (&'a str, &'a str, usize, &'a [(&'a str, Option<i64>)]);
    let cases: [Case<'_>; 29] = [
        ("UPDATE tasks SET status = 'delivered' WHERE task_id = ?1", running, 1,
         &[("task_status", None), ("lease", None), ("task_count", None)]),
        ("UPDATE tasks SET status = 'lost' WHERE task_id = ?1", running, 1, &[("task_status", None)]),
        ("UPDATE tasks SET completed_at = NULL WHERE task_id = ?1", completed, 1, &[("task_end", None)]),
        ("UPDATE tasks SET content = 'another' WHERE task_id = ?1", completed, 1,
         &[("text_differs", Some(left.index(completed, 1)))]),
        ("UPDATE tasks SET result = 'another' WHERE task_id = ?1", completed, 1, &[("text_differs", Some(ended))]),
        ("UPDATE tasks SET kind = 'another' WHERE task_id = ?1", completed, 1, &[("change_differs", Some(ended))]),
        ("UPDATE tasks SET network = 999 WHERE task_id = ?1", completed, 1,
         &[("event_without_task", None), ("task_count", None)]),
        ("DELETE FROM task_events WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 3", completed, 1,
         &[("event_numbers", None), ("no_such_change", Some(ended)), ("no_such_change", Some(ended + 1))]),
        ("DELETE FROM task_events WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 2", completed, 1,
         &[("event_numbers", None), ("event_order", None), ("no_such_change", Some(ended - 1))]),
        ("UPDATE task_events SET actor = 'lead' WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 3", completed, 1,
         &[("change_differs", Some(ended))]),
        ("UPDATE task_events SET created_at = 1 WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 3", completed, 1,
         &[("change_differs", Some(ended))]),
        ("UPDATE task_events SET to_status = 'failed' WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 3", completed, 1,
         &[("task_status", None), ("change_differs", Some(ended))]),
        ("UPDATE task_events SET log_index = NULL WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 3", completed, 1,
         &[("no_such_change", Some(ended))]),
        ("INSERT INTO task_events (place, task, n, previous, from_status, to_status, actor_kind, actor, detail, created_at,
            log_index) SELECT (SELECT MAX(m.place) + 1 FROM task_events m WHERE m.network = task_events.network), task, 4, id, to_status, to_status, actor_kind, actor, detail, created_at,
            log_index FROM task_events WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 3", completed, 1, &[("evidence_of_another", None)]),
        ("DELETE FROM tasks WHERE task_id = ?1", running, 1,
         &[("event_without_task", None), ("task_count", None)]),
        ("UPDATE tasks SET inbox_state = 0 WHERE task_id = ?1", completed, 1,
         &[("task_end", None), ("inbox_count", None)]),
        ("UPDATE inbox_counts SET count = count + 1 WHERE network_id = ?1", net, 2, &[("inbox_count", None)]),
        ("UPDATE inbox_counts SET leases = leases + 1 WHERE network_id = ?1 AND to_name = 'coder'", net, 1,
         &[("inbox_count", None)]),
        ("UPDATE inbox_counts SET newest_frame = NULL WHERE network_id = ?1 AND to_name = 'coder'", net, 1,
         &[("inbox_count", None)]),
        ("UPDATE feed SET previous = NULL WHERE previous IS NOT NULL AND to_name = 'coder'
            AND network = (SELECT key FROM network_keys WHERE network_id = ?1)
            AND n = (SELECT MAX(n) FROM feed WHERE to_name = 'coder')", net, 1, &[("inbox_count", None)]),
        ("UPDATE tasks SET last_event = NULL WHERE task_id = ?1", running, 1, &[("event_numbers", None)]),
        ("UPDATE tasks SET last_event = last_event - 1 WHERE task_id = ?1", completed, 1, &[("event_numbers", None)]),
        ("UPDATE task_events SET previous = NULL WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 3",
         completed, 1, &[("event_order", None)]),
        ("UPDATE task_events SET previous = id + 5 WHERE task = (SELECT seq FROM tasks WHERE task_id = ?1) AND n = 3",
         completed, 1, &[("event_order", None)]),
        ("UPDATE task_counts SET count = count - 1 WHERE network_id = ?1 AND status = 'running'", net, 1,
         &[("task_count", None)]),
        ("UPDATE quotas SET used = used + 1 WHERE subject = ?1 AND kind = 'members'", net, 1,
         &[("quota_count", None)]),
        ("UPDATE edges SET open = open + 1 WHERE network_id = ?1", net, 1, &[("edge_count", None)]),
        ("UPDATE edges SET replied = 0, failed = 1 WHERE network_id = ?1", net, 1, &[("edge_count", None)]),
        ("DELETE FROM edges WHERE network_id = ?1", net, 1, &[("edge_count", None)]),
    ];
    for (sql, of, rows, expected) in cases {
        println!("{sql}");
        let found = left.damaged(|db| change(db, rows, sql, [of]));
        for (name, index) in expected {
            let network = if sql.contains("999") && *name == "task_count" { "999" } else { net };
            found.names(name, network, *index);
        }
    }
    let found = left.damaged(|db| {
        change(db, 1, "UPDATE tasks SET lease_id = NULL WHERE lease_id IS NOT NULL", []);
        change(db, 1, "UPDATE tasks SET lease_id = 'lease_0' WHERE task_id = ?1", [completed]);
    });
    found.names("lease", net, None);
    let found = left.damaged(|db| {
        change(db, 1, "UPDATE deliveries SET task = 999999 WHERE type = 'reply' AND task = (SELECT seq FROM tasks WHERE task_id = ?1)", [completed]);
    });
    found.names_somewhere("stray");
    let found = left
        .damaged(|db| change(db, 1, "DELETE FROM aliases WHERE network_id = ?1 AND alias = 'coder'", [net]));
    found.names("no_such_change", net, Some(0)).only(&["no_such_change"]);
    let found =
        left.damaged(|db| change(db, 2, "UPDATE evidence SET about = NULL WHERE about = ?1", [completed]));
    found.names("change_differs", net, Some(ended + 1)).only(&["change_differs"]);
    // All of a task gone, counters adjusted: only the log still tells of it.
    let copy = left.copy();
    let db = database(copy.path());
    let remove = "DELETE FROM tasks WHERE content = 'the first task';
        DELETE FROM task_events WHERE task NOT IN (SELECT seq FROM tasks);
        DELETE FROM deliveries WHERE task NOT IN (SELECT seq FROM tasks);
        UPDATE task_counts SET count = count - 1 WHERE status = 'replied'";
    without_triggers(&db, |db| db.execute_batch(remove).unwrap());
    drop(db);
    let said = check(copy.path(), &[]).exited(1).stdout;
    assert!(said.contains("which is not there"), "{said}");
}

#[test]
fn a_schema_that_was_changed_is_named_and_no_hub_starts_on_it() {
    let mut hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let (lead, _coder) = (tenant.agent("lead"), tenant.agent("coder"));
    send(&lead, "coder", "a task");
    assert!(hub.stop().success());
    let index: String = database(&hub.data_dir())
        .query_row("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL", [], |row| {
            row.get(0)
        })
        .unwrap();
    for (sql, what) in [
        ("DROP TRIGGER evidence_stays".into(), "trigger evidence_stays is missing".into()),
        (format!("DROP INDEX {index}"), format!("index {index} is missing")),
        (
            "DROP TRIGGER evidence_stays;
             CREATE TRIGGER evidence_stays BEFORE DELETE ON evidence BEGIN SELECT 1; END"
                .into(),
            "trigger evidence_stays was changed".into(),
        ),
        ("ALTER TABLE probe ADD COLUMN more TEXT".into(), "table probe was changed".into()),
        (
            "CREATE TRIGGER spy AFTER INSERT ON tasks BEGIN SELECT 1; END".to_owned(),
            "trigger spy was added".to_owned(),
        ),
    ] {
        let copy = tempfile::tempdir().unwrap();
        for name in ["hub.db", "evidence.key"] {
            std::fs::copy(hub.data_dir().join(name), copy.path().join(name)).unwrap();
        }
        database(copy.path()).execute_batch(&sql).unwrap();
        let said = check(copy.path(), &[]).exited(1).stdout;
        assert!(said.contains(&format!("schema: {what}\n")), "{said}");
        let start = ["hub", "start", "--port", "0", "--data-dir", copy.path().to_str().unwrap()];
        let said = program::baton(start).exited(2).stderr;
        assert!(said.contains(&what) && said.contains("`baton hub check`"), "{said}");
        assert!(said.contains("`baton hub restore`"), "{said}");
    }
    // Tables and indexes of others change nothing that the hub writes.
    database(&hub.data_dir())
        .execute_batch("CREATE TABLE theirs (x); CREATE INDEX own ON theirs (x)")
        .unwrap();
    hub.restart();
}

#[test]
fn what_cannot_be_read_is_told_with_exit_code_2() {
    let mut hub = Hub::start();
    assert!(hub.stop().success());
    let database_file = std::fs::read(hub.data_dir().join("hub.db")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hub.db");
    #[track_caller]
    fn refuses(folder: &Path, why: &str) {
        let said = check(folder, &[]).exited(2);
        assert!(said.stderr.starts_with("baton: cannot ") && said.stderr.contains(why), "{said:?}");
        assert_eq!((said.stderr.lines().count(), &*said.stdout), (1, ""), "{said:?}");
    }
    refuses(&folder.path().join("nowhere"), "No such file");
    refuses(folder.path(), "there is no hub in it");
    assert!(names(folder.path()).is_empty(), "a check makes nothing");
    std::fs::write(&path, "not a database, but long enough to look at: ".repeat(100)).unwrap();
    refuses(folder.path(), "not a database");
    std::fs::write(&path, "").unwrap();
    refuses(folder.path(), "not a Baton database");
    std::fs::write(&path, &database_file[..database_file.len() / 2]).unwrap();
    refuses(folder.path(), "");
    std::fs::write(&path, &database_file).unwrap();
    let newer = "INSERT INTO refinery_schema_history SELECT 999, 'later', applied_on, checksum FROM refinery_schema_history
                 WHERE version = 1";
    change(&database(folder.path()), 1, newer, []);
    refuses(folder.path(), "a newer baton");
    let older = "DELETE FROM refinery_schema_history
                 WHERE version >= (SELECT MAX(version) FROM refinery_schema_history WHERE version < 999)";
    change(&database(folder.path()), 2, older, []);
    refuses(folder.path(), "an older baton");
}

/// The checkpoint of a network as the database has it.
fn checkpoint(folder: &Path, network: &str) -> (i64, String) {
    let sql = "SELECT size, note FROM checkpoints c JOIN logs l ON l.log = c.log WHERE network_id = ?1";
    database(folder).query_row(sql, [network], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

#[test]
fn a_log_that_was_rewritten_is_not_signed_again_while_others_are() {
    let cut = "DELETE FROM evidence WHERE place >= (SELECT log << 36 | 3 FROM logs WHERE network_id = ?1)
               AND place < (SELECT (log + 1) << 36 FROM logs WHERE network_id = ?1)";
    let tile = "UPDATE tiles SET hashes = CAST(CASE substr(hashes, 1, 1) WHEN x'00' THEN x'01' ELSE x'00' END || substr(hashes, 2) AS BLOB)
                WHERE log = (SELECT log FROM logs WHERE network_id = ?1)";
    // Cut short and as short still; cut short and grown past its old length; another tile.
    for (damage, rows, more) in [(cut, 2, 1), (cut, 2, 4), (tile, 1, 1)] {
        let mut hub = Hub::start();
        let (one, two) = (Tenant::of_admin(&hub), Tenant::register(&hub, "two"));
        let (lead, _coder) = (one.agent("lead"), one.agent("coder"));
        let (other, _worker) = (two.agent("lead"), two.agent("coder"));
        for number in 0..5 {
            send(&lead, "coder", &format!("task {number}"));
            send(&other, "coder", &format!("task {number}"));
        }
        assert!(hub.stop().success());
        let folder = hub.data_dir();
        let (before, of_two) = (checkpoint(&folder, &one.network_id), checkpoint(&folder, &two.network_id));
        assert_eq!((before.0, of_two.0), (5, 5));
        hub.was_damaged = true;
        let db = database(&folder);
        without_triggers(&db, |db| change(db, rows, damage, [&one.network_id]));
        drop(db);

        hub.restart();
        for number in 0..more {
            send(&lead, "coder", &format!("later {number}"));
            send(&other, "coder", &format!("later {number}"));
        }
        assert!(hub.stop().success());
        assert_eq!(checkpoint(&folder, &one.network_id), before, "{damage}, {more} more");
        assert_eq!(checkpoint(&folder, &two.network_id).0, 5 + more, "{damage}, {more} more");
        let log = hub.log();
        assert!(log.contains("it is not signed") && log.contains(&one.network_id), "{log}");
        Found::by(&folder);
    }
}

#[test]
fn a_key_that_is_gone_or_exchanged_stops_the_start_and_the_file_is_its_owners_alone() {
    let mut hub = Hub::start();
    let key = succeed(&hub.client().get("/api/evidence/key"));
    let file = hub.data_dir().join("evidence.key");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(hub.stop().success());
    let refuses = |why: &str| {
        let mut start = baton();
        start.args(["hub", "start", "--port", "0", "--data-dir"]).arg(hub.data_dir());
        let said = start.output().unwrap();
        let error = String::from_utf8(said.stderr).unwrap();
        assert_eq!(said.status.code(), Some(2), "{error}");
        assert!(error.contains("cannot sign evidence with") && error.contains(why), "{error}");
        error
    };
    let secret = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let error = refuses("it is missing, and the hub's checkpoints are signed with it");
    assert!(error.contains(&text(&key["key"])), "{error}");
    assert!(!file.exists(), "no other key was made");

    let another = Hub::start();
    std::fs::copy(another.data_dir().join("evidence.key"), &file).unwrap();
    let error = refuses("it is not the key that this hub's checkpoints are signed with");
    assert!(error.contains(&text(&key["key"])), "{error}");

    std::fs::write(&file, &secret).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    refuses("others than its owner may read it");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    hub.restart();
    assert_eq!(succeed(&hub.client().get("/api/evidence/key")), key);
}
