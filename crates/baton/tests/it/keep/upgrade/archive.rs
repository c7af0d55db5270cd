//! Folders of earlier releases with everything a hub keeps in one. `tests/upgrade/make.py` ran the programs of schema 2 and
//! 12, used each over HTTP and packed what it left, with what it answered about it (`then.json`). Such a folder is made
//! into one of a later schema as a hub of that release would have made it: by the migrations up to that schema. For an
//! earlier schema its rows are copied down: what that schema has tables and columns for.

use flate2::read::GzDecoder;
use refinery_core::Target;
use rusqlite::{Connection, params};
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::migrations;

/// The archive that a folder with a schema is made of: the older one has less in it, and was really upgraded up to here.
const fn archive_for(schema: i64) -> i64 {
    if schema <= 8 { 2 } else { 12 }
}

/// The first schema with a log.
pub(super) const WITH_LOG: i64 = 2;

/// What the old hub answered before it stopped.
pub(super) struct Then(pub(super) Value);

impl Then {
    /// The networks, as they were.
    pub(super) fn networks(&self) -> &[Value] {
        self.0["networks"].as_array().unwrap()
    }

    /// Without a log tasks had no salts; an upgrade draws them.
    fn forget_salts(&mut self) {
        for network in self.0["networks"].as_array_mut().unwrap() {
            for seen in network["tasks"].as_array_mut().unwrap() {
                seen["task"].as_object_mut().unwrap().remove("evidence_salt");
            }
        }
    }

    /// The id of the task that `make.py` gave this name; none if that release had no such task.
    pub(super) fn named(&self, name: &str) -> Option<&str> {
        self.0["tasks_named"][name].as_str()
    }
}

/// Lays out the folder of a release with this schema.
pub(super) fn lay_out(folder: &Path, schema: i64) -> Then {
    lay_out_with(folder, schema, |_, _| ())
}

/// The same with further rows, put in under the schema of the archive.
pub(super) fn lay_out_with(folder: &Path, schema: i64, more: impl FnOnce(&Connection, &Then)) -> Then {
    let archived = archive_for(schema);
    let mut then = unpack(archived, folder);
    let database = folder.join("hub.db");
    let mut db = Connection::open(&database).unwrap();
    put_forward(&db);
    more(&db, &then);
    if schema >= archived {
        migrations().set_target(target(schema)).run(&mut db).unwrap();
        return then;
    }
    drop(db);
    copy_down(&database, schema);
    if schema < WITH_LOG {
        std::fs::remove_file(folder.join("evidence.key")).unwrap();
        then.forget_salts();
    }
    then
}

fn target(schema: i64) -> Target {
    Target::Version(schema.try_into().unwrap())
}

fn unpack(schema: i64, folder: &Path) -> Then {
    let name = format!("schema-{schema}.tar.gz");
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/upgrade")).join(name);
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(path).unwrap()));
    let beside: PathBuf = folder.with_extension("unpacked");
    archive.unpack(&beside).unwrap();
    std::fs::rename(beside.join("data"), folder).unwrap();
    let then = std::fs::read(beside.join("then.json")).unwrap();
    std::fs::remove_dir_all(beside).unwrap();
    Then(serde_json::from_slice(&then).unwrap())
}

/// Archives grow old: what would have ended by its time since then is put forward, as if the hub had just stopped.
fn put_forward(db: &Connection) {
    let day = 86_400_000;
    db.execute_batch(&format!(
        "UPDATE tasks SET expires_at = unixepoch() * 1000 + {day} WHERE completed_at IS NULL;
         UPDATE deliveries SET created_at = unixepoch() * 1000 WHERE type <> 'task';
         UPDATE idempotency_keys SET created_at = unixepoch() * 1000;"
    ))
    .unwrap();
}

/// Makes the database into one of an older schema, which has a part of its tables and columns.
fn copy_down(database: &Path, schema: i64) {
    let newer = database.with_extension("newer");
    std::fs::rename(database, &newer).unwrap();
    let mut db = Connection::open(database).unwrap();
    migrations().set_target(target(schema)).run(&mut db).unwrap();
    db.execute("ATTACH ?1 AS newer", [newer.to_str().unwrap()]).unwrap();
    let names = |sql: &str| -> Vec<String> {
        let mut query = db.prepare(sql).unwrap();
        query.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    };
    let tables = names(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'refinery%'
            AND name IN (SELECT name FROM newer.sqlite_schema)",
    );
    // Rows that others refer to may come after them.
    db.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    for table in tables {
        let columns = names(&format!(
            "SELECT name FROM pragma_table_info('{table}', 'main')
                WHERE name IN (SELECT name FROM pragma_table_info('{table}', 'newer'))"
        ));
        let columns = columns.join(", ");
        // Some tables have a row from the beginning.
        let copy =
            format!("INSERT OR REPLACE INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}");
        db.execute(&copy, []).unwrap();
    }
    db.execute("DETACH newer", []).unwrap();
    std::fs::remove_file(newer).unwrap();
}

/// Tasks that ended before there was a log, so that an upgrade takes a while. They have two events each.
pub(super) fn add_tasks(db: &Connection, then: &Then, count: i64) {
    let network = then.networks()[0]["network_id"].as_str().unwrap();
    let made = 1_700_000_000_000_i64; // in 2023
    db.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         INSERT INTO tasks (task_id, network_id, from_kind, from_name, to_name, kind, priority, status, content, result,
            attempt, max_attempts, ttl_seconds, created_at, delivered_at, completed_at, expires_at)
         SELECT printf('018bcfe5-6800-7000-8000-%012x', i), ?1, 'node', 'lead', 'coder', 'request', 'normal', 'replied',
            printf('task %d ', i) || hex(randomblob(200)), 'done', 1, 3, 3600, ?3, ?3, ?3, ?3 FROM n",
        params![network, count, made],
    )
    .unwrap();
    db.execute(
        "INSERT INTO task_events (network_id, task_id, n, from_status, to_status, actor_kind, actor, detail, created_at)
         SELECT network_id, task_id, step.n, step.left, step.reached, 'node', step.actor, '', created_at
         FROM tasks, (SELECT 1 AS n, NULL AS left, 'delivered' AS reached, 'lead' AS actor
                      UNION ALL SELECT 2, 'delivered', 'replied', 'coder') AS step
         WHERE created_at = ?1",
        [made],
    )
    .unwrap();
    let counted = "UPDATE task_counts SET count = count + ?2 WHERE network_id = ?1 AND status = 'replied'";
    assert_eq!(db.execute(counted, params![network, count]), Ok(1));
}
