//! Copies of rows, made in a hub's database while no hub runs on it. What an attack needs thousands of is made once
//! through the hub's own door and then copied: columns are taken as the database has them, so that a new one in the
//! hub's schema is copied too.

use rusqlite::{Connection, params};
use std::path::Path;

use crate::failure::Failure;

const DATABASE: &str = "hub.db";

/// The database of a hub that is stopped.
pub(crate) struct Rows {
    database: Connection,
}

/// A column that differs from copy to copy: its name and an SQL expression, in which `?1` is the copy's number.
type Change<'a> = (&'a str, &'a str);

impl Rows {
    pub(crate) fn open(folder: &Path) -> Result<Self, Failure> {
        let database = Connection::open(folder.join(DATABASE)).map_err(Failure::of("the database"))?;
        Ok(Self { database })
    }

    /// Copies an agent's session until there are `count` of them, each under an alias of its own, seen an hour from now so
    /// that none is offline.
    pub(crate) fn copy_session(
        &mut self,
        network_id: &str,
        alias: &str,
        count: usize,
    ) -> Result<(), Failure> {
        let rows = format!("network_id = '{network_id}' AND alias = '{alias}'");
        let another = ("alias", "alias || '-' || ?1");
        let online = ("last_seen_at", "(unixepoch() + 3600) * 1000");
        self.copy("aliases", &rows, &[another], count)?;
        self.copy("sessions", &rows, &[another, online], count)?;
        let online = format!("UPDATE sessions SET {} = {} WHERE {rows}", online.0, online.1);
        self.database.execute(&online, []).map_err(Failure::of("the database"))?;
        Ok(())
    }

    /// Copies a completion until there are `count` of them.
    pub(crate) fn copy_completion(&mut self, network_id: &str, count: usize) -> Result<(), Failure> {
        let rows = format!("id = (SELECT max(id) FROM completions WHERE network_id = '{network_id}')");
        self.copy("completions", &rows, &[("id", "NULL")], count)
    }

    /// Copies a network, with its members and all other rows that name it, until there are `count` of them.
    pub(crate) fn copy_network(&mut self, network_id: &str, count: usize) -> Result<(), Failure> {
        // The same length and alphabet: its last six digits are the copy's number.
        let another =
            format!("'{}' || printf('%06x', ?1)", &network_id[..network_id.len().saturating_sub(6)]);
        let rows = format!("network_id = '{network_id}'");
        // Parents before children.
        self.copy("networks", &rows, &[("network_id", &another), ("name", "name || ' ' || ?1")], count)?;
        for table in self.tables_naming_networks()? {
            let mut changes = vec![("network_id", another.as_str())];
            let key = self.integer_key(&table)?;
            changes.extend(key.as_deref().map(|key| (key, "NULL")));
            self.copy(&table, &rows, &changes, count)?;
        }
        Ok(())
    }

    fn copy(&mut self, table: &str, rows: &str, changes: &[Change<'_>], count: usize) -> Result<(), Failure> {
        let failed = Failure::of("the database");
        let columns = self.columns(table)?;
        let changed = |column: &String| {
            let change = changes.iter().find(|(name, _)| name == column);
            change.map_or_else(|| format!("\"{column}\""), |(_, expression)| (*expression).to_owned())
        };
        let values: Vec<_> = columns.iter().map(changed).collect();
        let names: Vec<_> = columns.iter().map(|column| format!("\"{column}\"")).collect();
        let (names, values) = (names.join(", "), values.join(", "));
        let copy = format!("INSERT INTO {table} ({names}) SELECT {values} FROM {table} WHERE {rows}");
        let transaction = self.database.transaction().map_err(&failed)?;
        for number in 1..count {
            let mut statement = transaction.prepare_cached(&copy).map_err(&failed)?;
            // A table in which every value is copied names no number.
            match statement.parameter_count() {
                0 => statement.execute([]),
                _ => statement.execute(params![i64::try_from(number).unwrap_or(i64::MAX)]),
            }
            .map_err(&failed)?;
        }
        transaction.commit().map_err(failed)
    }

    fn columns(&self, table: &str) -> Result<Vec<String>, Failure> {
        self.texts("SELECT name FROM pragma_table_info(?1)", table)
    }

    /// The column that SQLite numbers by itself.
    fn integer_key(&self, table: &str) -> Result<Option<String>, Failure> {
        let keys = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 AND type = 'INTEGER'
                    AND (SELECT count(*) FROM pragma_table_info(?1) WHERE pk > 0) = 1";
        Ok(self.texts(keys, table)?.pop())
    }

    fn tables_naming_networks(&self) -> Result<Vec<String>, Failure> {
        let tables = "SELECT t.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c ON c.name = ?1
                      WHERE t.schema = 'main' AND t.type = 'table' AND t.name <> 'networks'";
        self.texts(tables, "network_id")
    }

    fn texts(&self, query: &str, of: &str) -> Result<Vec<String>, Failure> {
        let failed = Failure::of("the database");
        let mut statement = self.database.prepare(query).map_err(&failed)?;
        let rows = statement.query_map([of], |row| row.get(0)).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows {
        let database = Connection::open_in_memory().unwrap();
        let tables = "
            CREATE TABLE networks (network_id TEXT PRIMARY KEY, name TEXT UNIQUE, added TEXT DEFAULT 'x');
            CREATE TABLE members (network_id TEXT REFERENCES networks, user_id TEXT, PRIMARY KEY (network_id, user_id));
            CREATE TABLE logs (log INTEGER PRIMARY KEY, network_id TEXT UNIQUE);
            CREATE TABLE tasks (seq INTEGER PRIMARY KEY, network_id TEXT);
            INSERT INTO networks VALUES ('net_0123456789ab', 'own', 'kept');
            INSERT INTO members VALUES ('net_0123456789ab', 'usr_1');
            INSERT INTO logs VALUES (7, 'net_0123456789ab');";
        database.execute_batch(tables).unwrap();
        Rows { database }
    }

    #[test]
    fn a_network_is_copied_with_every_row_that_names_it_and_every_column() {
        let mut rows = rows();
        rows.copy_network("net_0123456789ab", 20).unwrap();
        let count = |query: &str| rows.database.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(
            count("SELECT count(*) FROM networks WHERE added = 'kept' AND length(network_id) = 16"),
            20
        );
        assert_eq!(count("SELECT count(*) FROM members JOIN networks USING (network_id)"), 20);
        assert_eq!(count("SELECT count(DISTINCT log) FROM logs"), 20);
        assert_eq!(count("SELECT count(*) FROM tasks"), 0);
    }
}
