//! A database written through the gathered WAL is the same as without it, for whoever reads beside it and after a kill.

#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use rusqlite::{Connection, OpenFlags, params};
use std::collections::BTreeMap;
use std::path::Path;

fn writer(path: &Path) -> Connection {
    let connection =
        Connection::open_with_flags_and_vfs(path, OpenFlags::default(), baton_wal::name().unwrap()).unwrap();
    connection.pragma_update(None, "synchronous", "FULL").unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    connection
}

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn rows(connection: &Connection) -> BTreeMap<i64, Vec<u8>> {
    let mut statement = connection.prepare("SELECT key, value FROM rows").unwrap();
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

/// Changes rows by chance, in the database and in what is expected of it.
fn change(database: &Connection, dice: &mut Dice, expected: &mut BTreeMap<i64, Vec<u8>>) {
    for _ in 0..dice.roll(40) {
        let key = dice.roll(300) as i64;
        if dice.roll(4) == 0 {
            database.execute("DELETE FROM rows WHERE key = ?1", [key]).unwrap();
            expected.remove(&key);
        } else {
            let value = vec![dice.roll(256) as u8; dice.roll(9_000) as usize];
            database.execute("INSERT OR REPLACE INTO rows VALUES (?1, ?2)", params![key, value]).unwrap();
            expected.insert(key, value);
        }
    }
}

#[test]
fn commits_made_by_chance_are_seen_beside_the_writer_and_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.db");
    let database = writer(&path);
    database.execute("CREATE TABLE rows (key INTEGER PRIMARY KEY, value BLOB NOT NULL)", []).unwrap();
    // So small that pages of a transaction are written before it ends, read back and written over.
    database.pragma_update(None, "cache_size", 12).unwrap();
    let beside = Connection::open(&path).unwrap();
    let (mut dice, mut committed) = (Dice(7), BTreeMap::new());
    for turn in 0..300 {
        let mut expected = committed.clone();
        database.execute_batch("BEGIN IMMEDIATE").unwrap();
        change(&database, &mut dice, &mut expected);
        if dice.roll(3) == 0 {
            let before = expected.clone();
            database.execute_batch("SAVEPOINT part").unwrap();
            change(&database, &mut dice, &mut expected);
            database.execute_batch("ROLLBACK TO part").unwrap();
            expected = before;
        }
        assert_eq!(rows(&database), expected, "turn {turn}: the writer sees its own changes");
        assert_eq!(rows(&beside), committed, "turn {turn}: nobody else does");
        if dice.roll(4) == 0 {
            database.execute_batch("ROLLBACK").unwrap();
        } else {
            database.execute_batch("COMMIT").unwrap();
            committed = expected;
        }
        assert_eq!(rows(&beside), committed, "turn {turn}");
        match dice.roll(10) {
            0 => assert_eq!(after_a_kill(&path), committed, "turn {turn}"),
            1 => beside.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap(),
            2 => database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap(),
            _ => {}
        }
    }
    drop((database, beside));
    let found = Connection::open(&path).unwrap();
    assert_eq!(rows(&found), committed);
    let check: String = found.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

/// What a process finds that opens the files as they lie there now, without the writer's memory.
fn after_a_kill(path: &Path) -> BTreeMap<i64, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("rows.db");
    std::fs::copy(path, &copy).unwrap();
    std::fs::copy(path.with_extension("db-wal"), copy.with_extension("db-wal")).unwrap();
    rows(&Connection::open(&copy).unwrap())
}

#[test]
fn a_commit_is_written_with_one_call() {
    let folder = tempfile::tempdir().unwrap();
    let database = writer(&folder.path().join("rows.db"));
    database.execute("CREATE TABLE rows (key INTEGER PRIMARY KEY, value BLOB NOT NULL)", []).unwrap();
    let calls = || {
        let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
        io.lines().find_map(|line| line.strip_prefix("syscw: ")).unwrap().parse::<u64>().unwrap()
    };
    let before = calls();
    database.execute("INSERT INTO rows VALUES (1, ?1)", [vec![7u8; 100_000]]).unwrap();
    assert_eq!(calls() - before, 1, "25 pages and more");
}

#[test]
fn a_disk_that_is_full_refuses_the_commit_and_the_next_one_finds_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.db");
    let database = writer(&path);
    database.execute("CREATE TABLE rows (key INTEGER PRIMARY KEY, value BLOB NOT NULL)", []).unwrap();
    database.execute("INSERT INTO rows VALUES (1, x'01')", []).unwrap();
    // More pages than the database may have: the commit ends before its sync.
    database.pragma_update(None, "max_page_count", 10).unwrap();
    assert!(database.execute("INSERT INTO rows VALUES (2, ?1)", [vec![7u8; 100_000]]).is_err());
    assert_eq!(after_a_kill(&path).len(), 1);
    database.execute("INSERT INTO rows VALUES (3, x'03')", []).unwrap();
    assert_eq!(after_a_kill(&path).keys().copied().collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn what_is_written_to_the_wal_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.db");
    let database = writer(&path);
    database.execute("CREATE TABLE rows (key INTEGER PRIMARY KEY, value BLOB NOT NULL)", []).unwrap();
    let wal = path.with_extension("db-wal");
    let size = || std::fs::metadata(&wal).unwrap().len();
    let (before, counted) = (size(), baton_wal::written_bytes());
    for key in 0..50 {
        database.execute("INSERT INTO rows VALUES (?1, zeroblob(3000))", [key]).unwrap();
    }
    // Tests of this file may run beside this one, in the same process.
    let (grown, counted) = (size() - before, baton_wal::written_bytes() - counted);
    assert!(grown > 50 * 3_000 && counted >= grown, "{counted} of {grown} bytes are counted");
}
