//! Opening the database: pragmas, and which schema it has.

use baton_core::limits;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::IntoRawFd;
use std::path::Path;

use super::migrations;
use crate::error::Error;

/// The one connection that writes.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, Error> {
    let wal = baton_wal::name().map_err(|refused| Error::Unavailable(refused.to_string()))?;
    let connection = Connection::open_with_flags_and_vfs(path, OpenFlags::default(), wal)?;
    prepare(&connection)?;
    // Before anything is written: see `baton_wal`.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?; // the checkpointer's work
    connection.pragma_update(None, "cache_size", -limits::WRITER_CACHE_KIB)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    refuse_newer(&connection)?;
    Ok(connection)
}

/// Takes the room that the WAL's index may need, as long as the disk has it. SQLite lets it grow after a commit has been
/// written to the WAL. If there is no room then, the commit is answered as failed, and yet the next one to open the
/// database after a kill finds it.
pub(crate) fn reserve_wal_index(path: &Path) -> Result<(), Error> {
    let unavailable = |error: std::io::Error| Error::Unavailable(format!("the WAL's index: {error}"));
    // It lies beside the database itself, wherever a link to it is.
    let mut name = path.canonicalize().map_err(unavailable)?.into_os_string();
    name.push("-shm");
    let file = File::options().read(true).write(true).open(name).map_err(unavailable)?;
    let reserved = fallocate(&file, FallocateFlags::empty(), 0, limits::WAL_INDEX_BYTES);
    // Never closed: with any descriptor of a file the system drops all locks that this process has on it, and the next
    // process to look at the database would cut the index off under this one.
    let _ = file.into_raw_fd();
    match reserved {
        // A file system that cannot reserve is used as it is.
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
        Err(error) => Err(unavailable(error.into())),
    }
}

/// The newest schema this program knows: the number of its last migration.
pub fn schema() -> u32 {
    migrations::versions().last().copied().unwrap_or_default()
}

/// The schema a database has; 0 if it is new.
pub(crate) fn schema_of(connection: &Connection) -> Result<u32, Error> {
    if !connection.table_exists(None, "refinery_schema_history")? {
        return Ok(0);
    }
    let sql = "SELECT COALESCE(MAX(version), 0) FROM refinery_schema_history";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

/// A schema nobody here knows is neither read nor written.
fn refuse_newer(connection: &Connection) -> Result<(), Error> {
    let (theirs, ours) = (schema_of(connection)?, schema());
    if theirs > ours {
        let what = format!(
            "it was written by a newer baton: it has schema {theirs}, this baton knows up to {ours}; use that \
             baton, or restore a backup from before"
        );
        return Err(Error::Unavailable(what));
    }
    Ok(())
}

/// Refuses a database that is not of exactly this program's version: neither to be read, nor to be migrated here.
pub(crate) fn check_schema(connection: &Connection) -> Result<(), Error> {
    refuse_newer(connection)?;
    match schema_of(connection)? {
        0 => Err(Error::Unavailable("not a Baton database".into())),
        theirs if theirs < schema() => {
            Err(Error::Unavailable("it was written by an older baton; start the hub once".into()))
        }
        _ => Ok(()),
    }
}

/// A connection that only reads.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    prepare(&connection)?;
    connection.pragma_update(None, "cache_size", -limits::READER_CACHE_KIB)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

pub(crate) fn prepare(connection: &Connection) -> Result<(), Error> {
    connection.set_prepared_statement_cache_capacity(limits::STATEMENTS_PREPARED_COUNT);
    // One plan per statement. Without this, SQLite plans again whenever a bound value changes that an index might
    // care about: a quarter of the writer's time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_timeout(limits::DATABASE_LOCKED_MAX)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(())
}
