//! An empty database on PostgreSQL filled from a SQLite file, in one transaction: whatever happens on the way, the database is
//! empty or has all of it. Which file it was is noted in the same transaction, so that a restore that was cut off after its
//! COMMIT is not taken for another one.

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use std::collections::HashMap;
use std::path::Path;

use super::copy_out::identities;
use super::parameter::Parameter;
use super::schema;
use super::scope::Ask;
use super::session::Session;
use super::settings::ConnectionSettings;
use super::tables::Table;
use super::{in_a_thread, quiet_meter};
use crate::copy::CopyProgress;
use crate::error::Error;
use crate::sqlite::{connection, upgrade};

/// How a connection is set up that writes everything at once.
const SETTINGS: &str =
    "SET jit = off; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";

/// How many low bits of a key are an index: the rest is the number of a log.
const INDEX_BITS: u32 = 36; // not a limit: a stored form

/// Columns with the number of a log, and columns that have it in their high bits.
const LOGS: [(&str, &str); 5] = [
    ("logs", "log"),
    ("checkpoints", "log"),
    ("tiles", "log"),
    ("reported_packets", "log"),
    ("removals", "log"),
];
const PLACES: [(&str, &str); 3] =
    [("evidence", "place"), ("entry_bundles", "first"), ("entry_tasks", "place")];

/// What became of a database that was to be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// It has everything now.
    Now,
    /// It was filled from the same file before.
    Before,
}

/// Fills an empty database from a SQLite file that nobody else has open. A file of an earlier schema is upgraded first, in
/// place. `mark` tells this file from others.
pub fn fill_postgres(
    connection: &ConnectionSettings,
    from: &Path,
    mark: &str,
    mut tell: impl FnMut(CopyProgress) + Send,
) -> Result<Filled, Error> {
    in_a_thread("filling the database", || {
        let session = Session::connect(connection, SETTINGS, quiet_meter())?;
        session.command("BEGIN")?;
        schema::lock(&session)?;
        if schema::restored_from(&session)?.as_deref() == Some(mark) {
            return Ok(Filled::Before);
        }
        schema::refuse_tables(&session)?;
        let source = open(from)?;
        schema::migrate_here(&session)?;
        let tables = Table::all(&session, &source)?;
        let logs = numbers_of_logs(&source)?;
        for (done, table) in tables.iter().enumerate() {
            tell(CopyProgress { pages: done as u64, of: tables.len() as u64 });
            fill_table(&session, &source, table, &logs)?;
        }
        for table in &tables {
            session.command(&format!("ALTER TABLE {} ENABLE TRIGGER USER", table.name))?;
        }
        fill_heads(&session)?;
        arm_leases(&session)?;
        set_numbers(&session, &source, &tables)?;
        // It may be filled with bundles that older programs cannot read, and no trigger has looked.
        schema::refuse_older(&session)?;
        schema::note_restored(&session, mark)?;
        session.command("COMMIT")?;
        Ok(Filled::Now)
    })
}

fn open(from: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut source = Connection::open_with_flags(from, flags)?;
    connection::prepare(&source)?;
    upgrade::migrate(&mut source)?;
    Ok(source)
}

/// A log has the number of its network here, and one of its own on SQLite.
fn numbers_of_logs(source: &Connection) -> Result<HashMap<i64, i64>, Error> {
    let sql = "SELECT l.log, k.key FROM logs l LEFT JOIN network_keys k ON k.network_id = l.network_id
               UNION ALL SELECT log, network FROM removals WHERE log IS NOT NULL";
    let mut statement = source.prepare(sql)?;
    let pairs = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?)))?;
    let mut numbers = HashMap::new();
    for pair in pairs {
        let (log, key) = pair?;
        let key = key.ok_or_else(|| Error::Corrupt(format!("log {log} is of a network without a key")))?;
        numbers.insert(log, key);
    }
    Ok(numbers)
}

/// What is done with a value on its way.
#[derive(Clone, Copy)]
enum Change {
    Nothing,
    Log,
    Place,
}

fn fill_table(
    session: &Session,
    source: &Connection,
    table: &Table,
    logs: &HashMap<i64, i64>,
) -> Result<(), Error> {
    let (name, columns) = (&table.name, table.column_list());
    // The rows were counted and checked where they come from.
    session.command(&format!("ALTER TABLE {name} DISABLE TRIGGER USER; DELETE FROM {name}"))?;
    let changes: Vec<Change> = table.columns.iter().map(|(column, _)| change_of(name, column)).collect();
    let mut statement = source.prepare(&format!("SELECT {columns} FROM {name}"))?;
    let mut rows = statement.query([])?;
    let types: Vec<_> = table.columns.iter().map(|(_, column_type)| column_type.clone()).collect();
    session.copy_in(&format!("COPY {name} ({columns}) FROM STDIN BINARY"), &types, || {
        let Some(row) = rows.next()? else { return Ok(None) };
        let values = changes.iter().enumerate().map(|(at, change)| {
            let value = row.get::<_, Value>(at)?;
            changed(*change, value, logs, name).map(Parameter)
        });
        values.collect::<Result<Vec<_>, Error>>().map(Some)
    })
}

fn change_of(table: &str, column: &str) -> Change {
    if LOGS.contains(&(table, column)) {
        Change::Log
    } else if PLACES.contains(&(table, column)) {
        Change::Place
    } else {
        Change::Nothing
    }
}

fn changed(change: Change, value: Value, logs: &HashMap<i64, i64>, table: &str) -> Result<Value, Error> {
    let key = |log: i64| {
        let key = logs.get(&log).copied();
        key.ok_or_else(|| Error::Corrupt(format!("{table} has rows of the log {log}, which is not there")))
    };
    Ok(match (change, value) {
        (Change::Log, Value::Integer(log)) => Value::Integer(key(log)?),
        (Change::Place, Value::Integer(place)) => {
            let index = place & ((1 << INDEX_BITS) - 1);
            Value::Integer(key(place >> INDEX_BITS)? << INDEX_BITS | index)
        }
        (_, value) => value,
    })
}

/// The newest numbers of each network, as a hub on SQLite would find them.
fn fill_heads(session: &Session) -> Result<(), Error> {
    session.command(
        "DELETE FROM heads;
         INSERT INTO heads (network, version, event_number, frame, log_size, newest)
         SELECT k.key, 1,
             COALESCE((SELECT COALESCE(e.number, e.log_index + 1) FROM task_events e
                       WHERE e.place >= k.key << 40 AND e.place < (k.key + 1) << 40 ORDER BY e.place DESC LIMIT 1), 0),
             COALESCE((SELECT f.n FROM feed f
                       WHERE f.place >= k.key << 40 AND f.place < (k.key + 1) << 40 ORDER BY f.place DESC LIMIT 1), 0),
             (SELECT GREATEST(l.bundled, COALESCE((SELECT (v.place & 68719476735) + 1 FROM evidence v
                       WHERE v.place >= l.log << 36 AND v.place < (l.log + 1) << 36 ORDER BY v.place DESC LIMIT 1), 0))
              FROM logs l WHERE l.network_id = k.network_id),
             COALESCE((SELECT e.created_at FROM task_events e
                       WHERE e.place >= k.key << 40 AND e.place < (k.key + 1) << 40 ORDER BY e.place DESC LIMIT 1), 0)
         FROM network_keys k",
    )
}

/// Every lease has its whole time again, as after a start on SQLite.
fn arm_leases(session: &Session) -> Result<(), Error> {
    session.command(
        "UPDATE tasks SET lease_deadline = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + lease_seconds * 1000,
             lease_expires_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + lease_seconds * 1000
         WHERE lease_id IS NOT NULL",
    )
}

/// No number that was given out is given out again.
fn set_numbers(session: &Session, source: &Connection, tables: &[Table]) -> Result<(), Error> {
    let (place, event): (i64, i64) =
        source.query_row("SELECT place, event FROM numbers WHERE one = 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let set = |sequence: &str, number: i64| {
        let sql = "SELECT setval(?1::text::regclass, ?2::bigint, true)".to_owned();
        let parameters = vec![Parameter(Value::Text(sequence.to_owned())), Parameter(Value::Integer(number))];
        if number < 1 { Ok(()) } else { session.ask(&[Ask { sql, parameters }]).map(drop) }
    };
    set("places", place)?;
    set("events", event)?;
    let mut given = source.prepare("SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = ?1")?;
    for (table, sequence, column) in identities(session, tables)? {
        let sql = format!("SELECT COALESCE(MAX({column}), 0) FROM {table}");
        let highest: i64 = source.query_row(&sql, [], |row| row.get(0))?;
        let given: i64 = given.query_row([&table], |row| row.get(0))?;
        set(&sequence, highest.max(given))?;
    }
    Ok(())
}
