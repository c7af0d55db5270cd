//! A copy of a database on PostgreSQL as a SQLite file, which is what a backup holds whichever engine it is of. It is read in
//! one state of the database, while hubs go on writing, and row by row.

use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use std::path::Path;

use super::schema;
use super::scope::Ask;
use super::session::Session;
use super::settings::ConnectionSettings;
use super::tables::Table;
use super::{in_a_thread, quiet_meter};
use crate::copy::CopyProgress;
use crate::error::Error;
use crate::sqlite::upgrade;

/// How a connection is set up that reads everything.
const SETTINGS: &str =
    "SET jit = off; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";

/// Copies everything into a file that exists and is empty. Whoever asked for the copy syncs it.
pub fn copy_postgres(
    connection: &ConnectionSettings,
    to: &Path,
    mut tell: impl FnMut(CopyProgress) + Send,
) -> Result<(), Error> {
    in_a_thread("copying the database", || {
        let session = Session::connect(&connection.for_reading(), SETTINGS, quiet_meter())?;
        session.command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        schema::refuse_other(&session)?;
        let copy = create(to)?;
        let tables = Table::all(&session, &copy)?;
        copy.execute_batch("BEGIN")?;
        for (done, table) in tables.iter().enumerate() {
            tell(CopyProgress { pages: done as u64, of: tables.len() as u64 });
            copy_table(&session, &copy, table)?;
        }
        copy_numbers(&session, &copy, &tables)?;
        copy.execute_batch("COMMIT")?;
        session.command("ROLLBACK")?;
        copy.close().map_err(|(_, error)| error.into())
    })
}

/// A database of this program's schema without a row, which checks nothing of what is put into it: it was checked where it
/// comes from.
fn create(to: &Path) -> Result<Connection, Error> {
    if std::fs::metadata(to).is_ok_and(|found| found.len() > 0) {
        return Err(Error::Unavailable(format!("{} is not empty", to.display())));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut copy = Connection::open_with_flags(to, flags)?;
    copy.pragma_update(None, "synchronous", "OFF")?;
    copy.pragma_update(None, "journal_mode", "OFF")?;
    upgrade::migrate(&mut copy)?;
    copy.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    copy.pragma_update(None, "foreign_keys", false)?;
    Ok(copy)
}

fn copy_table(session: &Session, copy: &Connection, table: &Table) -> Result<(), Error> {
    let (name, columns) = (&table.name, table.column_list());
    copy.execute(&format!("DELETE FROM {name}"), [])?; // what the migrations put there
    let places = vec!["?"; table.columns.len()].join(", ");
    let mut insert = copy.prepare(&format!("INSERT INTO {name} ({columns}) VALUES ({places})"))?;
    session.read_all(&format!("SELECT {columns} FROM {name}"), |row| {
        let values = (0..table.columns.len())
            .map(|at| super::column::get::<Value>(row, crate::sql::columns::Location::At(at)))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Error::Corrupt(format!("{name}: {error}")))?;
        insert.execute(params_from_iter(values))?;
        Ok(())
    })
}

/// Up to where numbers were given out, so that none is given out again.
fn copy_numbers(session: &Session, copy: &Connection, tables: &[Table]) -> Result<(), Error> {
    let number = |sequence: &str| {
        let sql = format!(
            "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS n FROM {sequence}"
        );
        let found = session.ask(&[Ask { sql, parameters: Vec::new() }])?;
        let number = found.first().and_then(|rows| rows.first()).map(|row| row.get::<_, i64>("n"));
        number.ok_or_else(|| Error::Corrupt(format!("the sequence {sequence} is missing")))
    };
    copy.execute("UPDATE numbers SET place = ?1, event = ?2", [number("places")?, number("events")?])?;
    let mut note = copy.prepare("UPDATE sqlite_sequence SET seq = MAX(seq, ?2) WHERE name = ?1")?;
    let mut add = copy.prepare(
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2
         WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1 AND sql LIKE '%AUTOINCREMENT%')",
    )?;
    for (table, sequence, _) in identities(session, tables)? {
        let given = number(&sequence)?;
        if note.execute((&table, given))? == 0 {
            add.execute((&table, given))?;
        }
    }
    Ok(())
}

/// Columns that are numbered as rows are added: the table, its sequence and the column.
pub(crate) fn identities(
    session: &Session,
    tables: &[Table],
) -> Result<Vec<(String, String, String)>, Error> {
    let sql = "SELECT c.relname::text AS name, a.attname::text AS column_name,
                   pg_get_serial_sequence(c.relname::text, a.attname::text) AS sequence
               FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
               WHERE a.attidentity <> '' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname";
    let found = session.ask(&[Ask { sql: sql.into(), parameters: Vec::new() }])?;
    let all = found.iter().flat_map(|rows| rows.iter());
    let all = all.map(|row| (row.get("name"), row.get("sequence"), row.get("column_name")));
    Ok(all.filter(|(name, ..): &(String, _, _)| tables.iter().any(|table| table.name == *name)).collect())
}
