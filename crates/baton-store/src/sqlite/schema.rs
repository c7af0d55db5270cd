//! The schema a database has, compared with the one the migrations create. A dropped trigger no longer protects what
//! it protected, and a dropped index makes calls slow; nothing else would show either.

use rusqlite::Connection;
use std::collections::BTreeMap;

use super::upgrade;
use crate::error::Error;

/// Tables, indexes and triggers by kind and name, each with its normalised SQL.
type Objects = BTreeMap<(String, String), String>;

/// Names what is missing, changed or, for triggers, not the hub's. Other tables and indexes are left alone: they change
/// nothing that the hub writes.
pub(super) fn differences(connection: &Connection) -> Result<Vec<String>, Error> {
    let (expected, found) = (expected()?, objects(connection)?);
    let mut differences = Vec::new();
    for (object, sql) in &expected {
        let (kind, name) = object;
        match found.get(object) {
            None => differences.push(format!("{kind} {name} is missing")),
            Some(other) if other != sql => differences.push(format!("{kind} {name} was changed")),
            Some(_) => {}
        }
    }
    let added = found.keys().filter(|object| object.0 == "trigger" && !expected.contains_key(*object));
    differences.extend(added.map(|(kind, name)| format!("{kind} {name} was added")));
    Ok(differences)
}

/// Refuses a database whose schema somebody changed.
pub(super) fn refuse_altered(connection: &Connection) -> Result<(), Error> {
    let differences = differences(connection)?;
    if differences.is_empty() { Ok(()) } else { Err(Error::Altered(differences.join(", "))) }
}

fn expected() -> Result<Objects, Error> {
    let mut fresh = Connection::open_in_memory()?;
    upgrade::migrate(&mut fresh)?;
    objects(&fresh)
}

fn objects(connection: &Connection) -> Result<Objects, Error> {
    // What SQLite makes for itself has no SQL; the table of migrations is refinery's own.
    let sql = "SELECT type, name, sql FROM sqlite_schema
               WHERE sql IS NOT NULL AND type IN ('table', 'index', 'trigger')
                 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'refinery_schema_history'";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        let sql: String = row.get("sql")?;
        Ok(((row.get("type")?, row.get("name")?), normalised(&sql)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Without white space and quotes of names, which differ between releases of SQLite that rewrote a table.
fn normalised(sql: &str) -> String {
    sql.chars().filter(|character| !character.is_whitespace() && *character != '"').collect()
}
