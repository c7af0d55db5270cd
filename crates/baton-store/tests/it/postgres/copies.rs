//! Everything copied from one engine to the other and back: no row is lost, added or changed, and a copy that is cut off leaves
//! an empty database.

use super::super::engine::{self, Engine};
use super::super::fixtures::{insert_network, insert_task, network, task_id};
use super::super::postgres::{database_of, empty_database, forget, run_on, settings};
use baton_store::rows::NewLeaf;
use baton_store::{Error, Filled, PostgresOptions, PostgresStore, Store, copy_postgres, fill_postgres};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// The tables that each engine fills for itself.
const OWN: [&str; 3] = ["numbers", "probe", "refinery_schema_history"];

fn fill(address: &str, from: &Path, mark: &str) -> Result<Filled, Error> {
    fill_postgres(&settings(address), from, mark, |_| {})
}

fn tables(database: &Connection) -> Vec<String> {
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut statement = database.prepare(sql).unwrap();
    let names = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    names.map(Result::unwrap).filter(|name| !OWN.contains(&&**name)).collect()
}

/// Every row of every table that is copied, with numbers of logs replaced by their networks: they differ by engine.
fn rows(path: &Path) -> BTreeMap<String, Vec<String>> {
    let database = Connection::open(path).unwrap();
    let mut all = BTreeMap::new();
    for table in tables(&database) {
        let columns = match &*table {
            "logs" => "network_id, bundled".to_owned(),
            "checkpoints" | "tiles" | "reported_packets" => format!(
                "(SELECT network_id FROM logs WHERE logs.log = {table}.log), {}",
                match &*table {
                    "checkpoints" => "size, root, note, sealed_at",
                    "tiles" => "level, n, hashes",
                    _ => "reporter_kind, reporter, sha256, log_index",
                }
            ),
            "evidence" => "(SELECT network_id FROM logs WHERE log = place >> 36), place & 68719476735, about, event, packet".into(),
            "entry_bundles" => "(SELECT network_id FROM logs WHERE log = first >> 36), first & 68719476735, events, packets".into(),
            "entry_tasks" => "(SELECT network_id FROM logs WHERE log = place >> 36), place & 68719476735, about".into(),
            // Logs are numbered again wherever they come to.
            "removals" => "network_id, log IS NULL, network".into(),
            "users" | "networks" | "tokens" => "rowid, *".into(),
            // Armed again wherever they come to.
            "tasks" => "seq, task_id, network, status, content, meta, lease_id, lease_seconds, last_event, salt, due_at, artifacts".into(),
            _ => "*".into(),
        };
        let mut statement = database.prepare(&format!("SELECT {columns} FROM {table}")).unwrap();
        let count = statement.column_count();
        let found = statement.query_map([], |row| {
            Ok((0..count)
                .map(|at| format!("{:?}", row.get_unwrap::<_, Value>(at)))
                .collect::<Vec<_>>()
                .join("|"))
        });
        let mut found: Vec<String> = found.unwrap().map(Result::unwrap).collect();
        found.sort();
        all.insert(table, found);
    }
    all
}

/// A hub's database with tasks, evidence, and a row in every table that has none yet.
async fn made() -> Engine {
    let engine = Engine::new(engine::sqlite);
    // Logs have other numbers than their networks: the second network's log comes first.
    for n in [1, 2] {
        engine.store.write(move |tx| insert_network(tx, n)).await.unwrap();
    }
    for (n, of) in [(0, 1), (1, 1), (2, 2)] {
        engine.store.write(move |tx| insert_task(tx, of, n, "coder")).await.unwrap();
    }
    for (index, of) in [(0, 2), (0, 1), (1, 2), (1, 1)] {
        engine
            .store
            .write(move |tx| {
                tx.append_leaf(NewLeaf {
                    network_id: &network(of),
                    index,
                    about: Some(&task_id(of.into())),
                    event: format!("event {index}").as_bytes(),
                    packet: b"packet \0 with bytes \xff",
                })
            })
            .await
            .unwrap();
    }
    engine.store.close();
    let path = engine.folder.path().join("hub.db");
    let database = Connection::open(&path).unwrap();
    database.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false).unwrap();
    let sql = "UPDATE tasks SET content = ?1, lease_id = 'l1', lease_seconds = 60, lease_deadline = 5, lease_expires_at = 6
               WHERE seq = (SELECT MIN(seq) FROM tasks)";
    database.execute(sql, ["a text with \u{0}, \u{10FFFE} and ü"]).unwrap();
    let mut tables = tables(&database);
    // Rows of others refer to these.
    tables.sort_by_key(|table| !["users", "artifacts", "tokens"].contains(&&**table));
    for table in tables {
        let rows: i64 =
            database.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        if rows == 0 {
            add_a_row(&database, &table);
        }
    }
    engine
}

/// A row with something in every column.
fn add_a_row(database: &Connection, table: &str) {
    let sql = format!("SELECT name, type, pk FROM pragma_table_xinfo('{table}') WHERE hidden = 0");
    let mut statement = database.prepare(&sql).unwrap();
    let columns: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    let user = "(SELECT user_id FROM users LIMIT 1)".to_owned();
    let value = |(name, kind): &(String, String)| match (&**name, &**kind) {
        ("log", _) => "(SELECT log FROM logs LIMIT 1)".into(),
        ("first", _) => "((SELECT MAX(log) FROM logs) << 36)".into(),
        ("place", _) if table == "entry_tasks" => "((SELECT MIN(log) FROM logs) << 36 | 7)".into(),
        ("place", _) => "1 << 40 | 900".into(),
        ("one", _) => "1".into(),
        ("network", _) => "1".into(),
        ("artifact", _) => "(SELECT seq FROM artifacts LIMIT 1)".into(),
        ("token_id", _) if ["oauth_accesses", "oauth_refreshes"].contains(&table) => {
            "(SELECT token_id FROM tokens LIMIT 1)".into()
        }
        ("network_id", _) => "(SELECT network_id FROM networks LIMIT 1)".into(),
        ("user_id" | "owner_id" | "invited_by" | "created_by", _) => user.clone(),
        (_, "INTEGER") => "1".into(),
        (_, "REAL") => "0.25".into(),
        (_, "BLOB") => "x'00ff01'".into(),
        (name, _) => format!("'{table}.{name} ''ü'''"),
    };
    let names: Vec<&str> = columns.iter().map(|(name, _)| &**name).collect();
    let values: Vec<String> = columns.iter().map(value).collect();
    let sql = format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "));
    database.execute(&sql, []).unwrap_or_else(|error| panic!("{sql}: {error}"));
}

#[tokio::test]
async fn everything_goes_from_sqlite_to_postgres_and_back_row_by_row() {
    let engine = made().await;
    let path = engine.folder.path().join("hub.db");
    let before = rows(&path);
    assert!(before.values().all(|rows| !rows.is_empty()), "every table has rows");
    let folder = tempfile::tempdir().unwrap();
    let address = empty_database(folder.path());
    assert_eq!(fill(&address, &path, "backup 1").unwrap(), Filled::Now);

    let back = folder.path().join("back.db");
    File::create(&back).unwrap();
    copy_postgres(&settings(&address), &back, |_| {}).unwrap();
    let after = rows(&back);
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (table, rows) in &before {
        assert_eq!(rows, &after[table], "{table}");
    }

    // The same backup again is known, and another one is refused; neither changes anything.
    assert_eq!(fill(&address, &back, "backup 1").unwrap(), Filled::Before);
    let error = fill(&address, &back, "backup 2").unwrap_err();
    assert!(error.cause().contains("not empty"), "{error}");

    // A hub goes on there: numbers, logs and leases continue.
    run_on(&address, "DELETE FROM removals"); // the row of a test; a hub would remove that network
    let store =
        PostgresStore::open(&settings(&address), PostgresOptions::default(), Arc::new(|_| {})).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    let sizes =
        store.read(|rows| Ok::<_, Error>([rows.log_size(&network(1))?, rows.log_size(&network(2))?])).await;
    assert_eq!(sizes.unwrap(), [2, 2]);
    store.write(|tx| insert_task(tx, 1, 40, "coder")).await.unwrap();
    store
        .write(|tx| {
            let index = tx.log_size(&network(1))?;
            assert_eq!(index, 2);
            tx.append_leaf(NewLeaf { network_id: &network(1), index, about: None, event: b"e", packet: b"p" })
        })
        .await
        .unwrap();
    store.close();
    forget(folder.path());
}

#[tokio::test]
async fn a_restore_that_is_cut_off_leaves_an_empty_database() {
    let engine = made().await;
    let path = engine.folder.path().join("hub.db");
    // A row that PostgreSQL does not accept comes late.
    let database = Connection::open(&path).unwrap();
    database.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false).unwrap();
    database.execute("INSERT INTO tiles (log, level, n, hashes) VALUES (99, 0, 0, x'00')", []).unwrap();
    drop(database);
    let folder = tempfile::tempdir().unwrap();
    let address = empty_database(folder.path());
    let error = fill(&address, &path, "backup 1").unwrap_err();
    assert!(error.cause().contains("log 99"), "{error}");
    let left = baton_store::inspect_postgres(&settings(&address), |_| Ok::<_, Error>(())).unwrap_err();
    assert!(left.cause().contains("there is no hub in the database"), "{left}");
    let database = Connection::open(&path).unwrap();
    database.execute("DELETE FROM tiles WHERE log = 99", []).unwrap();
    drop(database);
    assert_eq!(fill(&address, &path, "backup 1").unwrap(), Filled::Now);
    forget(folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_under_load_has_everything_that_was_answered_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let address = database_of(folder.path());
    let store =
        PostgresStore::open(&settings(&address), PostgresOptions::default(), Arc::new(|_| {})).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    store.write(|tx| insert_network(tx, 1)).await.unwrap();
    for n in 0..50 {
        store.write(move |tx| insert_task(tx, 1, n, "coder")).await.unwrap();
    }
    let writing = store.clone();
    let writer = tokio::spawn(async move {
        for n in 50..250 {
            writing.write(move |tx| insert_task(tx, 1, n, "coder")).await.unwrap();
        }
    });
    let copy = folder.path().join("copy.db");
    File::create(&copy).unwrap();
    copy_postgres(&settings(&address), &copy, |_| {}).unwrap();
    writer.await.unwrap();
    let found = rows(&copy);
    let tasks = found["tasks"].len();
    assert!((50..=250).contains(&tasks), "{tasks}");
    // One state: each task has been counted.
    assert!(
        found["task_counts"].iter().any(|row| row.contains(&format!("Integer({tasks})"))),
        "{tasks}: {:?}",
        found["task_counts"]
    );
    fs::write(folder.path().join("full.db"), "x").unwrap();
    assert!(copy_postgres(&settings(&address), &folder.path().join("full.db"), |_| {}).is_err());
    store.close();
    forget(folder.path());
}
