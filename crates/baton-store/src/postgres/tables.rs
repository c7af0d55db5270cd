//! The tables that a hub's rows are in, for whoever copies all of them from one engine to the other. Both engines have them,
//! with the same columns; tables that only one engine has are filled again there.

use rusqlite::Connection;
use std::collections::BTreeSet;
use tokio_postgres::types::Type;

use super::scope::Ask;
use super::session::Session;
use crate::error::Error;

/// Tables that others refer to, in this order; those are copied after them.
const FIRST: [&str; 5] = ["users", "networks", "network_keys", "artifacts", "tokens"];

/// Tables of PostgreSQL that are not copied: they follow from the others, or are about hubs that run.
const POSTGRES_OWN: [&str; 6] = ["baton_schema", "heads", "hub_state", "hubs", "lanes", "work_leases"];

/// The same for SQLite.
const SQLITE_OWN: [&str; 3] = ["numbers", "probe", "refinery_schema_history"];

/// A table that is copied.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// The columns that are not computed, with PostgreSQL's types.
    pub(crate) columns: Vec<(String, Type)>,
}

impl Table {
    /// All tables that are copied, each after those it refers to.
    pub(crate) fn all(session: &Session, sqlite: &Connection) -> Result<Vec<Self>, Error> {
        let (theirs, ours) = (of_postgres(session)?, of_sqlite(sqlite)?);
        if let Some(name) = theirs.symmetric_difference(&ours).next() {
            return Err(Error::Corrupt(format!("only one of the engines has the table {name}")));
        }
        let rest = theirs.iter().map(String::as_str).filter(|name| !FIRST.contains(name));
        FIRST.into_iter().chain(rest).map(|name| Self::of(session, sqlite, name)).collect()
    }

    fn of(session: &Session, sqlite: &Connection, name: &str) -> Result<Self, Error> {
        let sql = "SELECT attname::text AS name FROM pg_attribute
                   WHERE attrelid = ?1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
                   ORDER BY attnum";
        let parameters = vec![super::parameter::Parameter(rusqlite::types::Value::Text(name.to_owned()))];
        let found = session.ask(&[Ask { sql: sql.into(), parameters }])?;
        let names: Vec<String> =
            found.iter().flat_map(|rows| rows.iter()).map(|row| row.get("name")).collect();
        must_have_the_same(sqlite, name, &names)?;
        let types = session.types_of(&format!("SELECT {} FROM {name}", names.join(", ")))?;
        Ok(Self { name: name.to_owned(), columns: names.into_iter().zip(types).collect() })
    }

    /// The names of its columns, for a statement of either engine.
    pub(crate) fn column_list(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| &**name).collect();
        names.join(", ")
    }
}

fn of_postgres(session: &Session) -> Result<BTreeSet<String>, Error> {
    let sql = "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema()";
    let found = session.ask(&[Ask { sql: sql.into(), parameters: Vec::new() }])?;
    let names = found.iter().flat_map(|rows| rows.iter()).map(|row| row.get::<_, String>("name"));
    Ok(names.filter(|name| !POSTGRES_OWN.contains(&&**name)).collect())
}

fn of_sqlite(sqlite: &Connection) -> Result<BTreeSet<String>, Error> {
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut statement = sqlite.prepare(sql)?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(names.into_iter().filter(|name| !SQLITE_OWN.contains(&&**name)).collect())
}

/// What SQLite numbers by itself is a column of its own on PostgreSQL, where the order of rows is asked for.
fn must_have_the_same(sqlite: &Connection, table: &str, columns: &[String]) -> Result<(), Error> {
    let mut statement = sqlite.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0")?;
    let found = statement.query_map([table], |row| row.get(0))?.collect::<Result<BTreeSet<String>, _>>()?;
    let wanted: BTreeSet<String> = columns.iter().filter(|name| *name != "rowid").cloned().collect();
    match found.symmetric_difference(&wanted).next() {
        Some(column) => {
            Err(Error::Corrupt(format!("only one of the engines has the column {table}.{column}")))
        }
        None => Ok(()),
    }
}
